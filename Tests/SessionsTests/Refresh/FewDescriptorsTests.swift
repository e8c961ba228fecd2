import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing

@Suite struct `A refresh with few free descriptors` {
  /// Opens descriptors until none is free.
  private static func takeAll() -> [SharedDescriptor] {
    var all: [SharedDescriptor] = []
    while let next = try? FileDescriptor(opening: "/dev/null", for: .reading) { all.append(SharedDescriptor(next)) }
    return all
  }

  // Reserve first.
  @Test func `stores the new token though others take all that is free meanwhile, or sends nothing`() async {
    await #expect(processExitsWith: .success) {
      let lowered = try ProcessRunner.run(
        executable: "/usr/bin/prlimit", arguments: ["--pid", "\(Machine.processID)", "--nofile=128:"])
      #expect(lowered.succeeded)
      var sent: Set<Int> = []
      for free in 0...16 {
        let home = try Home()
        try home.store()
        let others = Monitor<[SharedDescriptor]>([])
        home.http.answer(TestIssuer.tokenURL) { _ in
          others.withLock { $0 = Self.takeAll() }
          return try tokens("at-2", refresh: "rt-2")
        }
        var taken = Self.takeAll()
        taken.removeLast(free)
        let result = Result { try home.refresh() }
        taken = []
        others.withLock { $0 = [] }
        let isSent = home.http.urls.contains(TestIssuer.tokenURL)
        if isSent { sent.insert(free) }
        #expect(try home.stored()?.refreshToken?.text == (isSent ? "rt-2" : "rt-1"), "\(free) free: \(result)")
      }
      #expect(!sent.contains(0) && sent.contains(16), "\(sent)")
    }
  }
}
