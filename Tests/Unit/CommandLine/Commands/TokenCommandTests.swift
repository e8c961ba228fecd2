import Encoding
import Testing
import Wire
import WireSupport

@testable import CommandLine

private func line(
  _ token: String, tokenType: String = "Bearer", scope: String? = "a b", expiresAt: Int? = 1_700_000_000
) -> [UInt8] {
  var line: [UInt8] = []
  TokenDescription(
    account: "work", issuer: "https://id.example.com", subject: "42", tokenType: tokenType, scope: scope,
    expiresAt: expiresAt
  ).appendAnswer(accessToken: Array(token.utf8).span, to: &line)
  return line.dropLast()
}

private func output(_ line: [UInt8], as form: TokenCommand.Form) throws(Failure) -> String {
  let answer = try TokenAnswer(parsing: line.span)
  return try SecretText.with(capacity: 10) { (text) throws(Failure) in
    try TokenCommand.append(.accessToken, of: answer, from: line.span, as: form, to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

@Suite struct `agent token` {
  @Test func `prints the token alone, as a header, and as JSON`() throws {
    #expect(try output(line("abc.DEF-_~+/="), as: .bare) == "abc.DEF-_~+/=\n")
    #expect(try output(line("abc"), as: .header) == "Authorization: Bearer abc\n")
    #expect(
      try output(line("abc"), as: .json)
        == #"{"account":"work","issuer":"https://id.example.com","access_token":"abc","token_type":"Bearer","#
        + #""scope":"a b","expires_at":1700000000}"# + "\n")
  }

  @Test func `leaves out what the server left out`() throws {
    #expect(
      try output(line("abc", scope: nil, expiresAt: nil), as: .json)
        == #"{"account":"work","issuer":"https://id.example.com","access_token":"abc","token_type":"Bearer"}"# + "\n")
  }

  @Test(arguments: ["", "a b", "a\nX-Injected: 1", "a\r", "\u{1B}[31m", "tök", "\u{0}", "a\u{7F}"])
  func `prints no token that could end a header or steer a terminal (RFC 6750 section 2.1)`(token: String) {
    let expected = Failure(.serverMisbehaved, "the access token contains characters that are invalid in a token")
    expect(throws: expected) { try output(line(token), as: .bare) }
    expect(throws: expected) { try output(line(token), as: .header) }
  }

  private func idTokenOutput(
    _ idToken: String?, isExpired: Bool = false, as form: TokenCommand.Form
  ) throws(Failure) -> String {
    let line = AnswerLine.make(tokenType: "DPoP", idToken: idToken, isIDTokenExpired: isExpired)
    let answer = try TokenAnswer(parsing: line.span)
    return try SecretText.with(capacity: 10) { (text) throws(Failure) in
      try TokenCommand.append(.idToken, of: answer, from: line.span, as: form, to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  @Test func `prints the ID Token alone, as a header, and in JSON beside the access token`() throws {
    #expect(try idTokenOutput("aa.bb.cc", as: .bare) == "aa.bb.cc\n")
    #expect(try idTokenOutput("aa.bb.cc", as: .header) == "Authorization: Bearer aa.bb.cc\n")
    #expect(
      try idTokenOutput("aa.b\"b.cc", as: .json)
        == #"{"account":"work","issuer":"https://id.example.com","access_token":"abc","token_type":"DPoP","#
        + #""scope":"a b","expires_at":17,"id_token":"aa.b\"b.cc"}"# + "\n")
  }

  @Test(arguments: [TokenCommand.Form.bare, .header, .json])
  func `says that there is no ID Token, or that it is none`(form: TokenCommand.Form) {
    let missing = Failure(
      .missingValue, "work has no ID Token: it was not requested, or the server issued none",
      hint: "sign in again with the scope openid: agent login work")
    expect(throws: missing) { try idTokenOutput(nil, as: form) }
    let expired = Failure(
      .interactionRequired, "the ID Token of work has expired, and the server issues no new one",
      hint: "agent login work")
    expect(throws: expired) { try idTokenOutput(nil, isExpired: true, as: form) }
    #expect(expired.code.exitStatus == .signInNeeded)
    let unusable = Failure(.serverMisbehaved, "the ID Token contains characters that are invalid in a token")
    for idToken in ["", "a b", "a\nX-Injected: 1", "\u{1B}[31m", "tök"] {
      expect(throws: unusable) { try idTokenOutput(idToken, as: form) }
    }
  }

  @Test(arguments: ["", "Bearer x", "Bearer\n", "Béarer", "a:b"])
  func `makes no header of a token type that is no scheme (RFC 9110 section 11.1)`(tokenType: String) {
    let expected = Failure(.serverMisbehaved, "the token type contains invalid characters")
    expect(throws: expected) { try output(line("abc", tokenType: tokenType), as: .header) }
  }
}
