import Encoding
import Platform
import TestSupport
import Testing

/// The services of `Tests/Providers`, each under its own names behind a proxy of the tests.
struct ProviderReplay: Sendable {
  /// The certificate authority of all their hosts.
  let authority: String
  private let directory: TemporaryDirectory
  private let process: RunningProcess
  private let ports: JSON

  @TaskLocal fileprivate static var running: ProviderReplay?

  /// The instance of the suite that runs.
  static func current() throws -> ProviderReplay { try #require(running, "the suite has no services") }

  fileprivate init() throws {
    directory = try TemporaryDirectory()
    authority = directory.path("ca.pem")
    process = try RunningProcess(executable: Self.program, arguments: ["serve", directory.path])
    do {
      ports = try JSON(parsing: Array(process.readLine().utf8))
    } catch {
      Issue.record("\(process.errorText)")
      throw error
    }
  }

  /// The proxy behind which the service of a sign-in is.
  func proxy(_ signIn: ProviderSignIn) throws -> String {
    "http://127.0.0.1:\(try port("proxy", signIn))"
  }

  /// What a person types for a sign-in, with a free port where the redirect URI is registered with one.
  func arguments(_ signIn: ProviderSignIn) throws -> [String] {
    let port = try port("redirect", signIn)
    return signIn.arguments.map {
      $0.split(separator: "${port}", omittingEmptySubsequences: false).joined(separator: "\(port)")
    }
  }

  private func port(_ name: String, _ signIn: ProviderSignIn) throws -> UInt16 {
    try #require(ports[signIn.name]?[name]?.int.flatMap { UInt16(exactly: $0) })
  }

  /// What the service of a sign-in got, and what it refused.
  func report(_ signIn: ProviderSignIn) throws -> (seen: [String], refusals: [String]) {
    let report = try JSON(parsing: PlainHTTP.get(port: port("proxy", signIn), "/").body)
    return (report["seen"]?.array?.compactMap(\.string) ?? [], report["refusals"]?.array?.compactMap(\.string) ?? [])
  }

  /// The program is in the folder beside the one of these tests.
  fileprivate static var program: String {
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Providers/replay"
  }

  fileprivate static let areToolsThere =
    (try? ProcessRunner.shell("python3 -c 'import ssl' && openssl version"))?.succeeded == true
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

  var testDescription: String { name }

  private init(_ data: JSON) throws {
    name = try #require(data["name"]?.string)
    flow = try #require(data["flow"]?.string.flatMap(Flow.init), "\(name)")
    account = data["account"]?.string ?? "work"
    arguments = try #require(data["arguments"]?.array, "\(name)").compactMap(\.string)
    clientID = try #require(data["client"]?["id"]?.string)
    secret = data["gives_secret"]?.bool == true ? data["client"]?["secret"]?.string : nil
    expected = data["expect"]
    refused = data["refused"]
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
