import Encoding
import Testing
import Wire
import WireSupport

@Suite struct `Extras of a token answer` {
  private static let description = TokenDescription(
    account: "work", issuer: "https://as.example", subject: nil, tokenType: "Bearer", scope: nil, expiresAt: 17)

  private static func line(_ idToken: String?, _ claims: JSONObject?) -> [UInt8] {
    var line: [UInt8] = []
    let accessToken = Array("at".utf8)
    if let idToken {
      let bytes = Array(idToken.utf8)
      description.appendAnswer(accessToken: accessToken.span, idToken: bytes.span, claims: claims, to: &line)
    } else {
      description.appendAnswer(accessToken: accessToken.span, claims: claims, to: &line)
    }
    return line
  }

  private func idToken(_ line: [UInt8]) throws -> String? {
    var text: [UInt8] = []
    let answer = try TokenAnswer(parsing: line.span)
    guard answer.appendIDToken(from: line.span, to: &text) else {
      #expect(text.isEmpty)
      return nil
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [
    (TokenRequest.Extras(), ""), (TokenRequest.Extras(wantsIDToken: true), #","id_token":true"#),
    (TokenRequest.Extras(wantsClaims: true), #","claims":true"#),
    (TokenRequest.Extras(wantsIDToken: true, wantsClaims: true), #","id_token":true,"claims":true"#),
  ]) func `are asked for by members of the request`(extras: TokenRequest.Extras, members: String) throws {
    let envelope = RequestEnvelope(.token(TokenRequest(extras: extras)))
    let line = envelope.serialized()
    #expect(String(decoding: line, as: UTF8.self) == #"{"v":1,"request":"token"\#(members)}"# + "\n")
    #expect(try RequestEnvelope(parsing: line.span) == envelope)
  }

  @Test(arguments: ["id_token", "claims"]) func `are asked for by true or false and nothing else`(name: String) {
    let line = Array(#"{"v":1,"request":"token","\#(name)":1}"#.utf8)
    expect(throws: Failure(.invalidRequest, "\"\(name)\" must be true or false")) {
      try RequestEnvelope(parsing: line.span)
    }
  }

  @Test func `are left out of an answer that has none`() throws {
    let line = Self.line(nil, nil)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"result":{"account":"work","issuer":"https://as.example","access_token":"at","#
        + #""token_type":"Bearer","expires_at":17}}"# + "\n")
    #expect(try idToken(line) == nil)
    #expect(try TokenAnswer(parsing: line.span).claim("sub", from: line.span) == nil)
  }

  @Test func `are read back as they were written`() throws {
    let claims: JSONObject = [
      "sub": "alice", "name": "a \"b\" \\ é\n\u{0}", "n": 1, "yes": true, "none": .null, "list": [1, ["x": []]],
    ]
    let line = Self.line("aa.bb.cc\"\\", claims)
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(try idToken(line) == "aa.bb.cc\"\\")
    let answer = try TokenAnswer(parsing: line.span)
    #expect(answer.description == Self.description)
    for name in claims.names { #expect(answer.claim(name, from: line.span) == claims[name]) }
    #expect(answer.claim("other", from: line.span) == nil)
    // Compared byte by byte (RFC 8259 section 8.3).
    #expect(answer.claim("sub\u{0}", from: line.span) == nil)
  }

  @Test(arguments: [#""id_token":1,"claims":[]"#, #""id_token":null,"claims":null"#, #""id_token":{},"claims":"sub""#])
  func `of another form are none`(members: String) throws {
    let line = Array(
      #"{"v":1,"result":{"account":"a","issuer":"i","access_token":"t","token_type":"Bearer",\#(members)}}"#.utf8)
    #expect(try idToken(line) == nil)
    #expect(try TokenAnswer(parsing: line.span).claim("sub", from: line.span) == nil)
  }
}
