import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `agent verify` {
  private static let now = 1_795_251_600

  @Test(arguments: [
    (
      #"{"valid":true,"header":{"alg":"RS256","kid":"k1"},"claims":{"iss":"https://a","sub":"s","exp":1795252320}}"#,
      "valid: RS256, key k1, issuer https://a, subject s, expires in 12 minutes\n"
    ),
    (#"{"valid":true,"header":{"alg":"ES256"},"claims":{}}"#, "valid: ES256, never expires\n"),
    (
      #"{"valid":true,"header":{"alg":"ES256"},"payload":""}"#,
      "valid: ES256, nothing but the signature was checked\n"
    ),
    (
      #"{"valid":false,"code":"bad_signature","message":"it does not fit"}"#,
      "not valid (bad_signature): it does not fit\n"
    ),
    (
      #"{"valid":true,"header":{"alg":"RS256","kid":"\u001b[31m\nx"},"claims":{"sub":"\u202e"}}"#,
      "valid: RS256, key [31mx, subject , never expires\n"
    ),
  ]) func `tells each verdict on a line`(verdict: String, text: String) throws {
    var line: [UInt8] = []
    VerdictText.append(Array(verdict.utf8).span, now: Self.now, to: &line)
    #expect(String(decoding: line, as: UTF8.self) == text)
  }

  /// Responds to a request with these results and this last line.
  private func run(
    _ arguments: [String], results: String, _ reply: Reply, input: String = "token"
  ) throws -> (ProcessResult, VerifyRequest?, String) {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let seen = Monitor<(VerifyRequest?, String)>((nil, ""))
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (envelope, passed) = try? conversation.receiveAll(),
        case .verify(let request) = envelope.request, passed.count == 2
      else { return }
      let tokens = (try? passed[0].descriptor.readToEnd(limit: 1000)) ?? []
      seen.withLock { $0 = (request, String(decoding: tokens, as: UTF8.self)) }
      try? passed[1].descriptor.writeAll(Array(results.utf8).span)
      try? conversation.send(reply)
    }
    let result = try program.run(["verify"] + arguments, input: Array(input.utf8))
    let (request, tokens) = seen.withLock { $0 }
    return (result, request, tokens)
  }

  private static func tally(_ tokens: Int, _ invalid: Int, _ undecided: Int = 0) -> Reply {
    .result(JSONObject([("tokens", .int(tokens)), ("not_valid", .int(invalid)), ("undecided", .int(undecided))]))
  }

  private static let good = #"{"valid":true,"header":{"alg":"RS256"},"claims":{}}"# + "\n"
  private static let bad = #"{"valid":false,"code":"bad_signature","message":"m"}"# + "\n"

  @Test func `hands the tokens over and tells what comes back`() throws {
    let (result, request, tokens) = try run(
      ["--json"], results: Self.good + Self.bad, Self.tally(2, 1), input: "a\nb\n")
    #expect(result.status == .exited(7) && result.outputText == Self.good + Self.bad && result.error == [])
    #expect(request == VerifyRequest() && tokens == "a\nb\n")
  }

  @Test(arguments: [(0, 0, Int32(0)), (1, 0, 7), (2, 1, 7), (2, 2, 4)])
  func `exits with what came of them`(invalid: Int, undecided: Int, status: Int32) throws {
    let lines = String(repeating: Self.good, count: 3)
    let (result, _, _) = try run([], results: lines, Self.tally(3, invalid, undecided))
    #expect(result.status == .exited(status) && result.lines.count == 3)
  }

  @Test func `asks for what the command line says`() throws {
    let (_, request, _) = try run(
      [
        "--issuer", "https://id.example.com", "--audience", "a", "--audience", "b", "--algorithms", "RS256,ES256",
        "--algorithms", "EdDSA",
        "--type", "at+jwt", "--clock-skew", "5m", "--ca-file", "/ca.pem", "--allow-http-loopback",
      ], results: Self.good, Self.tally(1, 0))
    var expected = VerifyRequest()
    expected.issuer = "https://id.example.com"
    expected.settings.caFile = "/ca.pem"
    expected.settings.allowHTTPLoopback = true
    expected.audiences = ["a", "b"]
    expected.algorithms = ["RS256", "ES256", "EdDSA"]
    expected.type = "at+jwt"
    expected.clockSkew = 300
    expected.brief = true
    #expect(request == expected)
    let (_, other, _) = try run(["--account", "work", "--signature-only"], results: Self.good, Self.tally(1, 0))
    expected = VerifyRequest()
    expected.account = "work"
    expected.signatureOnly = true
    expected.brief = true
    #expect(other == expected)
  }

  @Test func `tells a failure as one`() throws {
    let (result, _, _) = try run([], results: "", .failure(Failure(.network, "no answer")))
    #expect(result.status == .exited(4) && result.output == [])
    #expect(result.errorText == "agent: error: no answer\n")
  }

  @Test func `wants a token`() throws {
    let (result, _, _) = try run([], results: "", Self.tally(0, 0))
    #expect(result.status == .exited(2) && result.errorText.contains("the input contains no token"))
  }

  @Test func `notices when results are missing`() throws {
    let (result, _, _) = try run([], results: Self.good, Self.tally(2, 0))
    #expect(result.status == .exited(4) && result.errorText.contains("before the answer was complete"))
  }

  @Test(arguments: [
    (["--jwks", "-"], "standard input cannot contain both the keys and the tokens"),
    (["--jwks", "k", "--issuer", "https://x", "--signature-only"], "checks no claims, so --issuer cannot be used"),
    (["--jwks", "k", "--issuer", "https://x", "--ca-file", "c"], "--ca-file cannot be used"),
    (["--jwks", "k", "--account", "x"], "--account cannot be used"),
    (["--ca-file", "k"], "--ca-file can be used only with --issuer"),
    (["--allow-http-loopback"], "--allow-http-loopback can be used only with --issuer"),
    (["a", "b"], "unexpected argument \"b\""),
  ])
  func `refuses what does not go together`(arguments: [String], message: String) throws {
    let result = try AgentProgram().run(["verify"] + arguments)
    #expect(result.status == .exited(2) && result.errorText.contains(message), "\(result.errorText)")
  }
}
