import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

/// Reserve first, however little is left: nothing is sent, or nothing is lost.
@Suite struct `With few free descriptors` {
  enum Work: String, Sendable, CaseIterable { case refresh, device, browser, signOut }

  /// Opens descriptors until none is free.
  private static func takeAll() -> [SharedDescriptor] {
    var all: [SharedDescriptor] = []
    while let next = try? FileDescriptor(opening: "/dev/null", for: .reading) { all.append(SharedDescriptor(next)) }
    return all
  }

  @Test(arguments: Work.allCases)
  func `an operation stores what it gets though others take all that is free meanwhile, or sends nothing`(
    work: Work
  ) async {
    await #expect(processExitsWith: .success) { [word = work.rawValue as String] in
      let work = try #require(Work(rawValue: word))
      let lowered = try ProcessRunner.run(
        executable: "/usr/bin/prlimit", arguments: ["--pid", "\(Machine.processID)", "--nofile=128:"])
      #expect(lowered.succeeded)
      var sent: Set<Int> = []
      for free in 0...40 {
        let home = try Home()
        let others = Monitor<[SharedDescriptor]>([])
        let run = try Self.prepare(work, home) { others.withLock { $0 = Self.takeAll() } }
        home.http.forgetRequests()
        var taken = Self.takeAll()
        taken.removeLast(free)
        let result = Result { try run() }
        taken = []
        others.withLock { $0 = [] }
        let isSent = home.http.urls.contains(work == .signOut ? TestIssuer.revocationURL : TestIssuer.tokenURL)
        if isSent { sent.insert(free) }
        let stored = try home.stored()
        switch work {
        case .refresh: #expect(stored?.refreshToken?.text == (isSent ? "rt-2" : "rt-1"), "\(free) free: \(result)")
        case .device, .browser:
          #expect(stored?.refreshToken?.text == (isSent ? "rt-2" : nil), "\(free) free: \(result)")
        case .signOut:
          let isOut = stored == nil || stored?.isSignedOut == true
          #expect(isOut || stored?.refreshToken?.text == "rt-1", "\(free) free: \(result)")
          #expect(isOut || !isSent, "\(free) free: \(result)")
        }
      }
      #expect(!sent.contains(0) && sent.contains(40), "\(sent)")
    }
  }

  /// Runs an operation until just before it spends something.
  private static func prepare(
    _ work: Work, _ home: Home, _ meanwhile: @escaping @Sendable () -> Void
  ) throws -> () throws -> Void {
    home.http.answer(TestIssuer.tokenURL) { _ in
      meanwhile()
      return try tokens("at-2", refresh: "rt-2")
    }
    // Without an ID Token.
    var configuration = Home.configuration
    configuration.scope = ["a"]
    let metadata = TestIssuer.metadata("authorization_endpoint", "https://as.example/authorize")
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    switch work {
    case .refresh:
      try home.store()
      return { _ = try home.refresh() }
    case .device:
      let waiting = try home.prepare(configuration)
      return { _ = try home.finish(waiting) }
    case .browser:
      let request = SignIn.Request(
        account: home.account, configuration: configuration,
        services: home.services, settingsDirectory: home.settingsDirectory, cancellation: Cancellation())
      let waiting = try SignIn.Waiting.Browser(request.prepared(), redirectURI: "http://127.0.0.1:1234/callback")
      let code = try secret("code")
      return { _ = try waiting.finish(code) }
    case .signOut:
      try home.store()
      return {
        _ = try SignOutOperation(
          account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services
        ).run()
      }
    }
  }
}

@Suite struct `With few pages of secure memory` {
  /// Allocates all but some bytes of the heap.
  private static func fillHeap(butFor left: Int) throws -> [SharedSecret] {
    var all: [SharedSecret] = []
    let room = try SharedSecret(SecretBytes(zeroed: max(1, left)))
    for size in [4096, 1024, 256, 64, 32] {
      while true {
        let secret = SharedSecret(try SecretBytes(zeroed: size))
        if secret.bytes.room != nil { break }
        all.append(secret)
      }
    }
    _ = room.bytes.count
    return all
  }

  @Test func `a refresh stores what it gets, or sends nothing`() async {
    await #expect(processExitsWith: .success) {
      _ = SecureHeap.initialise(bytes: 1 << 17)
      for pages in 0...20 {
        let home = try Home()
        try home.store()
        let filling = try Self.fillHeap(butFor: pages * 4096)
        home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
        let result = Result { try home.refresh() }
        let isSent = home.http.urls.contains(TestIssuer.tokenURL)
        #expect(try home.stored()?.refreshToken?.text == (isSent ? "rt-2" : "rt-1"), "\(pages) pages: \(result)")
        #expect(filling.count > 0)
      }
    }
  }
}
