import Crypto
import Encoding
import OAuth
import Testing

@Suite struct `The rules for any token` {
  private static let claims: JSONObject = [
    "iss": .string(issuerText), "sub": "alice", "aud": ["api", "cli"], "exp": .int(now + 300), "iat": .int(now),
  ]

  /// Verifies claims with some of them changed, or removed if nil.
  @discardableResult
  private func verify(
    _ changes: [(String, JSON?)] = [], header: JSONObject = ["typ": "JWT"], by key: SigningKey? = nil,
    keys: JWKSet? = nil, _ change: (inout TokenRules) -> Void = { _ in }
  ) throws -> TokenRules.Verified {
    var claims = Self.claims
    for (name, value) in changes { claims[name] = value }
    let key = try key ?? SigningKey.shared.get(.ES256)
    let text = Array(try key.sign(claims, header: header).utf8)
    var rules = TokenRules()
    change(&rules)
    return try rules.verify(TokenRules.read(text.span), by: keys ?? key.set, now: now)
  }

  @Test(arguments: [JWSAlgorithm.RS256, .ES256, .ES384, .EdDSA]) func `let a good token through`(
    algorithm: JWSAlgorithm
  ) throws {
    let token = try verify(by: SigningKey.shared.get(algorithm))
    #expect(token.claims?["sub"] == "alice")
    #expect(token.header["alg"]?.string == algorithm.rawValue)
  }

  // MARK: Times (RFC 7519 sections 4.1.4 to 4.1.6)

  @Test(arguments: [0, 1, 60, 300]) func `hold a token for dead from exp on, give or take the skew`(skew: Int) throws {
    try verify([("exp", .int(now - skew + 1))]) { $0.clockSkew = skew }
    #expect(throws: TokenFault.expired(at: now - skew)) {
      try verify([("exp", .int(now - skew))]) { $0.clockSkew = skew }
    }
    try verify([("nbf", .int(now + skew))]) { $0.clockSkew = skew }
    #expect(throws: TokenFault.notYetValid(until: now + skew + 1)) {
      try verify([("nbf", .int(now + skew + 1))]) { $0.clockSkew = skew }
    }
    try verify([("iat", .int(now + skew))]) { $0.clockSkew = skew }
    #expect(throws: TokenFault.issuedInFuture(at: now + skew + 1)) {
      try verify([("iat", .int(now + skew + 1))]) { $0.clockSkew = skew }
    }
  }

  @Test func `take no more skew than five minutes, and a minute unless told`() throws {
    #expect(throws: TokenFault.expired(at: now - 300)) {
      try verify([("exp", .int(now - 300))]) { $0.clockSkew = .max }
    }
    try verify([("exp", .int(now + 1))]) { $0.clockSkew = .min }
    #expect(throws: TokenFault.expired(at: now - 60)) { try verify([("exp", .int(now - 60))]) }
    try verify([("exp", .int(now - 59))])
  }

  @Test func `want an end, unless that is waived`() throws {
    for value: JSON? in [nil, .null] {
      #expect(throws: TokenFault.missingClaim("exp")) { try verify([("exp", value)]) }
    }
    #expect(try verify([("exp", nil), ("iat", nil)]) { $0.requiresExpiry = false }.claims?.object.count == 3)
  }

  @Test(arguments: ["exp", "nbf", "iat"]) func `refuse a time that is none`(claim: String) {
    for value: JSON in ["1700000300", true, [], .int(-1), .int(253_402_300_800), .int(.max)] {
      #expect(throws: TokenFault.malformedClaim(claim)) { try verify([(claim, value)]) }
    }
  }

  // MARK: Parties

  @Test func `compare the issuer byte by byte`() throws {
    try verify { $0.issuer = issuerText }
    for other in [issuerText + "/", "HTTPS://as.example/tenant", ""] {
      #expect(throws: TokenFault.wrongIssuer(isMissing: false)) {
        try verify([("iss", .string(other))]) { $0.issuer = issuerText }
      }
    }
    #expect(throws: TokenFault.wrongIssuer(isMissing: true)) { try verify([("iss", nil)]) { $0.issuer = issuerText } }
    try verify([("iss", nil)])
    #expect(throws: TokenFault.malformedClaim("iss")) { try verify([("iss", 1)]) }
  }

  @Test func `take Google's name without its scheme, and no other server's`() throws {
    try verify([("iss", "accounts.google.com")]) { $0.issuer = "https://accounts.google.com" }
    for (claim, issuer) in [
      ("accounts.google.com.evil.example", "https://accounts.google.com"), ("as.example/tenant", issuerText),
      ("http://accounts.google.com", "https://accounts.google.com"),
    ] {
      #expect(throws: TokenFault.wrongIssuer(isMissing: false)) {
        try verify([("iss", .string(claim))]) { $0.issuer = issuer }
      }
    }
  }

  @Test func `look for the audience among all of the token's`() throws {
    for value: JSON in ["cli", ["cli"], ["x", "cli"]] {
      try verify([("aud", value)]) { $0.audiences = ["other", "cli"] }
    }
    for value: JSON in ["cli2", ["x"], "CLI"] {
      #expect(throws: TokenFault.wrongAudience(isMissing: false)) {
        try verify([("aud", value)]) { $0.audiences = ["other", "cli"] }
      }
    }
    #expect(throws: TokenFault.wrongAudience(isMissing: true)) {
      try verify([("aud", nil)]) { $0.audiences = ["other", "cli"] }
    }
    #expect(throws: TokenFault.wrongAudience(isMissing: true)) {
      try verify([("aud", .null)]) { $0.audiences = ["other", "cli"] }
    }
    for value: JSON in [[], [1], 1] {
      #expect(throws: TokenFault.malformedClaim("aud")) { try verify([("aud", value)]) }
    }
  }

  // MARK: Signature (RFC 8725 sections 3.1 and 3.11)

  @Test func `take the algorithms that they name and no other`() throws {
    try verify { $0.algorithms = [.ES256, .RS256] }
    #expect(throws: TokenFault.signature(.algorithmNotAllowed)) { try verify { $0.algorithms = [.RS256, .ES384] } }
  }

  @Test func `compare the type as a media type, where one is named`() throws {
    try verify(header: ["typ": "application/AT+JWT"]) { $0.type = "at+jwt" }
    try verify(header: ["typ": "anything"])
    try verify(header: [:])
    for header: JSONObject in [["typ": "JWT"], [:]] {
      #expect(throws: TokenFault.signature(.wrongType)) { try verify(header: header) { $0.type = "at+jwt" } }
    }
  }

  @Test func `look at the signature before any claim`() throws {
    let (key, other) = (try SigningKey.shared.get(.ES256), try SigningKey(.generateEC(.p256), .ES256, "ec"))
    #expect(throws: TokenFault.signature(.badSignature)) { try verify([("exp", 1)], by: key, keys: other.set) }
    #expect(throws: TokenFault.signature(.unknownKey)) {
      try verify([("exp", 1)], by: key, keys: SigningKey.shared.get(.RS256).set)
    }
  }

  @Test func `may be about the signature alone`() throws {
    let key = try SigningKey.shared.get(.ES256)
    let text = Array(
      try JWSSigner.sign(header: ["kid": "ec"], payload: Array("hello".utf8), key: key.key, algorithm: .ES256).utf8)
    let token = try TokenRules.read(text.span)
    #expect(throws: TokenFault.noClaims) { try TokenRules().verify(token, by: key.set, now: now) }
    var rules = TokenRules()
    rules.isSignatureOnly = true
    let verified = try rules.verify(token, by: key.set, now: now)
    #expect(verified.payload == Array("hello".utf8) && verified.claims == nil)
  }

  @Test func `want new keys only where these may make a difference`() {
    for reason: JOSEError.Code in [.unknownKey, .ambiguousKey, .unsuitableKey, .badSignature] {
      #expect(TokenFault.signature(reason).needsNewKeys)
    }
    for fault: TokenFault in [.signature(.algorithmNotAllowed), .form(.unknownKey), .noClaims, .expired(at: 1)] {
      #expect(!fault.needsNewKeys)
    }
  }
}
