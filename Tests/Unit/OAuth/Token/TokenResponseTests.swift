import Crypto
import Encoding
import OAuth
import TestSupport
import Testing
import Vocabulary

private let subject = OAuthError.Subject.endpoint(.token)

private func malformed(_ member: String) -> OAuthError {
  expected(.malformedResponse, .member(member, of: subject), status: 200)
}

@Suite struct `Token responses` {
  private func parse(_ body: String) throws -> TokenResponse { try TokenResponse.parse(response(body)) }

  private func parse(member: String) throws -> TokenResponse {
    try parse(#"{"access_token":"a","token_type":"Bearer",\#(member)}"#)
  }

  // RFC 6749 section 5.1.
  @Test func `every member is read and unknown ones are ignored`() throws {
    let tokens = try TokenResponse.parse(
      response(
        type: "application/json;charset=UTF-8", headers: [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")],
        #"""
        {"access_token":"at.-_~+/=","token_type":"Bearer","expires_in":3600,"scope":"openid email",
        "refresh_token":"r t","id_token":"h.p.s","unknown":{"a":[1]},"error":null}
        """#))
    #expect(tokens.accessToken.text == "at.-_~+/=")
    #expect(tokens.tokenType == "Bearer")
    #expect(tokens.expiresIn == 3600)
    #expect(try tokens.scope == Scope("openid email"))
    #expect(tokens.refreshToken?.text == "r t")
    #expect(tokens.idToken?.text == "h.p.s")
    #expect(tokens.serverDate == 784_111_777)
  }

  @Test func `only the access token and its type are required`() throws {
    let tokens = try parse(#"{"access_token":"a","token_type":"bearer"}"#)
    #expect(tokens.expiresIn == nil)
    #expect(tokens.scope == nil)
    #expect(tokens.refreshToken == nil)
    #expect(tokens.idToken == nil)
    #expect(tokens.serverDate == nil)
  }

  @Test func `null is the same as absent`() throws {
    let tokens = try parse(member: #""expires_in":null,"scope":null,"refresh_token":null,"id_token":null"#)
    #expect(tokens.expiresIn == nil)
    #expect(tokens.scope == nil)
    #expect(tokens.refreshToken == nil)
    #expect(tokens.idToken == nil)
  }

  // RFC 6749 section 5.1: token_type is case insensitive.
  @Test(arguments: [
    ("bearer", "Bearer"), ("BEARER", "Bearer"), ("BearerToken", "Bearer"), ("dpop", "DPoP"), ("DPoP", "DPoP"),
  ])
  func `the token type has one spelling`(given: String, normal: String) throws {
    #expect(try parse(#"{"access_token":"a","token_type":"\#(given)"}"#).tokenType == normal)
  }

  // RFC 6749 section 7.1.
  @Test(arguments: ["mac", "N_A", " ", "bearer ", "beare\u{212A}r", "a-very-long-token-type-name"])
  func `a token type that we do not understand makes the token useless`(type: String) {
    #expect(throws: OAuthError(.unsupportedTokenType, subject)) {
      try parse(#"{"access_token":"a","token_type":"\#(type)"}"#)
    }
  }

  @Test(arguments: ["{}", #"{"token_type":"Bearer"}"#, #"{"access_token":null,"token_type":"Bearer"}"#])
  func `a success without an access token is an error`(body: String) {
    #expect(throws: malformed("access_token")) { try parse(body) }
  }

  // LinkedIn and Shopify omit it.
  @Test(arguments: [
    #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":null}"#, #"{"access_token":"a","token_type":""}"#,
  ])
  func `a token without a type is a Bearer token`(body: String) throws {
    #expect(try parse(body).tokenType == "Bearer")
  }

  @Test(arguments: ["1", "true", #"["Bearer"]"#, "{}"]) func `a type that is no text is another type`(type: String) {
    #expect(throws: OAuthError(.unsupportedTokenType, subject)) {
      try parse(#"{"access_token":"a","token_type":\#(type)}"#)
    }
  }

  // RFC 6750 section 2.1, RFC 6749 appendix A.12: nothing that could split or extend a header.
  @Test(arguments: [
    #""""#, #""a b""#, #""a\r\nb""#, #""a\u0000""#, #""a\u007f""#, #""é""#, #""a\tb""#, "1", "true", #"["a"]"#,
  ])
  func `an access token with other characters is refused`(value: String) {
    #expect(throws: malformed("access_token")) { try parse(#"{"access_token":\#(value),"token_type":"Bearer"}"#) }
  }

  // RFC 6749 appendix A.17.
  @Test(arguments: [#""""#, #""a\nb""#, #""a\u0000""#, #""é""#, "{}"])
  func `a refresh token with other characters is none, and spoils nothing else`(value: String) throws {
    let tokens = try parse(member: #""refresh_token":\#(value)"#)
    #expect(tokens.refreshToken == nil && tokens.accessToken.text == "a")
  }

  @Test func `an ID Token that is empty is none`() throws {
    #expect(try parse(member: #""id_token":"""#).idToken == nil)
  }

  @Test func `an error that is empty is none`() throws {
    #expect(try parse(member: #""error":"","error_code":"""#).accessToken.text == "a")
  }

  @Test(arguments: [#""a b""#, #""a\n""#, "1"]) func `an ID Token with other characters is refused`(
    value: String
  ) {
    #expect(throws: malformed("id_token")) { try parse(member: #""id_token":\#(value)"#) }
  }

  @Test func `escapes in a token are undone`() throws {
    let tokens = try parse(#"{"access_token":"\u0061\/b","token_type":"Bearer","refresh_token":"\"\\\u0072"}"#)
    #expect(tokens.accessToken.text == "a/b")
    #expect(tokens.refreshToken?.text == #""\r"#)
  }

  @Test func `a token of 60000 characters is kept whole`() throws {
    let long = String(repeating: "x", count: 60_000)
    #expect(try parse(#"{"access_token":"\#(long)","token_type":"Bearer"}"#).accessToken.text == long)
  }

  @Test(arguments: [
    ("0", 0), ("3600", 3600), (#""3600""#, 3600), ("3600.0", 3600), ("36e2", 3600), ("316224000", 316_224_000),
    (#""0""#, 0), ("0.5", 0), ("3600.9", 3600),
  ])
  func `a lifetime is whole seconds, and no fraction makes it longer`(value: String, seconds: Int) throws {
    #expect(try parse(member: #""expires_in":\#(value)"#).expiresIn == seconds)
  }

  @Test(arguments: [
    "-1", "-0.5", "316224001", "1e400", "99999999999999999999", #""""#, #""-1""#, #"" 1""#, #""1.5""#,
    #""1e3""#,
    #""99999999999999999999""#, #""٣""#, "true", "[3600]",
  ])
  func `any other lifetime is unknown, and spoils nothing else`(value: String) throws {
    let tokens = try parse(member: #""expires_in":\#(value)"#)
    #expect(tokens.expiresIn == nil && tokens.accessToken.text == "a")
  }

  // RFC 6749 section 3.3.
  @Test func `an empty scope is a scope`() throws {
    #expect(try parse(member: #""scope":"""#).scope?.isEmpty == true)
  }

  @Test(arguments: [#"["a"]"#, "1", #""a\"b""#, #""a\nb""#, #""é""#])
  func `a scope of another form is unknown, and spoils nothing else`(value: String) throws {
    let tokens = try parse(member: #""scope":\#(value)"#)
    #expect(tokens.scope == nil && tokens.accessToken.text == "a")
  }

  // RFC 6749 section 3.3 (P-121).
  @Test func `a demanded scope must be granted, under any of the names that services have for it`() throws {
    let demanded = try Scope("mail https://graph.microsoft.com/Mail.Read email offline_access")
    let granted = "Mail.Read https://www.googleapis.com/auth/userinfo.email"
    var error = OAuthError(.scopeWithheld, subject)
    error.serverDescription = "mail"
    #expect(throws: error) { try parse(member: #""scope":"\#(granted)""#).check(covers: demanded) }
    try parse(member: #""scope":"\#(granted) mail""#).check(covers: demanded)
    try parse(member: #""scope":"\#(granted)""#).check(covers: nil)
    // Without a readable scope, the requested one is assumed.
    try parse(member: #""scope":["x"]"#).check(covers: demanded)
  }

  // RFC 6749 section 3.3 lets a value have a comma in it.
  @Test(arguments: [
    ("repo,gist", ["repo", "gist"]), ("repo, gist", ["repo", "gist"]), ("repo", ["repo"]),
    ("openid patient/x?a=b,c", ["openid", "patient/x?a=b,c"]),
  ])
  func `commas separate scope values where nothing else does`(text: String, values: [String]) throws {
    let answer = try response(#"{"access_token":"a","token_type":"bearer","scope":"\#(text)"}"#)
    let tokens = try TokenResponse.parse(answer)
    #expect(tokens.scope?.values == values)
    try tokens.check(covers: Scope(values: values))
  }

  @Test func `commas separate scope values of a provider that is known for it`() throws {
    let answer = try response(#"{"access_token":"a","token_type":"bearer","scope":"repo,gist user"}"#)
    #expect(
      try TokenResponse.parse(answer, format: Provider.named(.github).responseFormat).scope?.values
        == ["repo", "gist", "user"])
  }

  @Test func `a scope in an array is read only of a provider that is known for it`() throws {
    let answer = try response(#"{"access_token":"a","token_type":"bearer","scope":["chat:read","user:read:email"]}"#)
    #expect(try TokenResponse.parse(answer).scope == nil)
    let twitch = Provider.named(.twitch).responseFormat
    #expect(try TokenResponse.parse(answer, format: twitch).scope?.values == ["chat:read", "user:read:email"])
  }

  @Test func `a token of a user is a Bearer token only of a provider that calls it so`() throws {
    let answer = try response(
      #"{"ok":true,"access_token":"xoxp-1","token_type":"user","scope":"users:read,chat:write"}"#)
    #expect(throws: OAuthError(.unsupportedTokenType, .endpoint(.token))) { try TokenResponse.parse(answer) }
    let tokens = try TokenResponse.parse(answer, format: Provider.named(.slack).responseFormat)
    #expect(tokens.tokenType == "Bearer" && tokens.scope?.values == ["users:read", "chat:write"])
  }

  // RFC 6749 section 5.1: the media type of a success is application/json.
  @Test(arguments: [nil, "text/html", "text/plain", "application/x-www-form-urlencoded"])
  func `a success of another media type is refused`(type: String?) throws {
    let answer = try response(type: type, #"{"access_token":"a","token_type":"Bearer"}"#)
    // The response is the server's own, so neither proxy nor network is to blame.
    #expect(throws: expected(.malformedResponse, subject, status: 200, description: type)) {
      try TokenResponse.parse(answer)
    }
    let page = try response(type: type, "<html>")
    #expect(throws: expected(.notJSON, subject, status: 200, description: type)) { try TokenResponse.parse(page) }
    #expect(OAuthError.Code.notJSON.effect == .temporary)
  }

  @Test(arguments: ["", "null", "[]", "\"a\"", "{", #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#])
  func `a success that is no JSON object is refused`(body: String) {
    #expect(throws: expected(.malformedResponse, subject, status: 200)) { try parse(body) }
  }

  @Test func `tokens in a form are not taken`() throws {
    let answer = try response(
      type: "application/x-www-form-urlencoded", "access_token=a&token_type=bearer&error=shown")
    let type = "application/x-www-form-urlencoded"
    #expect(throws: expected(.notJSON, subject, status: 200, description: type)) { try TokenResponse.parse(answer) }
  }

  @Test(arguments: [201, 202, 204]) func `another success status is refused`(status: Int) throws {
    let answer = try response(status, #"{"access_token":"a","token_type":"Bearer"}"#)
    #expect(throws: expected(.malformedResponse, subject, status: status)) { try TokenResponse.parse(answer) }
  }

  @Test func `an answer cut at any byte is refused`() throws {
    let bytes = Array(#"{"access_token":"a","token_type":"Bearer","expires_in":36,"refresh_token":"r"}"#.utf8)
    for length in 0..<bytes.count {
      #expect(throws: expected(.malformedResponse, subject, status: 200)) {
        try TokenResponse.parse(response(bytes: Array(bytes.prefix(length))))
      }
    }
  }

  @Test func `a dump shows no token`() throws {
    let tokens = try parse(#"{"access_token":"canary","token_type":"Bearer","refresh_token":"canary"}"#)
    var text = ""
    dump(tokens, to: &text)
    #expect(text.contains("Bearer") && !text.contains("canary"))
  }
}
