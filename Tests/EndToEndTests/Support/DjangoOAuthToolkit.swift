import Encoding
import Platform
import TestSupport
import Testing

/// A running django-oauth-toolkit, set up by the scripts beside these tests.
struct DjangoOAuthToolkit: Sendable {
  let issuer: String
  private let directory: TemporaryDirectory
  private let description: JSON

  @TaskLocal fileprivate static var running: DjangoOAuthToolkit?

  /// The instance of the suite that runs.
  static func current() throws -> DjangoOAuthToolkit { try #require(running, "the suite has no server") }

  fileprivate init() throws {
    directory = try TemporaryDirectory()
    let up = try Self.script("up", directory.path)
    try #require(up.succeeded, "\(up.errorText)")
    description = try JSON(parsing: directory.read("instance.json"))
    issuer = try #require(description["issuer"]?.string)
  }

  /// Ends the server.
  fileprivate func stop() throws {
    let process = Int32(clamping: try #require(description["pid"]?.int))
    let down = try Self.script("down", directory.path)
    #expect(down.succeeded, "\(down.errorText)")
    #expect(ProcessFiles.text("cmdline", of: process)?.contains(directory.path) != true, "the server goes on")
  }

  /// Where its scripts keep what they know of it.
  var folder: String { directory.path }

  /// What its metadata does not name.
  func deviceEndpoint() throws -> String {
    try #require(description["device_authorization_endpoint"]?.string)
  }

  func clientSecret() throws -> String { try #require(description["client_secret"]?.string) }

  /// A value of `BROWSER`: the user signs in and does what the word says, "browse" or "refuse".
  func browser(_ word: String) -> String { "\(Self.scripts)/user \(directory.path) \(word)" }

  /// The arguments of a sign-in to the account `work`.
  func line(_ client: String, _ options: String...) -> [String] {
    ["login", "work", "--issuer", issuer, "--client-id", client, "--allow-http-loopback", "--json"] + options
  }

  /// The arguments of a sign-in with a browser.
  func codeLine() throws -> [String] {
    line("public-code", "--browser", "--redirect-uri", try #require(description["redirect_uri"]?.string))
      + ["--revocation-endpoint", "\(issuer)/revoke_token/"]
  }

  /// Signs in by device code; the user approves or denies. Returns the last event, and the notices before it.
  func signIn(
    _ tree: AgentTree, _ client: String, _ verdict: String = "approve", _ options: String...
  ) throws -> (event: JSON, notices: [JSON], status: Platform.ExitStatus) {
    let login = try tree.start(
      line(client, "--device", "--device-authorization-endpoint", try deviceEndpoint(), "--scope", "read") + options)
    let code = try JSON(parsing: Array(login.readLine().utf8))
    let user = try Self.script("user", directory.path, verdict, try #require(code["user_code"]?.string))
    try #require(user.succeeded, "\(user.errorText)")
    var event = try JSON(parsing: Array(login.readLine().utf8))
    var notices: [JSON] = []
    while event["event"] == "notice" {
      notices.append(try #require(event["message"]))
      event = try JSON(parsing: Array(login.readLine().utf8))
    }
    return (event, notices, try login.wait())
  }

  /// The scripts are in the folder beside the one of these tests.
  private static var scripts: String {
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/DjangoOAuthToolkit"
  }

  /// pip is set up in the environment and the home of whoever runs the tests.
  private static func script(
    _ name: String, _ arguments: String..., timeout: Duration = .seconds(600)
  ) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: "\(scripts)/\(name)", arguments: arguments,
      environment: Environment.all().map { "\($0.0)=\($0.1)" }, timeout: timeout)
  }

  /// Whether pip has installed it, now or earlier, or it is demanded, so that a failure is one of the tests.
  fileprivate static let isThere: Bool = {
    guard Programs.folder != nil else { return false }
    let isDemanded = Environment.value("AGENT_DEMAND_DJANGO_OAUTH_TOOLKIT").map { !$0.isEmpty } ?? false
    let install = try? script("install", timeout: .seconds(600))
    return install?.succeeded == true || isDemanded
  }()
}

/// Starts the server before the first test of a suite and stops it after the last.
struct DjangoOAuthToolkitTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let server = try DjangoOAuthToolkit()
    do {
      try await DjangoOAuthToolkit.$running.withValue(server) { try await function() }
    } catch {
      try server.stop()
      throw error
    }
    try server.stop()
  }
}

extension Trait where Self == DjangoOAuthToolkitTrait {
  static var withDjangoOAuthToolkit: Self { DjangoOAuthToolkitTrait() }
}

extension Trait where Self == ConditionTrait {
  static var needsDjangoOAuthToolkit: Self {
    .enabled(
      if: DjangoOAuthToolkit.isThere,
      "pip cannot install django-oauth-toolkit; with AGENT_DEMAND_DJANGO_OAUTH_TOOLKIT=1 that fails instead")
  }
}
