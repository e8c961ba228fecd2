import Encoding
import Testing
import Wire

@testable import CommandLine

private func line(
  _ token: String, tokenType: String = "Bearer", scope: String? = "a b", expiresAt: Int? = 1_700_000_000
)
  -> [UInt8]
{
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
    try TokenCommand.append(answer, from: line.span, as: form, to: &text)
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
    let expected = Failure(.serverMisbehaved, "the access token holds characters that no token may have")
    #expect(throws: expected) { try output(line(token), as: .bare) }
    #expect(throws: expected) { try output(line(token), as: .header) }
  }

  @Test(arguments: ["", "Bearer x", "Bearer\n", "Béarer", "a:b"])
  func `makes no header of a token type that is no scheme (RFC 9110 section 11.1)`(tokenType: String) {
    let expected = Failure(.serverMisbehaved, "the token's type holds characters that no type may have")
    #expect(throws: expected) { try output(line("abc", tokenType: tokenType), as: .header) }
  }
}

@Suite struct `Variables of a token` {
  private func statements(_ line: [UInt8]) throws(Failure) -> String {
    let answer = try TokenAnswer(parsing: line.span)
    return try SecretText.with(capacity: 10) { (text) throws(Failure) in
      try EnvCommand.append(answer, from: line.span, for: .sh, to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  @Test func `are set, and those without a value are unset`() throws {
    var answer: [UInt8] = []
    TokenDescription(
      account: "work", issuer: "https://id.example.com", subject: nil, tokenType: "Bearer", scope: nil, expiresAt: 17
    ).appendAnswer(accessToken: Array("a$b".utf8).span, to: &answer)
    #expect(
      try statements(answer.dropLast()) == """
        AGENT_ACCESS_TOKEN='a'"`printf '\\044'`"'b'; export AGENT_ACCESS_TOKEN;
        AGENT_TOKEN_TYPE='Bearer'; export AGENT_TOKEN_TYPE;
        AGENT_TOKEN_EXPIRES_AT='17'; export AGENT_TOKEN_EXPIRES_AT;
        AGENT_ACCOUNT='work'; export AGENT_ACCOUNT;
        AGENT_ISSUER='https://id.example.com'; export AGENT_ISSUER;
        unset AGENT_SUBJECT;

        """)
  }

  @Test func `none is set when one of them cannot be`() {
    let expected = Failure(
      .serverMisbehaved, "the value of AGENT_TOKEN_TYPE holds a control character, so it is not set")
    #expect(throws: expected) { try statements(line("abc", tokenType: "a\nb")) }
  }

  @Test func `take the place of inherited ones, and nothing else changes`() throws {
    let inherited = ["HOME=/h", "AGENT_SUBJECT=old", "AGENT_ACCOUNTS=x", "AGENT_ACCOUNT=old", "X"].map {
      Array($0.utf8)
    }
    var environment = ExecCommand.inheritedEnvironment(inherited)
    let line = line("abc", scope: nil, expiresAt: nil)
    try ExecCommand.add(TokenAnswer(parsing: line.span), from: line.span, to: &environment)
    #expect(
      environment.map { String(decoding: $0, as: UTF8.self) } == [
        "HOME=/h", "AGENT_ACCOUNTS=x", "X", "AGENT_ACCESS_TOKEN=abc", "AGENT_TOKEN_TYPE=Bearer", "AGENT_ACCOUNT=work",
        "AGENT_ISSUER=https://id.example.com", "AGENT_SUBJECT=42",
      ])
  }
}
