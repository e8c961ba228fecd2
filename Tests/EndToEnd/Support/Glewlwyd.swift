import Encoding
import Platform
import TestSupport
import Testing

/// A running Glewlwyd, set up by scripts.
struct Glewlwyd: Sendable {
  let issuer: String
  /// The server's certificate authority, as a file.
  let authority: String
  private let directory: TemporaryDirectory
  private let description: JSON

  @TaskLocal fileprivate static var running: Glewlwyd?

  static func current() throws -> Glewlwyd { try #require(running, "the suite has no server") }

  /// - Parameter settings: Variables for the script `up`.
  fileprivate init(_ settings: [String]) throws {
    directory = try TemporaryDirectory()
    let up = try Self.script("up", directory.path, settings: settings)
    try #require(up.succeeded, "\(up.errorText)")
    description = try JSON(parsing: directory.read("instance.json"))
    issuer = try #require(description["issuer"]?.string)
    authority = try #require(description["ca_file"]?.string)
  }

  fileprivate func stop() throws {
    let process = Int32(clamping: try #require(description["pid"]?.int))
    let down = try Self.script("down", directory.path)
    #expect(down.succeeded, "\(down.errorText)")
    #expect(ProcessFiles.text("cmdline", of: process)?.contains(directory.path) != true, "the server goes on")
  }

  /// The public client whose ID Tokens are signed with an algorithm.
  func clientID(for algorithm: String) throws -> String {
    try #require(description["client_ids"]?[algorithm]?.string)
  }

  /// The public client that gets only DPoP-bound tokens (RFC 9449 section 5.2).
  func boundClientID() throws -> String { try #require(description["bound_client_id"]?.string) }

  func confidentialClient() throws -> (id: String, secret: String) {
    let id = try #require(description["confidential_client_id"]?.string)
    return (id, try #require(description["confidential_client_secret"]?.string))
  }

  /// The client that signs in with a browser, and its redirect URIs.
  func browserClient() throws -> (id: String, redirectURIs: [String]) {
    let uris = try #require(description["redirect_uris"]?.array).compactMap { $0.string }
    return (try #require(description["browser_client_id"]?.string), uris)
  }

  /// The directory of the scripts' state.
  var folder: String { directory.path }

  /// A value of `BROWSER` that makes the user sign in, consent, and return.
  var browser: String { "\(Self.folder)/browse \(directory.path)" }

  /// The pin of the server's key in libcurl's format: the SHA-256 hash of the SubjectPublicKeyInfo (RFC 7469 section
  /// 2.4).
  func pin() throws -> String {
    let line = """
      openssl x509 -in '\(directory.path("server.crt"))' -pubkey -noout | openssl pkey -pubin -outform DER |
        openssl dgst -sha256 -binary | openssl base64 -A
      """
    return "sha256//" + (try ProcessRunner.shell(line).outputText)
  }

  /// Signs in to `work`, approves like a user, and returns the last event.
  func signIn(_ tree: AgentTree, clientID: String? = nil, _ options: String...) throws -> JSON {
    let client = try clientID ?? self.clientID(for: "RS256")
    return try signIn(tree, ["--client-id", client] + options)
  }

  /// Signs in with a client that the options name or register.
  func signIn(_ tree: AgentTree, _ options: [String]) throws -> JSON {
    let login = try tree.start(
      ["login", "work", "--issuer", issuer, "--ca-file", authority, "--device", "--json"] + options)
    var code: JSON
    do {
      repeat { code = try JSON(parsing: Array(login.readLine().utf8)) } while code["event"] == "notice"
    } catch {
      Issue.record("\(login.errorText)")
      throw error
    }
    let approval = try Self.script("approve", directory.path, try #require(code["user_code"]?.string))
    try #require(approval.succeeded, "\(approval.errorText)")
    let end = try JSON(parsing: Array(login.readLine().utf8))
    try #require(try login.wait() == .exited(0), "\(login.errorText)")
    return end
  }

  private static var folder: String {
    PackageFiles.path("Tests/Servers/Glewlwyd")
  }

  private static func script(_ name: String, _ arguments: String..., settings: [String] = []) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: "\(folder)/\(name)", arguments: arguments,
      environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent"] + settings,
      timeout: .seconds(300))
  }

  fileprivate static let isInstalled = (try? FileDescriptor(opening: "/usr/bin/glewlwyd", for: .reading)) != nil
}

/// Starts the server before a suite and stops it afterwards.
struct GlewlwydTrait: SuiteTrait, TestScoping {
  /// Variables for the script `up`.
  let settings: [String]

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let server = try Glewlwyd(settings)
    do {
      try await Glewlwyd.$running.withValue(server) { try await function() }
    } catch {
      try server.stop()
      throw error
    }
    try server.stop()
  }
}

extension Trait where Self == GlewlwydTrait {
  static var withGlewlwyd: Self { GlewlwydTrait(settings: []) }

  /// Sets variables for the server's script `up`.
  static func withGlewlwyd(_ settings: String...) -> Self { GlewlwydTrait(settings: settings) }
}

extension Trait where Self == ConditionTrait {
  static var needsGlewlwyd: Self {
    .enabled(if: Glewlwyd.isInstalled, "Glewlwyd is not installed; \"make deps-check\" installs it")
  }
}
