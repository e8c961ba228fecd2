import Encoding
import Platform
import TestSupport
import Testing

/// A daemon with a session at a healthy issuer, which must not be affected by a hostile one.
struct HostileScene {
  /// In KiB, for issuers' documents in the cache and code that runs for the first time.
  private static let allowedGrowth = 2048
  /// In bytes of the secure heap, for another session's secrets.
  private static let allowedSecrets = 4096

  let tree: AgentTree
  private let healthy: Issuer
  private let process: Int
  private let memory: Int
  private let secrets: Int

  static func with(_ body: (HostileScene) throws -> Void) throws {
    try Issuer.with { healthy in
      try AgentTree.with { tree in
        try tree.directory.writeProgram("home/browser", "\(BrowserLogin.curl) -L \"$1\"")
        try tree.signIn("healthy", at: healthy.url)
        _ = try tree.token("healthy", "--force-refresh")
        #expect(try tree.check("healthy")["check"] == "ok")
        try body(HostileScene(tree: tree, healthy: healthy))
      }
    }
  }

  private init(tree: AgentTree, healthy: Issuer) throws {
    self.tree = tree
    self.healthy = healthy
    let facts = try tree.json("daemon", "status")
    process = try #require(facts["pid"]?.int)
    memory = try #require(facts["memory_private_dirty_kib"]?.int)
    secrets = try #require(facts["secure_heap_used"]?.int)
  }

  // MARK: Rows

  /// Tests the rows with one session, in order.
  ///
  /// - Parameters:
  ///   - standing: Switches for all rows, unless overridden.
  ///   - algorithm: The algorithm of the issuer's ID Tokens.
  func attackSession(
    _ rows: [HostileRow], standing: [(String, String)] = [], algorithm: String = "ES256"
  ) throws {
    try Issuer.with(["--algorithm", algorithm]) { hostile in
      try tree.signIn("work", at: hostile.url, "--host", hostile.url)
      let off = HostileRow.allOff + standing + [("redirect_to", healthy.url + "/echo")]
      try hostile.control(off)
      for row in rows {
        try hostile.control(row.switches)
        let outcome = try act(row.action, at: hostile)
        #expect(outcome == row.outcome, "\(row)")
        try hostile.control(off)
        let next = try act(.refresh, at: hostile)
        #expect(next == row.next, "the session after \(row)")
        if row.next != .accepted { try tree.signIn("work", at: hostile.url) }
        #expect(try hostile.count("echoes") == 0, "\(row)")
        try expectUnharmed(after: row)
      }
    }
  }

  /// Tests a row with a first sign-in, at an unknown issuer.
  func attackSignIn(_ row: HostileRow) throws {
    try Issuer.with(["--open-registration"]) { hostile in
      try hostile.control(row.switches + [("redirect_to", healthy.url + "/echo")])
      let outcome = try signIn(hostile, row.action)
      #expect(outcome == row.outcome, "\(row)")
      try hostile.control(HostileRow.allOff)
      if row.outcome == .accepted {
        #expect(try tree.agent("token", "new", "--force-refresh").succeeded, "\(row)")
      } else {
        let isSignedOut = try tree.agent("token", "new", "--json").failed(3)
        #expect(isSignedOut == !row.leavesSession, "there is \(isSignedOut ? "no" : "a") session after \(row)")
        let next = try signIn(hostile, row.action)
        #expect(next == row.next, "the next sign-in after \(row)")
      }
      if row.outcome == .accepted || row.next == .accepted || row.leavesSession {
        #expect(try tree.agent("account", "remove", "new").succeeded)
      }
      #expect(try hostile.count("echoes") == 0, "\(row)")
    }
    try expectUnharmed(after: row)
  }

  /// Tests a row with an issuer that has rotated its keys since the sign-in.
  func attackKeys(_ row: HostileRow) throws {
    try Issuer.with { hostile in
      try tree.signIn("work", at: hostile.url)
      try hostile.control([("rotate_key", "1"), ("redirect_to", healthy.url + "/echo")] + row.switches)
      let outcome = try act(.refresh, at: hostile)
      #expect(outcome == row.outcome, "\(row)")
      try hostile.control(HostileRow.allOff)
      let next = try act(.refresh, at: hostile)
      #expect(next == row.next, "the session after \(row)")
      // The received refresh tokens were kept, and the issuer accepts each one once. A process other than the daemon
      // does not wait for keys.
      try hostile.control([("break_id_token", "missing")])
      let kept = try tree.agent("token", "work", "--no-daemon", "--force-refresh", "--json")
      #expect(kept.succeeded, "the session after \(row)")
      #expect(try hostile.count("reuse_detected") == 0, "\(row)")
      #expect(try hostile.count("echoes") == 0, "\(row)")
      #expect(try tree.agent("account", "remove", "work").succeeded)
    }
    try expectUnharmed(after: row)
  }

  /// Signs in at an issuer whose keys are known from another account, and that rotates them just before signing.
  func signInAfterRotation() throws {
    try Issuer.with { issuer in
      try tree.signIn("work", at: issuer.url)
      try issuer.control("rotate_key", "1")
      #expect(try signIn(issuer, .browser) == .accepted)
      #expect(try tree.agent("token", "new", "--force-refresh").succeeded)
    }
    try expectUnharmed(after: "a key that changed just before it signed")
  }

  /// Placeholders for URLs in messages.
  private func names(_ issuer: Issuer) -> [(url: String, name: String)] {
    [(issuer.url, "SERVER"), (healthy.url, "ELSEWHERE")]
  }

  private func signIn(_ issuer: Issuer, _ action: HostileRow.Action) throws -> HostileRow.Outcome {
    let how =
      switch action {
      case .register: ["--register", "--browser"]
      case .device: ["--client-id", "agent-cli", "--device"]
      default: ["--client-id", "agent-cli", "--browser"]
      }
    let result = try tree.agent(
      ["login", "new", "--issuer", issuer.url, "--allow-http-loopback", "--json"] + how,
      ["BROWSER": tree.path("home/browser")])
    return HostileRow.Outcome(result, names(issuer))
  }

  private func act(_ action: HostileRow.Action, at issuer: Issuer) throws -> HostileRow.Outcome {
    switch action {
    case .check:
      // The command succeeds, whatever it finds.
      let account = try tree.check()
      let problem = account["check_problem"]
      return account["check"] == "ok"
        ? .accepted
        : HostileRow.Outcome(problem, 0, names(issuer))
    case .signOut:
      let account = try tree.json("logout", "work")["accounts"]?.array?.first
      return account?["revoked"] == true
        ? .accepted
        : HostileRow.Outcome(["code": "not_revoked", "message": account?["detail"] ?? .null], 0, names(issuer))
    case .request:
      let file = tree.path("home/answer")
      try tree.directory.write("home/answer", "before")
      let result = try tree.agent(
        "request", issuer.url + "/resource", "--account", "work", "--json", "--output", file)
      if !result.succeeded { #expect(try tree.directory.readText("home/answer") == "before") }
      return HostileRow.Outcome(result, names(issuer))
    case .refresh, .browser, .device, .register:
      return HostileRow.Outcome(try tree.agent("token", "work", "--force-refresh", "--json"), names(issuer))
    }
  }

  // MARK: Afterwards

  /// Expects that the daemon has not restarted, has freed its memory, and serves the other account, whose issuer
  /// received nothing.
  func expectUnharmed(after row: some CustomStringConvertible) throws {
    #expect(try tree.agent("token", "healthy", "--force-refresh").succeeded, "the other account after \(row)")
    #expect(try healthy.count("echoes") == 0, "something was sent elsewhere by \(row)")
    #expect(try healthy.count("refresh_failures") == 0)
    let deadline = Instant.now.advanced(by: .testLimit)
    while true {
      let facts = try tree.json("daemon", "status")
      #expect(facts["pid"]?.int == process, "the daemon after \(row)")
      let growth = try #require(facts["memory_private_dirty_kib"]?.int) - memory
      let heap = try #require(facts["secure_heap_used"]?.int) - secrets
      // A sanitizer does not free memory immediately.
      if growth <= Self.allowedGrowth || Programs.areSanitized, heap <= Self.allowedSecrets { return }
      guard Instant.now < deadline else {
        Issue.record("\(growth) KiB more, \(heap) bytes of secrets more, after \(row)")
        return
      }
      // Reusable memory is freed once a minute, and by a lock.
      #expect(try tree.agent("lock").succeeded)
      Threads.sleep(for: .milliseconds(50))
    }
  }
}
