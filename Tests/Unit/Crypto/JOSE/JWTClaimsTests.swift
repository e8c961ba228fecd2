import Encoding
import Crypto
import Testing

@Suite struct `Claims of a JWT` {
  static func claims(_ text: String) throws(JOSEError) -> JWTClaims {
    try JWTClaims(payload: Array(text.utf8))
  }

  // RFC 7519 section 7.2 and section 4.
  @Test(arguments: ["", "[]", "null", "\"x\"", "{", #"{"a":1,"a":1}"#, #"{"a\u0000":1}"#, "{} x", #"{"a":"\ud800"}"#])
  func `a payload that is no JSON object is refused`(text: String) {
    #expect(throws: JOSEError(.invalidPayload)) { try Self.claims(text) }
  }

  @Test func `claims are read`() throws {
    let claims = try Self.claims(
      #"{"iss":"https://as.example","sub":"alice","aud":["a","b"],"exp":20,"iat":10,"nbf":11,"auth_time":9,"nonce":"n"}"#
    )
    #expect(try claims.issuer == "https://as.example")
    #expect(try claims.subject == "alice")
    #expect(try claims.audience == ["a", "b"])
    #expect(try [claims.expiresAt, claims.issuedAt, claims.notBefore, claims.authTime] == [20, 10, 11, 9])
    #expect(try claims.string("nonce") == "n")
    #expect(claims.object.count == 8)
  }

  @Test func `absent claims are nil`() throws {
    let claims = try Self.claims("{}")
    #expect(try claims.issuer == nil)
    #expect(try claims.subject == nil)
    #expect(try claims.audience == nil)
    #expect(try [claims.expiresAt, claims.issuedAt, claims.notBefore, claims.authTime] == [nil, nil, nil, nil])
  }

  @Test func `a claim that is null is absent`() throws {
    let claims = try Self.claims(#"{"iss":null,"aud":null,"exp":null,"auth_time":null,"x":null}"#)
    #expect(try claims.issuer == nil && claims.audience == nil && claims.expiresAt == nil && claims.authTime == nil)
    #expect(claims["x"] == nil && claims.object["x"] == .null)
  }

  // RFC 7519 section 4.1.3.
  @Test func `an audience is a string or an array of strings`() throws {
    #expect(try Self.claims(#"{"aud":"a"}"#).audience == ["a"])
    for value in ["[]", "1", "{}", #"["a",1]"#, #"["a",["b"]]"#, #""a\u0000""#, #"["a\u0000"]"#] {
      let claims = try Self.claims(#"{"aud":\#(value)}"#)
      #expect(throws: JOSEError(.invalidClaim)) { try claims.audience }
    }
  }

  @Test(arguments: ["1", "true", "[]", "{}", #"["x"]"#, #""x\u0000""#])
  func `a claim that must be a string is one`(value: String) throws {
    let claims = try Self.claims(#"{"iss":\#(value),"sub":\#(value),"nonce":\#(value)}"#)
    #expect(throws: JOSEError(.invalidClaim)) { try claims.issuer }
    #expect(throws: JOSEError(.invalidClaim)) { try claims.subject }
    #expect(throws: JOSEError(.invalidClaim)) { try claims.string("nonce") }
  }

  // RFC 7519 section 2, NumericDate: only a number.
  @Test(arguments: [
    #""1""#, "true", "[]", "{}", "-1", "-0", "-0.5", "-1e-9", "253402300800", "1e400", "1e30",
    "9223372036854775807", "99999999999999999999", "253402300799.5e1",
  ])
  func `a time of the wrong type or range is refused`(value: String) throws {
    let claims = try Self.claims(#"{"exp":\#(value),"iat":\#(value),"nbf":\#(value),"auth_time":\#(value)}"#)
    #expect(throws: JOSEError(.invalidClaim)) { try claims.expiresAt }
    #expect(throws: JOSEError(.invalidClaim)) { try claims.issuedAt }
    #expect(throws: JOSEError(.invalidClaim)) { try claims.notBefore }
    #expect(throws: JOSEError(.invalidClaim)) { try claims.authTime }
  }

  @Test(arguments: [
    ("0", 0, 0), ("0.5", 0, 1), ("1700000000", 1_700_000_000, 1_700_000_000), ("1.7e9", 1_700_000_000, 1_700_000_000),
    ("1700000000.000001", 1_700_000_000, 1_700_000_001), ("1700000000.0", 1_700_000_000, 1_700_000_000),
    ("253402300799", 253_402_300_799, 253_402_300_799), ("1e-400", 0, 1),
  ])
  func `rounding never makes a token live longer`(value: String, down: Int, up: Int) throws {
    let claims = try Self.claims(#"{"exp":\#(value),"iat":\#(value),"nbf":\#(value),"auth_time":\#(value)}"#)
    #expect(try [claims.expiresAt, claims.authTime] == [down, down])
    #expect(try [claims.issuedAt, claims.notBefore] == [up, up])
  }
}
