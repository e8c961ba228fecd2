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
  enum Work: String, Sendable, CaseIterable {
    case refresh, device, browser, again, signOut, rotation

    static let asking = allCases.filter { $0 != .rotation }
  }

  /// Opens descriptors until none is free.
  private static func takeAll() -> [SharedDescriptor] {
    var all: [SharedDescriptor] = []
    while let next = try? FileDescriptor(opening: "/dev/null", for: .reading) { all.append(SharedDescriptor(next)) }
    return all
  }

  @Test(arguments: Work.asking)
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
        if try Self.check(work, home, "\(free) free: \(result)") { sent.insert(free) }
      }
      #expect(!sent.contains(0) && sent.contains(40), "\(sent)")
    }
  }

  /// Checks that nothing was sent, or that its result is on disk. Returns whether something was sent.
  fileprivate static func check(_ work: Work, _ home: Home, _ comment: Comment) throws -> Bool {
    let isSent = home.http.urls.contains(work == .signOut ? TestIssuer.revocationURL : TestIssuer.tokenURL)
    let stored = try home.stored()
    switch work {
    case .refresh, .again: #expect(stored?.refreshToken?.text == (isSent ? "rt-2" : "rt-1"), comment)
    case .device, .browser: #expect(stored?.refreshToken?.text == (isSent ? "rt-2" : nil), comment)
    case .signOut:
      let isOut = stored == nil || stored?.isSignedOut == true
      #expect(isOut || stored?.refreshToken?.text == "rt-1", comment)
      #expect(isOut || !isSent, comment)
    case .rotation: #expect(stored?.refreshToken?.text == "rt-1", comment)
    }
    return isSent
  }

  /// Runs an operation until just before it spends something.
  fileprivate static func prepare(
    _ work: Work, _ home: Home, _ meanwhile: @escaping @Sendable () -> Void
  ) throws -> () throws -> Void {
    let answer = try tokens("at-2", refresh: "rt-2")
    home.http.answer(TestIssuer.tokenURL) { _ in
      meanwhile()
      return answer
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
    case .device, .again:
      if work == .again { try home.store { $0.identity = nil } }
      let waiting = try home.prepare(configuration)
      return { _ = try home.finish(waiting) }
    case .browser:
      let request = SignIn.Request(
        account: home.account, configuration: configuration,
        services: home.services, cancellation: Cancellation())
      let waiting = try SignIn.PendingApproval.Browser(
        request.prepared(), redirectURI: "http://127.0.0.1:1234/callback")
      let code = try secret("code")
      return { _ = try waiting.finish(code) }
    case .rotation:
      try home.store()
      return { _ = try home.services.vault.rotateKeys(secrets: [:]) }
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

@Suite struct `With little disk space` {
  private static func inodes(of home: Home, _ pattern: String) throws -> [String] {
    try ProcessRunner.shell("cd '\(home.directory.path)' && stat -c %i \(pattern) 2>/dev/null").outputText
      .split(separator: "\n").map(String.init)
  }

  // A real full disk is in the end-to-end tests.
  @Test(arguments: [`With few free descriptors`.Work.device, .browser, .again])
  func `a sign-in writes into files that it made before it spent the approval`(
    work: `With few free descriptors`.Work
  ) throws {
    let home = try Home()
    let seen = Monitor<[[String]]>([])
    let run = try `With few free descriptors`.prepare(work, home) {
      do {
        let found = try ["state/.vault.*.tmp", "config/.config.json.*.tmp"].map { try Self.inodes(of: home, $0) }
        seen.withLock { $0 = found }
      } catch { Issue.record(error) }
    }
    #expect(try Self.inodes(of: home, "state/.vault.*.tmp") == [])
    try run()
    let reserved = seen.withLock { $0 }
    #expect(reserved[0].count == 1 && reserved[1].count == 1)
    #expect(try Self.inodes(of: home, "state/vault.????????????????") == reserved[0])
    #expect(try Self.inodes(of: home, "config/config.json") == reserved[1])
    #expect(try Self.inodes(of: home, "state/.*.tmp config/.*.tmp") == [])
  }

  @Test func `a sign-in that is not approved yet leaves no files`() throws {
    let home = try Home()
    let waiting = try home.prepare()
    home.http.answer(TestIssuer.tokenURL, try response(400, ["error": "authorization_pending"]))
    _ = try waiting.poll(isWanted: { true })
    #expect(try Self.inodes(of: home, "state/.*.tmp config/.*.tmp") == [])
    #expect(try home.stored() == nil)
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
        if secret.bytes.arena != nil { break }
        all.append(secret)
      }
    }
    _ = room.bytes.count
    return all
  }

  /// Allows this process to map only `left` more bytes, until ``ResourceLimit/raiseAll()``.
  private static func limitMemory(to left: Int) throws {
    let sizes = try FileDescriptor(opening: "/proc/self/statm", for: .reading).readToEnd(limit: 4096)
    let pages = try #require(String(decoding: sizes, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) })
    let lowered = try ProcessRunner.run(
      executable: "/usr/bin/prlimit", arguments: ["--pid", "\(Machine.processID)", "--as=\(pages * 4096 + left):"])
    #expect(lowered.succeeded)
  }

  /// Uses all larger pieces of memory that the process has freed.
  private static func takeFreedMemory() -> [[UInt8]] {
    defer { MemoryUse.trim() }
    return (0..<128).map { _ in
      var piece: [UInt8] = []
      piece.reserveCapacity(1 << 20)
      return piece
    }
  }

  // The vault's new content is ordinary memory, without which Swift ends the process.
  @Test(.enabled(if: !Sanitizer.isOn), arguments: [`With few free descriptors`.Work.refresh, .again])
  func `a vault of some size is written though others take all memory meanwhile`(
    work: `With few free descriptors`.Work
  ) async {
    await #expect(processExitsWith: .success) { [word = work.rawValue as String] in
      let work = try #require(`With few free descriptors`.Work(rawValue: word))
      let home = try Home()
      for number in 1...40 {
        try home.services.vault.write(AccountName("a\(number)"), content: SecretBytes(zeroed: 1 << 16))
      }
      let taken = Monitor<[[UInt8]]>([])
      let run = try `With few free descriptors`.prepare(work, home) {
        taken.withLock { $0 = Self.takeFreedMemory() }
        do { try Self.limitMemory(to: 0) } catch { Issue.record(error) }
      }
      home.http.forgetRequests()
      let result = Result { try run() }
      ResourceLimit.raiseAll()
      #expect(taken.withLock { $0.count } > 0)
      #expect(try `With few free descriptors`.check(work, home, "\(result)"))
    }
  }

  /// The heap is full, so that every secret needs a mapping.
  @Test(.enabled(if: !Sanitizer.isOn), arguments: `With few free descriptors`.Work.allCases)
  func `an operation stores what it gets though others take all that is free meanwhile, or sends nothing`(
    work: `With few free descriptors`.Work
  ) async {
    await #expect(processExitsWith: .success) { [word = work.rawValue as String] in
      let work = try #require(`With few free descriptors`.Work(rawValue: word))
      _ = SecureHeap.initialise(bytes: 1 << 17)
      var sent: Set<Int> = []
      let most = 1024
      for pages in stride(from: 0, through: most, by: 16) {
        let home = try Home()
        let run = try `With few free descriptors`.prepare(work, home) {
          ResourceLimit.raiseAll()
          do { try Self.limitMemory(to: 0) } catch { Issue.record(error) }
        }
        home.http.forgetRequests()
        var filling = try Self.fillHeap(butFor: 1)
        try Self.limitMemory(to: pages * 4096)
        let result = Result { try run() }
        ResourceLimit.raiseAll()
        #expect(filling.count > 0)
        filling = []
        if try `With few free descriptors`.check(work, home, "\(pages) pages: \(result)") { sent.insert(pages) }
        if pages == most { try result.get() }
      }
      #expect(work == .rotation || !sent.contains(0) && sent.contains(most), "\(sent)")
    }
  }
}
