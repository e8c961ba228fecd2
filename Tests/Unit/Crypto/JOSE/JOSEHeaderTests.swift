import Crypto
import Encoding
import Testing

@Suite struct `Header of a token` {
  @Test(arguments: [
    // RFC 7515 section 4: a JSON object without duplicate members.
    ("", JOSEError.Code.invalidHeader),
    ("[]", .invalidHeader),
    ("{", .invalidHeader),
    (#"{"alg":"ES256"} x"#, .invalidHeader),
    (#"{"alg":"ES256","alg":"ES256"}"#, .invalidHeader),
    (#"{"alg":"ES256","\u0061lg":"RS256"}"#, .invalidHeader),
    (#"{"alg":"ES256","kid":"a","kid":"a"}"#, .invalidHeader),
    ("\u{feff}" + #"{"alg":"ES256"}"#, .invalidHeader),
    // RFC 7515 section 4.1.1, RFC 8725 section 3.1: case-sensitive, and nothing is guessed.
    ("{}", .missingAlgorithm),
    (#"{"ALG":"ES256"}"#, .missingAlgorithm),
    (#"{"alg":null}"#, .invalidHeader),
    (#"{"alg":["ES256"]}"#, .invalidHeader),
    (#"{"alg":"none"}"#, .unsecured),
    (#"{"alg":"noNE"}"#, .algorithmNotAllowed),
    (#"{"alg":"None"}"#, .algorithmNotAllowed),
    (#"{"alg":"es256"}"#, .algorithmNotAllowed),
    (#"{"alg":"ES256 "}"#, .algorithmNotAllowed),
    (#"{"alg":""}"#, .algorithmNotAllowed),
    (#"{"alg":"HS256"}"#, .algorithmNotAllowed),
    (#"{"alg":"ES256K"}"#, .algorithmNotAllowed),
    (#"{"alg":"Ed448"}"#, .algorithmNotAllowed),
    // RFC 7515 section 4.1.11 and RFC 7797 section 7: no extension is supported.
    (#"{"alg":"ES256","crit":["exp"],"exp":1}"#, .criticalHeader),
    (#"{"alg":"ES256","crit":[]}"#, .criticalHeader),
    (#"{"alg":"ES256","crit":null}"#, .criticalHeader),
    (#"{"alg":"ES256","b64":false,"crit":["b64"]}"#, .criticalHeader),
    (#"{"alg":"ES256","b64":true}"#, .criticalHeader),
    // A token of this form is signed, so nothing else of RFC 7516 applies.
    (#"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, .algorithmNotAllowed),
    // Members of the wrong type.
    (#"{"alg":"ES256","kid":7}"#, .invalidHeader),
    (#"{"alg":"ES256","typ":true}"#, .invalidHeader),
    (#"{"alg":"ES256","cty":{}}"#, .invalidHeader),
    (#"{"alg":"ES256","jwk":"x"}"#, .invalidHeader),
    // U+0000 in a name or a value.
    (#"{"alg":"ES256","kid":"a\u0000"}"#, .invalidHeader),
    (#"{"alg":"ES256","a\u0000":1}"#, .invalidHeader),
    (#"{"alg":"ES256","x":[{"y":"\u0000"}]}"#, .invalidHeader),
    // Key material that is not allowed here.
    (#"{"alg":"ES256","jwk":{"kty":"oct","k":"AA"}}"#, .embeddedPrivateKey),
    (#"{"alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}}"#, .embeddedPrivateKey),
    (#"{"alg":"ES256","jwk":{"kty":"RSA","n":"AA","e":"AQAB","dp":"AA"}}"#, .embeddedPrivateKey),
  ])
  func `a malformed, unsupported or unsafe header is refused`(header: String, code: JOSEError.Code) {
    #expect(throws: JOSEError(code)) { try parse(unsigned(header)) }
  }

  @Test func `a header that is no UTF-8 is refused`() {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","x":""#.utf8) + [0xff] + Array(#""}"#.utf8))
    #expect(throws: JOSEError(.invalidHeader)) { try parse(header + ".e30.AQID") }
  }

  // RFC 7515 section 4.
  @Test(arguments: [#""zip":"DEF""#, #""enc":"A128GCM""#, #""p2c":1000000"#, #""p2s":"AA""#, #""zip":7"#])
  func `members of encrypted tokens are ignored`(member: String) throws {
    #expect(try parse(unsigned(#"{"alg":"ES256",\#(member)}"#)).algorithm == .ES256)
  }

  // RFC 7519 section 5.2: some issuers declare a token but sign claims.
  @Test(arguments: ["JWT", "jwt", "application/jwt"])
  func `a payload that is announced as a token is one only if it is not an object`(type: String) throws {
    let header = Base64URL.encode(Array(#"{"alg":"ES256","cty":"\#(type)"}"#.utf8))
    #expect(try parse(header + "." + Base64URL.encode(Array(#" {"sub":"a"}"#.utf8)) + ".AQID").algorithm == .ES256)
    for payload in ["e30.e30.AQID", "", "[]"] {
      #expect(throws: JOSEError(.nested)) {
        try parse(header + "." + Base64URL.encode(Array(payload.utf8)) + ".AQID")
      }
    }
  }

  @Test func `unknown members and references to keys are kept and ignored`() throws {
    let jws = try parse(
      unsigned(
        #"{"alg":"ES256","kid":"k","typ":"JWT","jku":"https://attacker.example/","x5t":"AA","x5c":["AA"],"new":1}"#))
    #expect(jws.algorithm == .ES256)
    #expect(jws.keyID == "k")
    #expect(jws.type == "JWT")
    #expect(jws.header.names == ["alg", "kid", "typ", "jku", "x5t", "x5c", "new"])
  }

  @Test(arguments: JWSAlgorithm.allCases) func `each algorithm has one exact name`(algorithm: JWSAlgorithm) throws {
    #expect(try parse(unsigned(#"{"alg":"\#(algorithm.rawValue)"}"#)).algorithm == algorithm)
    #expect(JWSAlgorithm(name: algorithm.rawValue) == algorithm)
    #expect(JWSAlgorithm(name: algorithm.rawValue + "\0") == nil)
  }

  // RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864 section 2.2.
  @Test func `each name identifies one scheme, one hash and one curve`() {
    let known: [JWSAlgorithm: SignatureAlgorithm] = [
      .RS256: .rsaPKCS1(.sha256), .RS384: .rsaPKCS1(.sha384), .RS512: .rsaPKCS1(.sha512),
      .PS256: .rsaPSS(.sha256), .PS384: .rsaPSS(.sha384), .PS512: .rsaPSS(.sha512),
      .ES256: .ecdsa(.p256, .sha256), .ES384: .ecdsa(.p384, .sha384), .ES512: .ecdsa(.p521, .sha512),
      .EdDSA: .raw(.ed25519), .Ed25519: .raw(.ed25519),
    ]
    for algorithm in JWSAlgorithm.allCases { #expect(algorithm.signatureAlgorithm == known[algorithm], "\(algorithm)") }
  }

  // RFC 7515 section 4.1.9: case-insensitive, with an optional "application/".
  @Test(arguments: [
    ("JWT", "JWT", true), ("jwt", "JWT", true), ("application/JWT", "jwt", true), ("APPLICATION/jwt", "JWT", true),
    ("at+jwt", "JWT", false), ("dpop+jwt", "JWT", false), ("application/at+jwt", "at+jwt", true),
    ("application/x/jwt", "x/jwt", false), ("", "JWT", false), ("JWT ", "JWT", false), ("text/jwt", "JWT", false),
  ])
  func `typ is compared as a media type`(found: String, wanted: String, isAllowed: Bool) {
    #expect(AllowedTypes.optional([wanted]).allows(found) == isAllowed)
    #expect(AllowedTypes.required([wanted]).allows(found) == isAllowed)
    #expect(AllowedTypes.any.allows(found))
  }

  @Test func `a missing typ is allowed only where it is optional`() {
    #expect(AllowedTypes.optional(["JWT"]).allows(nil))
    #expect(!AllowedTypes.required(["JWT"]).allows(nil))
    #expect(AllowedTypes.any.allows(nil))
  }
}
