import Encoding
import Platform
import TestSupport
import Testing

/// `Tests/Servers/Providers` describes the services.
@Suite(.needsPrograms, .needsProviderReplay, .withProviderReplay)
struct `At services as they document themselves` {
  @Test(arguments: ProviderSignIn.all.filter { $0.expected != nil }) func `sign-in, refresh, identity and sign-out`(
    signIn: ProviderSignIn
  ) throws {
    let service = try ProviderReplay.play(signIn)
    let expected = try #require(signIn.expected)
    try AgentTree.with { tree in
      let end = try run(service, tree)
      let report = try service.report()
      try #require(
        end["event"] == "signed_in" && report.refusals.isEmpty, "\(end); \(report.refusals); \(report.seen)")
      #expect(end["subject"]?.string == expected["subject"]?.string)
      if let scope = expected["scope"]?.string { #expect(end["scope"]?.string == scope) }
      if expected["whoami"] != false, expected["subject"] != nil {
        #expect(try tree.json("whoami", signIn.account)["subject"]?.string == expected["subject"]?.string)
      }
      if expected["userinfo"] == true { #expect(try check(tree) == "ok") }
      try refresh(signIn.account, isPossible: expected["refresh"] == true, tree)
      let out = try tree.json("logout", signIn.account)["accounts"]?.array?.first
      let detail = out?["detail"]?.string ?? ""
      #expect(out?["revoked"] == expected["revoked"], "\(detail)")
      if let page = expected["sessions_page"]?.string { #expect(detail.contains(page), "\(detail)") }
      let after = try service.report()
      #expect(after.refusals == [], "\(after.seen)")
      #expect(try tree.agent("token", signIn.account).failed(3))
    }
  }

  @Test(arguments: ProviderSignIn.all.filter { $0.refused != nil }) func `a refusal is told with what to do`(
    signIn: ProviderSignIn
  ) throws {
    let service = try ProviderReplay.play(signIn)
    let refused = try #require(signIn.refused)
    try AgentTree.with { tree in
      if let page = refused["page"]?.int {
        let login = try BrowserLogin(tree, command(service, tree), service.environment)
        #expect(try browse(login.url, service) == "\(page)")
        try login.giveUp()
      } else {
        let end = try run(service, tree)
        #expect(end["event"] == "error")
        if let code = refused["code"]?.string { #expect(end["code"]?.string == code) }
        let told = "\(end["message"]?.string ?? "") \(end["hint"]?.string ?? "")"
        for text in ["error", "text", "shows"].compactMap({ refused[$0]?.string }) {
          #expect(told.contains(text), "\(told)")
        }
      }
    }
  }

  /// One sign-in of each service that issues refresh tokens, and those about their end.
  static let refreshing: [ProviderSignIn] = {
    var services: Set<Substring> = []
    let all = ProviderSignIn.all
    return (all.filter { $0.flow == .browser } + all.filter { $0.flow == .device }).filter { signIn in
      guard signIn.expected?["refresh"] == true else { return false }
      return signIn.expected?["ends"] != nil || services.insert(signIn.service).inserted
    }
  }()

  @Test(arguments: refreshing) func `a session that the service ended asks for a sign-in`(
    signIn: ProviderSignIn
  ) throws {
    let service = try ProviderReplay.play(signIn)
    try AgentTree.with { tree in
      let end = try run(service, tree)
      try #require(end["event"] == "signed_in", "\(end)")
      try service.endSessions()
      let result = try tree.agent("token", signIn.account, "--force-refresh", "--json")
      let code = signIn.expected?["ends"]?.string ?? "session_expired"
      #expect(result.failed(3) && result.failureCode == code, "\(result.errorText)")
    }
  }

  // At some services, revoking the first session's tokens also ends the second.
  @Test(arguments: ProviderSignIn.all.filter { $0.revokesAgain != nil })
  func `a second sign-in leaves a session that can be refreshed`(
    signIn: ProviderSignIn
  ) throws {
    let service = try ProviderReplay.play(signIn)
    try AgentTree.with { tree in
      for line in [nil, ["login", signIn.account] + Self.browser] {
        let end = try run(service, tree, line)
        try #require(end["event"] == "signed_in", "\(end)")
      }
      try refresh(signIn.account, isPossible: true, tree)
      let report = try service.report()
      #expect(report.refusals == [], "\(report.seen)")
      #expect(report.seen.contains { $0.contains("revoke") } == signIn.revokesAgain, "\(report.seen)")
    }
  }

  @Test(arguments: ProviderSignIn.all.filter { $0.challenged != nil })
  func `a claims challenge leaves the session as it is`(
    signIn: ProviderSignIn
  ) throws {
    let service = try ProviderReplay.play(signIn)
    let resource = try #require(signIn.challenged)
    try AgentTree.with { tree in
      let end = try run(service, tree)
      try #require(end["event"] == "signed_in", "\(end)")
      let refused = try tree.agent("request", resource)
      let hint = try #require(refused.errorText.split(separator: "hint: agent ").last, "\(refused.errorText)")
      let command = hint.split { $0 == " " || $0.isNewline }.map { String($0) }
      try #require(command.prefix(3) == ["login", signIn.account, "--claims-challenge"], "\(refused.errorText)")
      #expect(try !tree.token(signIn.account, "--force-refresh").isEmpty)
      let again = try run(service, tree, command + Self.browser)
      #expect(again["event"] == "signed_in", "\(again)")
      let answer = try tree.agent("request", resource)
      #expect(answer.succeeded && answer.outputText.contains("A Person"), "\(answer.errorText)")
    }
  }

  @Test(arguments: ProviderSignIn.all.filter { $0.service == "entra-common" && $0.expected != nil })
  func `a token of an issuer that stands for many is verified by the tenant's`(signIn: ProviderSignIn) throws {
    let service = try ProviderReplay.play(signIn)
    try AgentTree.with { tree in
      let end = try run(service, tree)
      try #require(end["event"] == "signed_in", "\(end)")
      let token = try tree.agent("token", signIn.account, "--id-token")
      let check = try tree.agent(
        ["verify", "-", "--account", signIn.account, "--audience", signIn.clientID, "--json"], input: token.outputText)
      #expect(check.succeeded, "\(check.outputText) \(check.errorText)")
    }
  }

  // MARK: Steps

  private static let browser = ["--browser", "--no-open", "--json"]

  private func command(_ service: ReplayedService, _ tree: AgentTree) throws -> [String] {
    let signIn = service.signIn
    var command = ["login"] + service.arguments + ["--client-id", signIn.clientID, "--ca-file", service.authority]
    command += signIn.flow == .browser ? Self.browser : ["--device", "--json"]
    if let secret = signIn.secret {
      try tree.directory.write("home/secret", secret + "\n")
      command += ["--client-secret-file", tree.path("home/secret")]
    }
    return command
  }

  /// Signs in like a user, by default with the sign-in's own command line. Returns the last event.
  private func run(_ service: ReplayedService, _ tree: AgentTree, _ line: [String]? = nil) throws -> JSON {
    let login = try tree.start(line ?? command(service, tree), service.environment)
    var event: JSON
    repeat {
      do {
        event = try JSON(parsing: Array(login.readLine().utf8))
      } catch {
        Issue.record("\(login.errorText); \(try service.report())")
        throw error
      }
      if event["event"] == "browser" {
        let status = try browse(try #require(event["url"]?.string), service)
        if status != "200", service.signIn.refused == nil {
          Issue.record("the browser ends at status \(status): \(try service.report())")
          try login.signal(Signals.SIGINT)
        }
      }
    } while event["event"] != "signed_in" && event["event"] != "error"
    return event
  }

  /// The status of the page where the user's browser ends.
  private func browse(_ url: String, _ service: ReplayedService) throws -> String {
    let curl = "curl -qsSL --max-time 1800 -o /dev/null -w '%{http_code}' --noproxy 127.0.0.1,localhost"
    return try ProcessRunner.shell(
      "\(curl) --proxy \(service.proxy) --cacert '\(service.authority)' '\(url)'"
    ).outputText
  }

  private func check(_ tree: AgentTree) throws -> String? {
    try tree.json("status", "--check")["accounts"]?.array?.first?["check"]?.string
  }

  /// Refreshes twice, so that a replaced refresh token is replaced again.
  private func refresh(_ account: String, isPossible: Bool, _ tree: AgentTree) throws {
    let first = try tree.token(account)
    guard isPossible else {
      #expect(try tree.token(account) == first)
      return
    }
    let tokens = try (0..<2).map { _ in try tree.token(account, "--force-refresh") }
    #expect(Set(tokens + [first]).count == 3)
  }
}
