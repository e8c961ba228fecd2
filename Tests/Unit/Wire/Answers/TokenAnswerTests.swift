import Encoding
import Testing
import Wire
import WireSupport

@Suite struct `A token answer` {
  static let full = TokenDescription(
    account: "work", issuer: "https://as.example/\"\\\u{7F}é", subject: "alice \u{2028}", tokenType: "Bearer",
    scope: "openid \"mail\"", expiresAt: 1_700_000_300, isOffline: true)
  static let bare = TokenDescription(
    account: "work", issuer: "https://as.example", subject: nil, tokenType: "Bearer", scope: nil, expiresAt: nil)

  static func line(_ description: TokenDescription, _ token: [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    description.appendAnswer(accessToken: token.span, to: &line)
    return line
  }

  private func token(_ answer: TokenAnswer, _ line: [UInt8]) -> [UInt8] {
    var token: [UInt8] = []
    answer.appendAccessToken(from: line.span, to: &token)
    return token
  }

  // RFC 6749 appendix A.12: an access token consists of printable ASCII.
  @Test(arguments: [full, bare]) func `carries every printable character of a token`(description: TokenDescription)
    throws
  {
    let printable = Array(UInt8(0x20)...0x7E)
    var tokens: [[UInt8]] = [printable, printable.reversed(), []]
    for character in printable { tokens += [[character], [0x5C, character]] }
    for characters in tokens {
      let line = Self.line(description, characters)
      #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
      let answer = try TokenAnswer(parsing: line.span)
      #expect(token(answer, line) == characters)
      #expect(answer.description == description)
    }
  }

  @Test func `carries a token of sixty thousand bytes`() throws {
    let long = Array(repeating: Array("Aa0-._~+/".utf8), count: 7000).flatMap(\.self)
    let line = Self.line(Self.bare, long)
    #expect(token(try TokenAnswer(parsing: line.span), line) == long)
  }

  @Test func `is written as the protocol documents it`() {
    var description = Self.full
    description.issuer = "https://as.example"
    description.subject = "alice"
    description.scope = "openid"
    #expect(
      String(decoding: Self.line(description, Array("a\"b".utf8)), as: UTF8.self)
        == #"{"v":1,"result":{"account":"work","issuer":"https://as.example","subject":"alice","#
        + #""access_token":"a\"b","token_type":"Bearer","scope":"openid","expires_at":1700000300,"offline":true}}"#
        + "\n")
  }

  @Test func `is a reply like any other`() throws {
    let line = Self.line(Self.bare, Array("at".utf8))
    #expect(
      try Reply(parsing: line.span)
        == .result([
          "account": "work", "issuer": "https://as.example", "access_token": "at", "token_type": "Bearer",
        ]))
  }

  @Test func `may be a failure, which is thrown as it came`() {
    let failure = Failure(.sessionExpired, "work: session expired, please sign in again", hint: "agent login work")
    let line = Reply.failure(failure).serialized()
    expect(throws: failure) { try TokenAnswer(parsing: line.span) }
  }

  @Test(arguments: [
    "", "garbage", "[]", "{}", #"{"v":1}"#, #"{"v":1,"result":{}}"#, #"{"v":1,"result":null}"#,
    #"{"v":2,"result":{"account":"a","issuer":"i","access_token":"t","token_type":"Bearer"}}"#,
    #"{"result":{"account":"a","issuer":"i","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"a","issuer":"i","access_token":1,"token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"a","issuer":"i","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"account":"a","issuer":"i","access_token":"t"}}"#,
    #"{"v":1,"result":{"account":"a","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"result":{"issuer":"i","access_token":"t","token_type":"Bearer"}}"#,
    #"{"v":1,"event":"notice","message":"m"}"#, #"{"v":1,"error":{}}"#,
    #"{"v":2,"error":{"code":"network","message":"m"}}"#,
  ])
  func `that is garbage is told as such`(line: String) {
    let bytes = Array(line.utf8)
    expect(throws: `A reply`.unreadable) { try TokenAnswer(parsing: bytes.span) }
  }

  @Test func `that was cut is never taken for a shorter token`() {
    let line = Array(Self.line(Self.full, Array("access-token".utf8)).dropLast())
    for count in 0..<line.count {
      expect(throws: `A reply`.unreadable) { try TokenAnswer(parsing: Array(line[..<count]).span) }
    }
  }
}
