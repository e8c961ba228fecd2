import Encoding
import Platform
import TestSupport
import Testing

/// A third-party authorization server, set up by scripts.
struct RealServer: Sendable {
  /// Raw values are the directories of the setup scripts.
  enum Name: String {
    case canaille = "Canaille"
    case djangoOAuthToolkit = "DjangoOAuthToolkit"
    case lemonLDAP = "LemonLDAP"
  }

  let issuer: String
  private let directory: TemporaryDirectory
  private let description: JSON

  @TaskLocal fileprivate static var running: RealServer?

  /// The instance of the running suite.
  static func current() throws -> RealServer { try #require(running, "the suite has no server") }

  fileprivate init(_ name: Name) throws {
    directory = try TemporaryDirectory()
    let up = try Self.script("up", name.rawValue, directory.path)
    try #require(up.succeeded, "\(up.errorText)")
    description = try JSON(parsing: directory.read("instance.json"))
    issuer = try #require(description["issuer"]?.string)
  }

  fileprivate func stop() throws {
    let process = Int32(clamping: try #require(description["pid"]?.int))
    let down = try Self.script("down", directory.path)
    #expect(down.succeeded, "\(down.errorText)")
    #expect(ProcessFiles.text("cmdline", of: process)?.contains(directory.path) != true, "the server goes on")
  }

  /// The directory of the scripts' state.
  var folder: String { directory.path }

  /// Writes a file to the scripts' directory.
  func write(_ name: String, _ bytes: [UInt8]) throws { try directory.write(name, bytes) }

  func text(_ member: String) throws -> String { try #require(description[member]?.string) }

  /// A redirect URI of the server's clients, if the server compares ports.
  func redirectURI(_ index: Int = 0) throws -> String {
    let uris = try #require(description["redirect_uris"]?.array)
    return try #require(uris[index].string)
  }

  /// A value of `BROWSER` that makes the user sign in and accept or refuse.
  func browser(_ word: String = "accept") -> String { "\(Self.path("browse")) \(word) \(folder)" }

  /// The arguments of a sign-in to `work`.
  func line(_ options: String...) -> [String] {
    ["login", "work", "--issuer", issuer, "--allow-http-loopback", "--json"] + options
  }

  static func path(_ script: String) -> String {
    PackageFiles.path("Tests/Servers/\(script)")
  }

  /// Uses the environment and home directory of the user who runs the tests, where pip and apt are configured.
  static func script(_ name: String, _ arguments: String...) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: path(name), arguments: arguments,
      environment: Environment.all().map { "\($0.0)=\($0.1)" })
  }

  /// Whether the server is installed, or required, so that a missing one fails the tests.
  fileprivate static func isThere(_ name: Name) -> Bool {
    guard Programs.folder != nil else { return false }
    let isDemanded = Environment.value("AGENT_DEMAND_SERVERS").map { !$0.isEmpty } ?? false
    let install = try? script("install", name.rawValue)
    return install?.succeeded == true || isDemanded
  }
}

/// Starts the server before a suite and stops it afterwards.
struct RealServerTrait: SuiteTrait, TestScoping {
  let name: RealServer.Name

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let server = try RealServer(name)
    do {
      try await RealServer.$running.withValue(server) { try await function() }
    } catch {
      try server.stop()
      throw error
    }
    try server.stop()
  }
}

extension Trait where Self == RealServerTrait {
  /// Runs the suite with a server, which must be installed; see ``needs(_:)``.
  static func with(_ name: RealServer.Name) -> Self { RealServerTrait(name: name) }
}

extension Trait where Self == ConditionTrait {
  static func needs(_ name: RealServer.Name) -> Self {
    .enabled(
      if: RealServer.isThere(name),
      "\(name.rawValue) cannot be installed; with AGENT_DEMAND_SERVERS=1 that fails instead")
  }
}
