import Encoding
import Platform
import TestSupport
import Testing

/// The services of `Tests/Providers`, each under its own names behind a proxy of the tests.
final class ProviderReplay: Sendable {
  private let directory: TemporaryDirectory
  private let process: RunningProcess
  /// One sign-in is named and answered at a time.
  private let turn = Monitor(())

  @TaskLocal fileprivate static var running: ProviderReplay?

  fileprivate init() throws {
    directory = try TemporaryDirectory()
    process = try RunningProcess(executable: Self.program, arguments: ["serve", directory.path])
    let first = try? process.readLine()
    try #require(first == "ready", "\(process.errorText)")
  }

  /// Plays the service of a sign-in anew, for one test.
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

  /// The program is in the folder beside the one of these tests.
  fileprivate static var program: String {
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Providers/replay"
  }

  fileprivate static let areToolsThere =
    (try? ProcessRunner.shell("python3 -c 'import ssl' && openssl version"))?.succeeded == true
}

/// A service that is played for one test.
struct ReplayedService: Sendable {
  let signIn: ProviderSignIn
  /// The certificate authority of all hosts.
  let authority: String
  fileprivate let port: UInt16
  fileprivate let redirectPort: UInt16

  /// The proxy behind which the service is.
  var proxy: String { "http://127.0.0.1:\(port)" }

  /// The variables of a sign-in there.
  var environment: [String: String?] { ["https_proxy": proxy] }

  /// What a person types, with a free port where the redirect URI is registered with one.
  var arguments: [String] {
    signIn.arguments.map { argument in
      argument.split(separator: "${port}", omittingEmptySubsequences: false).joined(separator: "\(redirectPort)")
    }
  }

  /// What the service got, and what it refused.
  func report() throws -> (seen: [String], refusals: [String]) {
    let report = try JSON(parsing: PlainHTTP.get(port: port, "/").body)
    return (report["seen"]?.array?.compactMap(\.string) ?? [], report["refusals"]?.array?.compactMap(\.string) ?? [])
  }

  /// Lets the service forget its refresh tokens.
  func endSessions() throws { _ = try PlainHTTP.get(port: port, "/end") }
}

/// A sign-in at one of the services.
struct ProviderSignIn: Sendable, CustomTestStringConvertible {
  enum Flow: String, Sendable {
    case device, browser
  }

  /// The service's file and the sign-in's name in it.
  let name: String
  let flow: Flow
  let account: String
  /// What a person types after `agent login`, but for the client.
  let arguments: [String]
  let clientID: String
  /// The client secret, for a person who gives it.
  let secret: String?
  /// What is to be seen afterwards.
  let expected: JSON?
  /// What the refusal says, for a sign-in that fails.
  let refused: JSON?
  /// The API that asks for claims, for a sign-in that is followed by another one.
  let challenged: String?
  /// Whether the first session's tokens are revoked when the person signs in a second time; nil for one sign-in.
  let revokesAgain: Bool?

  var testDescription: String { name }
  /// The service's file.
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

  /// Those of all services, as the program lists them.
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

/// Starts the services before the first test of a suite and stops them after the last.
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
