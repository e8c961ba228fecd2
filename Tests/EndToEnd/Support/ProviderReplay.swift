import Encoding
import Platform
import TestSupport
import Testing

/// The services of `Tests/Servers/Providers`, simulated under their own host names behind a proxy.
final class ProviderReplay: Sendable {
  private let directory: TemporaryDirectory
  private let process: RunningProcess
  /// A lock: one sign-in is selected and served at a time.
  private let turn = Monitor(())

  @TaskLocal fileprivate static var running: ProviderReplay?

  fileprivate init() throws {
    directory = try TemporaryDirectory()
    process = try RunningProcess(executable: Self.program, arguments: ["serve", directory.path])
    let first = try? process.readLine()
    try #require(first == "ready", "\(process.errorText)")
  }

  /// Restarts a sign-in's simulated service, for one test.
  static func play(_ signIn: ProviderSignIn) throws -> ReplayedService {
    let replay = try #require(running, "the suite has no services")
    let ports = try replay.turn.withLock { _ in
      try replay.process.send(signIn.name + "\n")
      return try JSON(parsing: Array(replay.process.readLine().utf8))
    }
    func port(_ name: String) throws -> UInt16 { try #require(ports[name]?.int.flatMap { UInt16(exactly: $0) }) }
    return ReplayedService(
      signIn: signIn, authority: replay.directory.path("ca.pem"), port: try port("proxy"),
      redirectPort: try port("redirect"))
  }

  fileprivate static var program: String {
    PackageFiles.path("Tests/Servers/Providers/replay")
  }

  fileprivate static let areToolsThere =
    (try? ProcessRunner.shell("python3 -c 'import ssl' && openssl version"))?.succeeded == true
}

/// A service simulated for one test.
struct ReplayedService: Sendable {
  let signIn: ProviderSignIn
  /// The file of the certificate authority for all hosts.
  let authority: String
  fileprivate let port: UInt16
  fileprivate let redirectPort: UInt16

  var proxy: String { "http://127.0.0.1:\(port)" }

  var environment: [String: String?] { ["https_proxy": proxy] }

  /// The user's command line, with a free port if the redirect URI has one.
  var arguments: [String] {
    signIn.arguments.map { argument in
      argument.split(separator: "${port}", omittingEmptySubsequences: false).joined(separator: "\(redirectPort)")
    }
  }

  /// The requests that the service received, and those that it rejected.
  func report() throws -> (seen: [String], refusals: [String]) {
    let report = try JSON(parsing: PlainHTTP.get(port: port, "/").body)
    return (report["seen"]?.array?.compactMap(\.string) ?? [], report["refusals"]?.array?.compactMap(\.string) ?? [])
  }

  func endSessions() throws { _ = try PlainHTTP.get(port: port, "/end") }
}

/// A sign-in at one of the services.
struct ProviderSignIn: Sendable, CustomTestStringConvertible {
  enum Flow: String, Sendable {
    case device, browser
  }

  /// The name of the service's file and the sign-in's name in it.
  let name: String
  let flow: Flow
  let account: String
  /// The user's arguments of `agent login`, without those for the client.
  let arguments: [String]
  let clientID: String
  /// The client secret, if the user enters one.
  let secret: String?
  let expected: JSON?
  /// The expected message, for a sign-in that fails.
  let refused: JSON?
  /// The API to request with additional claims, for a sign-in that another one follows.
  let challenged: String?
  /// Whether a second sign-in of the user revokes the first session's tokens; nil if there is only one.
  let revokesAgain: Bool?

  var testDescription: String { name }
  /// The name of the service's file.
  var service: Substring { name.prefix { $0 != "," } }

  private init(_ data: JSON) throws {
    name = try #require(data["name"]?.string)
    flow = try #require(data["flow"]?.string.flatMap(Flow.init), "\(name)")
    account = data["account"]?.string ?? "work"
    arguments = try #require(data["arguments"]?.array, "\(name)").compactMap(\.string)
    clientID = try #require(data["client"]?["id"]?.string)
    secret = data["gives_secret"]?.bool == true ? data["client"]?["secret"]?.string : nil
    expected = data["expect"]
    refused = data["refused"]
    challenged = data["challenged"]?.string
    revokesAgain = data["again"].map { $0 == "revokes" }
  }

  static let all: [ProviderSignIn] = {
    guard ProviderReplay.areToolsThere else { return [] }
    do {
      let list = try ProcessRunner.run(executable: ProviderReplay.program, arguments: ["list"])
      try #require(list.succeeded, "\(list.errorText)")
      return try JSON(parsing: list.output).array?.map { try ProviderSignIn($0) } ?? []
    } catch {
      fatalError("the services cannot be read: \(error)")
    }
  }()
}

/// Starts the services before a suite and stops them afterwards.
struct ProviderReplayTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await ProviderReplay.$running.withValue(ProviderReplay()) { try await function() }
  }
}

extension Trait where Self == ProviderReplayTrait {
  static var withProviderReplay: Self { ProviderReplayTrait() }
}

extension Trait where Self == ConditionTrait {
  static var needsProviderReplay: Self {
    .enabled(
      if: ProviderReplay.areToolsThere, "python3 and openssl play the services; \"make deps-check\" installs them")
  }
}
