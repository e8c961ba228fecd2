import Crypto
import Encoding
@testable import OAuth
import Testing
import Vocabulary

@Suite struct `ID Token signatures` {
  @Test func `a key that the issuer does not publish asks for new keys`() throws {
    let error = IDTokenError(.signature(.unknownKey))
    #expect(error.fault.needsNewKeys)
    #expect(throws: error) { try verify(goodClaims, keys: SigningKey.shared.get(.RS256).set) }
  }

  @Test func `a key replaced under its name asks for new keys`() throws {
    let error = IDTokenError(.signature(.badSignature))
    #expect(error.fault.needsNewKeys)
    let other = try SigningKey(.generateEC(.p256), .ES256, "ec")
    #expect(throws: error) { try verify(goodClaims, keys: other.set) }
  }

  // RFC 8725 section 3.1.
  @Test func `an algorithm outside the caller's set is refused`() {
    let error = IDTokenError(.signature(.algorithmNotAllowed))
    #expect(!error.fault.needsNewKeys)
    #expect(throws: error) { try verify(goodClaims) { $0.algorithms = [.RS256] } }
  }

  @Test func `a bad signature is found before any claim is looked at`() throws {
    let other = try SigningKey(.generateEC(.p256), .ES256, "ec")
    #expect(throws: IDTokenError(.signature(.badSignature))) { try verify(with("iss", "evil"), keys: other.set) }
  }

  @Test func `any flipped bit is refused`() throws {
    let key = try SigningKey.shared.get(.ES256)
    let good = Array(try key.sign(goodClaims).utf8)
    let expecting = IDTokenExpectation(issuer: try testIssuer(), clientID: "agent", algorithms: [.ES256], now: now)
    _ = try IDToken.verify(SharedSecret(SecretBytes(copying: good.span)), keys: key.set, expecting: expecting)
    for index in good.indices {
      var bad = good
      bad[index] ^= 1
      let token = SharedSecret(try SecretBytes(copying: bad.span))
      #expect(throws: IDTokenError.self) { try IDToken.verify(token, keys: key.set, expecting: expecting) }
    }
  }

  // RFC 8725 section 3.11.
  @Test(arguments: ["at+jwt", "logout+jwt", "dpop+jwt", "secevent+jwt"]) func `another kind of token is refused`(
    type: String
  ) {
    #expect(throws: IDTokenError(.signature(.wrongType))) { try verify(goodClaims, header: ["typ": .string(type)]) }
  }

  @Test func `the type may be left out or spelled in another way`() throws {
    #expect(try verify(goodClaims, header: JSONObject()).issuedAt == now)
    #expect(try verify(goodClaims, header: ["typ": "application/jwt"]).issuedAt == now)
  }

  // Section 3.1.3.7 step 1, section 2, step 8.
  @Test(arguments: [
    ("a.b.c.d.e", JOSEError.Code.encrypted), ("eyJhbGciOiJub25lIn0.e30.eA", .unsecured),
    ("eyJhbGciOiJIUzI1NiJ9.e30.eA", .algorithmNotAllowed), ("eyJhbGciOiJub25lIn0.e30.", .unsecured), ("", .notCompact),
  ])
  func `a token that is encrypted, unsigned or symmetric is refused`(text: String, code: JOSEError.Code) throws {
    let expecting = IDTokenExpectation(issuer: try testIssuer(), clientID: "agent", algorithms: [.ES256], now: now)
    let keys = try SigningKey.shared.get(.ES256).set
    #expect(throws: IDTokenError(.signature(code))) {
      try IDToken.verify(secret(text), keys: keys, expecting: expecting)
    }
  }

  @Test func `a rejected token becomes an OAuth error without a byte of it`() {
    #expect(OAuthError(IDTokenError(.expired(at: now))) == OAuthError(.idTokenRejected, .reason("it has expired")))
    #expect(
      OAuthError(IDTokenError(.identityChanged(claim: "sub"))).message
        == "the ID Token was rejected: sub differs from the first sign-in")
  }
}
