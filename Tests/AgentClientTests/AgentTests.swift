import Platform
import Synchronization
import TestSupport
import Testing
import Wire

@testable import AgentClient

/// The library against answers that are written down; EndToEndTests has it against the real agent.
@Suite struct `An open connection to the agent` {
  /// A socket where each connection in turn reads one line and answers with the lines given, then hangs up.
  private static func serve(
    _ connections: [[String]], _ body: (_ path: String, _ requests: () -> [String]) throws -> Void
  ) throws {
    let directory = try TemporaryDirectory()
    try withExtendedLifetime(directory) {
      let place = try directory.open()
      let listener = SharedDescriptor(try UnixSocket.listen(in: place, name: "agent.sock", backlog: 8))
      let requests = Mutexed<[String]>([])
      Signals.ignoreFailingWrites()
      try Threads.start(name: "agent") {
        for answers in connections {
          guard (try? listener.descriptor.waitUntilReadable(timeout: .seconds(20))) == true,
            let socket = try? UnixSocket.accept(listener.descriptor), (try? socket.setNonBlocking(false)) != nil
          else { return }
          for answer in answers {
            var line: [UInt8] = []
            while line.last != UInt8(ascii: "\n") {
              guard let count = try? socket.read(into: &line, upTo: 1), count > 0 else { return }
            }
            requests.value.withLock { $0.append(String(decoding: line.dropLast(), as: UTF8.self)) }
            try? socket.writeAll(Array((answer + "\n").utf8).span)
          }
        }
      }
      try body(directory.path("agent.sock")) { requests.value.withLock { $0 } }
    }
  }

  private final class Mutexed<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  private static let answer =
    #"{"v":1,"result":{"account":"work","issuer":"https://id.example","subject":"ann","access_token":"s3cret","#
    + #""token_type":"Bearer","scope":"openid mail","expires_at":1700000000,"#
    + #""claims":{"roles":["a","b"],"level":3,"score":1.5,"admin":true,"org":{"id":"x"},"none":null}}}"#

  @Test func `gives a token with its session`() throws {
    let progress = #"{"v":1,"event":"notice","message":"wait"}"#
    try Self.serve([["\(progress)\n\(Self.answer)"]]) { path, requests in
      var agent = try Agent(socket: path)
      var options = TokenOptions(minimumValidity: .milliseconds(60_001), forcesRefresh: true)
      options.scope = ["mail"]
      options.resources = ["https://api.example"]
      options.audience = "api"
      options.timeout = .seconds(7)
      let token = try agent.token(for: "work", options)
      #expect(token.revealedAuthorization() == "Bearer s3cret")
      #expect(token.withBytes { $0.count } == 6)
      let expected = Session(
        account: "work", issuer: "https://id.example", subject: "ann",
        claims: [
          "roles": .list([.text("a"), .text("b")]), "level": .integer(3), "score": .number("1.5"),
          "admin": .boolean(true), "org": .object(["id": .text("x")]), "none": .null,
        ], scope: ["openid", "mail"], expiresAt: 1_700_000_000)
      #expect(token.session == expected)
      #expect(token.session.claims["roles"]?.texts == ["a", "b"])
      #expect(
        requests() == [
          #"{"v":1,"request":"token","account":"work","min_valid":61,"force_refresh":true,"scope":["mail"],"#
            + #""resource":["https://api.example"],"audience":"api","claims":true,"timeout":7}"#
        ])
    }
  }

  static let failures: [(String, AgentError.Remedy)] = [
    ("session_expired", .signIn), ("no_account", .signIn), ("network", .tryLater), ("too_busy", .tryLater),
    ("locked", .unlock), ("invalid_configuration", .fixConfiguration), ("foreign_device", .fixConfiguration),
    ("storage", .fixConfiguration), ("access_denied", .none), ("invalid_request", .fixProgram),
    ("internal_error", .none),
  ]

  @Test(arguments: failures) func `tells what helps`(code: String, remedy: AgentError.Remedy) throws {
    let line = #"{"v":1,"error":{"code":"\#(code)","message":"so it is","hint":"agent help"}}"#
    try Self.serve([[line]]) { path, _ in
      var agent = try Agent(socket: path)
      var thrown: AgentError?
      do throws(AgentError) { _ = try agent.token() } catch { thrown = error }
      #expect(thrown == AgentError(remedy, code: code, message: "so it is", hint: "agent help"))
    }
  }

  @Test func `is made anew when the agent hung up meanwhile, once`() throws {
    try Self.serve([[Self.answer], [Self.answer], []]) { path, requests in
      var agent = try Agent(socket: path)
      for _ in 0..<2 { #expect(try agent.token().revealed() == "s3cret") }
      #expect(requests().count == 2)
      var thrown: AgentError?
      do throws(AgentError) { _ = try agent.token() } catch { thrown = error }
      #expect(thrown?.remedy == .tryLater && thrown?.code == "daemon_unavailable")
    }
  }

  @Test func `is refused where nobody listens, or the path is none`() throws {
    let directory = try TemporaryDirectory()
    withExtendedLifetime(directory) {
      var errors: [AgentError] = []
      for path in [directory.path("agent.sock"), "/nonexistent/agent.sock", "agent.sock"] {
        do throws(AgentError) { _ = try Agent(socket: path) } catch { errors.append(error) }
      }
      let missing = AgentError(
        .tryLater, code: "daemon_unavailable", message: "the daemon is not running", hint: "agent daemon start")
      let wrong = AgentError(
        .fixProgram, code: "invalid_request", message: "the path of the socket is not absolute")
      #expect(errors == [missing, missing, wrong])
    }
  }

  @Test func `keeps the numbers of a request within what the agent takes`() {
    #expect(TokenOptions(minimumValidity: .seconds(1_000_000)).request(for: nil).minimumValiditySeconds == 86_400)
    #expect(TokenOptions(minimumValidity: .seconds(-5)).request(for: nil).minimumValiditySeconds == 0)
    #expect(TokenOptions(minimumValidity: .nanoseconds(1)).request(for: nil).minimumValiditySeconds == 1)
    var options = TokenOptions()
    options.timeout = .zero
    #expect(options.timeoutSeconds == 1)
    options.timeout = .seconds(Int64.max)
    #expect(options.timeoutSeconds == 3600)
  }
}
