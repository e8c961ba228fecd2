import Encoding
import Platform
import TestSupport
import Testing

/// The services that people use, as they document themselves: under their own names, with their own requests, answers
/// and refusals. `Tests/Providers` has them as data.
@Suite(.needsPrograms, .needsProviderReplay, .withProviderReplay)
struct `At services as they document themselves` {
  /// Sign-ins that do not work yet.
  static let notYet: Set<String> = [
    "atlassian, browser", "atlassian, browser without the secret", "auth0, browser", "bitbucket, browser",
    "bitbucket, browser without the secret", "codeberg, browser by its name", "cognito, browser without a redirect URI",
    "discord, browser", "dropbox, browser", "entra, browser at its issuer", "entra-common, browser at a domain name",
    "entra-common, browser at consumers", "entra-common, browser at organizations", "entra-common, browser by its name",
    "entra-common, browser with the issuer of another tenant than tid",
    "entra-common, browser with the key of another tenant", "entra-common, device", "gitea, browser by its name",
    "github, browser by its name", "gitlab, browser by its name", "huggingface, browser",
    "huggingface, device and who that is",
    "keycloak, browser by the default redirect URI", "okta, browser", "salesforce, browser", "slack, browser",
    "slack, browser with a secret that it does not know", "twitch, device", "zitadel, browser", "zitadel, device",
    "zitadel, device without trust in the other audiences",
  ]

  static let ready = ProviderSignIn.all.filter { signIn in
    !notYet.contains(signIn.name) || Environment.value("AGENT_ALL_PROVIDERS")?.isEmpty == false
  }

  @Test(arguments: ready.filter { $0.refused == nil }) func `sign-in, refresh, identity and sign-out`(
    signIn: ProviderSignIn
  ) throws {
    let services = try ProviderReplay.current()
    try AgentTree.with { tree in
      let end = try run(signIn, tree)
      let report = try services.report(signIn)
      try #require(
        end["event"] == "signed_in" && report.refusals.isEmpty, "\(end); \(report.refusals); \(report.seen)")
      let expected = try #require(signIn.expected)
      #expect(end["subject"]?.string == expected["subject"]?.string)
      if let scope = expected["scope"]?.string { #expect(end["scope"]?.string == scope) }
      if expected["whoami"] != false, expected["subject"] != nil {
        #expect(try tree.json("whoami", signIn.account)["subject"]?.string == expected["subject"]?.string)
      }
      if expected["userinfo"] == true { #expect(try check(signIn, tree) == "ok") }
      try refresh(signIn, expected, tree)
      let out = try tree.json("logout", signIn.account)["accounts"]?.array?.first
      #expect(out?["revoked"] == expected["revoked"])
      let after = try services.report(signIn)
      #expect(after.refusals == [], "\(after.seen)")
      #expect(try tree.agent("token", signIn.account).failed(3))
    }
  }

  @Test(arguments: ready.filter { $0.refused != nil }) func `a refusal is told with what to do`(
    signIn: ProviderSignIn
  ) throws {
    let refused = try #require(signIn.refused)
    try AgentTree.with { tree in
      if let page = refused["page"]?.int {
        let login = try BrowserLogin(tree, command(signIn, tree), environment(signIn))
        #expect(try browse(login.url, signIn) == "\(page)")
        try login.giveUp()
      } else {
        let end = try run(signIn, tree)
        #expect(end["event"] == "error")
        let told = "\(end["message"]?.string ?? "") \(end["hint"]?.string ?? "")"
        for text in [refused["error"]?.string, refused["text"]?.string].compactMap(\.self) {
          #expect(told.contains(text), "\(told)")
        }
      }
    }
  }

  // MARK: Steps

  private func environment(_ signIn: ProviderSignIn) throws -> [String: String?] {
    ["https_proxy": try ProviderReplay.current().proxy(signIn)]
  }

  private func command(_ signIn: ProviderSignIn, _ tree: AgentTree) throws -> [String] {
    let services = try ProviderReplay.current()
    var command = try ["login"] + services.arguments(signIn) + ["--client-id", signIn.clientID, "--json"]
    command += ["--ca-file", services.authority, "--\(signIn.flow.rawValue)"]
    if signIn.flow == .browser { command.append("--no-open") }
    if let secret = signIn.secret {
      try tree.directory.write("home/secret", secret + "\n")
      command += ["--client-secret-file", tree.path("home/secret")]
    }
    return command
  }

  /// Signs in as a person would who approves everything, and returns the last event.
  private func run(_ signIn: ProviderSignIn, _ tree: AgentTree) throws -> JSON {
    let login = try tree.start(command(signIn, tree), environment(signIn))
    var event: JSON
    repeat {
      do {
        event = try JSON(parsing: Array(login.readLine().utf8))
      } catch {
        let report = try ProviderReplay.current().report(signIn)
        Issue.record("\(login.errorText); \(report)")
        throw error
      }
      if event["event"] == "browser" {
        let status = try browse(try #require(event["url"]?.string), signIn)
        if status != "200" {
          let report = try ProviderReplay.current().report(signIn)
          Issue.record("the browser ends at status \(status): \(report)")
          try login.signal(Signals.SIGINT)
        }
      }
    } while event["event"] != "signed_in" && event["event"] != "error"
    return event
  }

  /// The status of the page that the person's browser ends at.
  private func browse(_ url: String, _ signIn: ProviderSignIn) throws -> String {
    let services = try ProviderReplay.current()
    let curl = "curl -qsSL --max-time 10 -o /dev/null -w '%{http_code}' --noproxy 127.0.0.1,localhost"
    return try ProcessRunner.shell(
      "\(curl) --proxy \(services.proxy(signIn)) --cacert '\(services.authority)' '\(url)'"
    ).outputText
  }

  private func check(_ signIn: ProviderSignIn, _ tree: AgentTree) throws -> String? {
    try tree.json("status", "--check")["accounts"]?.array?.first?["check"]?.string
  }

  /// Refreshes twice, so that a refresh token that was replaced is replaced again.
  private func refresh(_ signIn: ProviderSignIn, _ expected: JSON, _ tree: AgentTree) throws {
    let first = try tree.token(signIn.account)
    guard expected["refresh"] == true else {
      #expect(try tree.token(signIn.account) == first)
      return
    }
    let tokens = try (0..<2).map { _ in try tree.token(signIn.account, "--force-refresh") }
    #expect(Set(tokens + [first]).count == 3)
  }
}
