import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `agent proof` {
  private static func answer(_ proof: String?, tokenType: String = "DPoP") -> [UInt8] {
    var line: [UInt8] = []
    TokenDescription(
      account: "work", issuer: "https://id.example.com", subject: nil, tokenType: tokenType, scope: nil, expiresAt: 17
    ).appendAnswer(accessToken: Array("secret-token".utf8).span, proof: proof, to: &line)
    return line
  }

  private static func plain(_ proof: String) -> [UInt8] {
    Reply.result(JSONObject([("account", "work"), ("dpop", .string(proof))])).serialized()
  }

  private func run(_ arguments: [String], _ answer: [UInt8]) throws -> ProcessResult {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([answer])
    return try program.run(["proof"] + arguments)
  }

  @Test func `prints the proof alone, as JSON, and as header lines with the token`() throws {
    let line = ["GET", "https://api.example/me"]
    let bare = try run(line, Self.plain("eyJ.a.b"))
    #expect(bare == ProcessResult(status: .exited(0), output: Array("eyJ.a.b\n".utf8), error: []))
    let json = try run(line + ["--json"], Self.plain("eyJ.a.b"))
    #expect(json.outputText == #"{"account":"work","dpop":"eyJ.a.b"}"# + "\n")
    let header = try run(line + ["--header"], Self.answer("eyJ.a.b"))
    #expect(header.outputText == "Authorization: DPoP secret-token\nDPoP: eyJ.a.b\n")
    #expect(header.succeeded && header.errorText == "")
  }

  @Test func `asks for what the command line says`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start([
      "proof", "POST", "https://api.example/me", "--account", "work", "--nonce", "n-1", "--header",
    ])
    let conversation = try daemon.accept()
    let expected = ProofRequest(
      account: "work", method: "POST", url: "https://api.example/me", nonce: "n-1", wantsAccessToken: true)
    #expect(try conversation.receive().0 == RequestEnvelope(.proof(expected)))
    try conversation.send(Self.answer("p"))
    #expect(try running.wait() == .exited(0))
  }

  @Test(arguments: ["", "a b", "a\nX-Injected: 1", "\u{1B}[31m", "é"])
  func `prints nothing that could end a header`(proof: String) throws {
    for (options, answer) in [([], Self.plain(proof)), (["--header"], Self.answer(proof))] {
      let result = try run(["GET", "https://api.example"] + options, answer)
      #expect(result.status == .exited(1) && result.output == [], "\(options)")
    }
  }

  @Test func `prints nothing when the token's answer has no proof`() throws {
    let result = try run(["GET", "https://api.example", "--header"], Self.answer(nil))
    #expect(result.status == .exited(1) && result.output == [])
  }

  @Test func `fails as the daemon says`() throws {
    let failure = Failure(.missingValue, "not bound", hint: "agent login work --dpop")
    let result = try run(["GET", "https://api.example"], Reply.failure(failure).serialized())
    #expect(result.status == .exited(1) && result.output == [])
    #expect(result.errorText == "agent: error: not bound\nagent: hint: agent login work --dpop\n")
  }

  @Test(arguments: [[], ["GET", "https://x", "more"], ["GET", "https://x", "--header", "--json"]])
  func `wants a URL, at most a method before it, and one form`(arguments: [String]) throws {
    let result = try AgentProgram().run(["proof"] + arguments)
    #expect(result.status == .exited(2) && result.output == [])
  }
}
