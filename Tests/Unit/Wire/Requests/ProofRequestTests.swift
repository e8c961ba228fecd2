import Encoding
import Testing
import Wire
import WireSupport

@Suite struct `A request for a proof` {
  static let all = [
    ProofRequest(method: "GET", url: "https://api.example/me"),
    ProofRequest(
      account: "work", method: "DELETE", url: "https://api.example/x?y=z", nonce: "n-1", wantsAccessToken: true),
  ]

  @Test(arguments: all) func `is read back as it was written`(request: ProofRequest) throws {
    let envelope = RequestEnvelope(.proof(request), timeoutSeconds: 9)
    #expect(try RequestEnvelope(parsing: envelope.serialized().span) == envelope)
  }

  @Test func `is written as the protocol documents it`() {
    #expect(
      Self.all.map { String(decoding: RequestEnvelope(.proof($0)).serialized(), as: UTF8.self) } == [
        #"{"v":1,"request":"proof","method":"GET","url":"https://api.example/me"}"# + "\n",
        #"{"v":1,"request":"proof","account":"work","method":"DELETE","url":"https://api.example/x?y=z","#
          + #""nonce":"n-1","access_token":true}"# + "\n",
      ])
  }

  @Test(arguments: [
    (#""method":"GET""#, "url"), (#""url":"https://x""#, "method"), (#""method":null,"url":"https://x""#, "method"),
  ])
  func `must name a method and a URL`(members: String, missing: String) {
    expect(throws: Failure.invalid("the request needs the member \"\(missing)\"")) {
      try parse(#"{"v":1,"request":"proof",\#(members)}"#)
    }
  }

  @Test(arguments: ["account", "method", "url", "nonce"]) func `holds texts`(name: String) {
    for value: JSON in [1, true, [], "a\u{0}", .string(String(repeating: "x", count: 4097))] {
      var line = JSONObject([("v", 1), ("request", "proof"), ("method", "GET"), ("url", "https://x")])
      line[name] = value
      expect(throws: Failure.invalid("\"\(name)\" must be a text of at most 4096 bytes")) {
        try RequestEnvelope(parsing: JSON.object(line).serialized().span)
      }
    }
  }

  @Test func `is answered with the token too, when it asks for that`() throws {
    let description = TokenDescription(
      account: "work", issuer: "https://as.example", subject: nil, tokenType: "DPoP", scope: nil, expiresAt: nil)
    var line: [UInt8] = []
    description.appendAnswer(accessToken: Array("at".utf8).span, proof: "a.b.c", to: &line)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"result":{"account":"work","issuer":"https://as.example","access_token":"at","#
        + #""token_type":"DPoP","dpop":"a.b.c"}}"# + "\n")
    let answer = try TokenAnswer(parsing: line.span)
    #expect(answer.proof(from: line.span) == "a.b.c")
    #expect(answer.description == description)
  }
}
