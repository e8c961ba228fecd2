import Crypto
import Encoding
@testable import OAuth
import Testing
import Vocabulary

// OpenID Connect Core 1.0 section 3.1.3.7.
@Suite struct `ID Token validation` {
  @Test(arguments: [JWSAlgorithm.RS256, .ES256, .ES384, .EdDSA]) func `a good token is accepted`(
    algorithm: JWSAlgorithm
  ) throws {
    let token = try verify(with("unknown", ["x"]), by: SigningKey.shared.get(algorithm))
    #expect(token.identity == IdentityRecord(issuer: issuerText, subject: "alice", audience: ["agent"]))
    #expect(token.issuedAt == now)
    #expect(token.expiresAt == now + 300)
    #expect(token.claims["unknown"] == ["x"])
  }

  @Test(arguments: ["iss", "sub", "aud", "exp", "iat"], [nil, JSON.null])
  func `a required claim must be there`(name: String, value: JSON?) {
    #expect(throws: IDTokenError(.missingClaim(name))) { try verify(with(name, value)) }
  }

  // Step 2.
  @Test func `an issuer without the scheme is only that of a provider that leaves it out`() throws {
    let google = try Issuer("https://accounts.google.com", allowHTTPLoopback: false)
    for name in ["accounts.google.com", "https://accounts.google.com"] {
      let token = try verify(with("iss", .string(name))) { $0.issuer = google }
      #expect(token.identity.issuer == "https://accounts.google.com")
    }
    for name in ["http://accounts.google.com", "//accounts.google.com", "google.com", ""] {
      #expect(throws: IDTokenError(.wrongIssuer(isMissing: false))) {
        try verify(with("iss", .string(name))) { $0.issuer = google }
      }
    }
    let withoutScheme = String(issuerText.dropFirst("https://".count))
    #expect(throws: IDTokenError(.wrongIssuer(isMissing: false))) { try verify(with("iss", .string(withoutScheme))) }
  }

  @Test(arguments: [issuerText + "/", "https://AS.example/tenant", "https://evil.example", ""])
  func `another issuer is refused`(issuer: String) {
    #expect(throws: IDTokenError(.wrongIssuer(isMissing: false))) { try verify(with("iss", .string(issuer))) }
  }

  // Step 3.
  @Test func `another client's token is refused`() {
    for audience: JSON in ["other", ["other"], "Agent", "agent "] {
      #expect(throws: IDTokenError(.wrongAudience(isMissing: false))) { try verify(with("aud", audience)) }
    }
  }

  @Test func `the audience may be a list`() throws {
    #expect(try verify(with("aud", ["agent"])).identity.audience == ["agent"])
    #expect(try verify(with("aud", ["agent", "agent"])).identity.subject == "alice")
  }

  @Test func `an audience that we do not trust is refused`() {
    var claims = with("aud", ["agent", "other"])
    claims["azp"] = "agent"
    let error = IDTokenError(.untrustedAudience(["other"]))
    #expect(throws: error) { try verify(claims) }
    #expect(OAuthError(error).advice == "if they belong together: \("--trust-audience 'other'")")
    #expect(OAuthError(IDTokenError(.untrustedAudience(["it's"]))).advice == nil)
    // There is no advice to trust an audience of another client's token.
    claims["azp"] = "other"
    #expect(throws: IDTokenError(.untrustedAudience([]))) { try verify(claims) }
  }

  @Test func `several trusted audiences need the authorized party`() throws {
    var claims = with("aud", ["agent", "api"])
    #expect(throws: IDTokenError(.missingClaim("azp"))) { try verify(claims) { $0.trustedAudiences = ["api"] } }
    claims["azp"] = "agent"
    let token = try verify(claims) { $0.trustedAudiences = ["api"] }
    #expect(token.identity.audience == ["agent", "api"])
    #expect(token.identity.authorizedParty == "agent")
  }

  // Steps 4 and 5.
  @Test func `a token issued to another party is refused`() {
    #expect(throws: IDTokenError(.wrongAuthorizedParty)) { try verify(with("azp", "other")) }
  }

  @Test func `our own party does not make up for another audience`() {
    var claims = with("aud", "web-client")
    claims["azp"] = "agent"
    #expect(throws: IDTokenError(.wrongAudience(isMissing: false))) { try verify(claims) }
  }

  // Step 9; RFC 7519 section 4.1.4: on or after.
  @Test func `a token is dead at its expiry plus the skew`() throws {
    #expect(try verify(with("exp", .int(now - 59))).expiresAt == now - 59)
    #expect(throws: IDTokenError(.expired(at: now - 60))) { try verify(with("exp", .int(now - 60))) }
    #expect(throws: IDTokenError(.expired(at: now))) { try verify(with("exp", .int(now))) { $0.clockSkew = 0 } }
    #expect(throws: IDTokenError(.expired(at: now))) { try verify(with("exp", .int(now))) { $0.clockSkew = -60 } }
  }

  @Test func `the skew has a limit`() throws {
    #expect(try verify(with("exp", .int(now - 299))) { $0.clockSkew = .max }.issuedAt == now)
    #expect(throws: IDTokenError(.expired(at: now - 300))) {
      try verify(with("exp", .int(now - 300))) { $0.clockSkew = .max }
    }
  }

  // RFC 7519 section 4.1.5.
  @Test func `a token that is not yet valid is refused`() throws {
    #expect(try verify(with("nbf", .int(now + 60))).issuedAt == now)
    #expect(throws: IDTokenError(.notYetValid(until: now + 61))) { try verify(with("nbf", .int(now + 61))) }
  }

  // Step 10.
  @Test func `a token from the future is refused`() throws {
    #expect(try verify(with("iat", .int(now + 600))).issuedAt == now + 600)
    #expect(throws: IDTokenError(.issuedInFuture(at: now + 601))) { try verify(with("iat", .int(now + 601))) }
    #expect(try verify(with("iat", .int(0))).issuedAt == 0)
  }

  // RFC 7519 section 2: a NumericDate is a number, and a fraction never extends a token's lifetime.
  @Test(arguments: ["exp", "iat", "nbf", "auth_time"]) func `a time is a number of this age`(name: String) throws {
    for text in ["-1", "253402300800", "1e400", "1e300", #""1700000000""#, "true", "[]", "{}", "-0.5"] {
      let value = try JSON(parsing: Array(text.utf8))
      #expect(throws: IDTokenError(.malformedClaim(name))) { try verify(with(name, value)) }
    }
  }

  // OpenID Connect Core 1.0 section 13.3: servers omit claims without a value, but some send null.
  @Test(arguments: ["nbf", "auth_time", "azp", "nonce", "acr", "at_hash", "c_hash"])
  func `a claim that is null is absent`(name: String) throws {
    #expect(try verify(with(name, .null)).identity.subject == "alice")
  }

  @Test func `a nonce that was sent does not come back as null`() {
    #expect(throws: IDTokenError(.missingClaim("nonce"))) {
      try verify(with("nonce", .null)) { $0.requirements.nonce = "n1" }
    }
  }

  @Test func `fractions are rounded against the token`() throws {
    let number = { (text: String) in try JSON(parsing: Array(text.utf8)) }
    #expect(try verify(with("exp", number("1700000300.9"))).expiresAt == now + 300)
    #expect(try verify(with("iat", number("1700000000.1"))).issuedAt == now + 1)
  }

  // Step 11.
  @Test func `the nonce that was sent must come back`() throws {
    #expect(try verify(with("nonce", "n1")) { $0.requirements.nonce = "n1" }.identity.nonce == "n1")
    #expect(throws: IDTokenError(.wrongNonce)) {
      try verify(with("nonce", "n2")) { $0.requirements.nonce = "n1" }
    }
    #expect(throws: IDTokenError(.wrongNonce)) {
      try verify(with("nonce", "n1x")) { $0.requirements.nonce = "n1" }
    }
    #expect(throws: IDTokenError(.missingClaim("nonce"))) { try verify(goodClaims) { $0.requirements.nonce = "n1" } }
  }

  @Test func `a nonce that nobody asked for is ignored`() throws {
    #expect(try verify(with("nonce", "n1")).identity.nonce == "n1")
    #expect(throws: IDTokenError(.malformedClaim("nonce"))) { try verify(with("nonce", 1)) }
  }

  // Step 12.
  @Test func `an authentication that was asked for must have happened`() throws {
    #expect(try verify(with("acr", "gold")) { $0.requirements.acrValues = ["silver", "gold"] }.issuedAt == now)
    #expect(throws: IDTokenError(.insufficientAuthentication)) {
      try verify(with("acr", "bronze")) { $0.requirements.acrValues = ["silver", "gold"] }
    }
    #expect(throws: IDTokenError(.missingClaim("acr"))) {
      try verify(goodClaims) { $0.requirements.acrValues = ["gold"] }
    }
    #expect(try verify(with("acr", "any")).issuedAt == now)
  }

  // Step 13.
  @Test func `an authentication must be as fresh as was asked for`() throws {
    #expect(
      try verify(with("auth_time", .int(now - 160))) { $0.requirements.maxAge = 100 }.identity.authTime == now - 160)
    #expect(throws: IDTokenError(.authenticationTooOld)) {
      try verify(with("auth_time", .int(now - 161))) { $0.requirements.maxAge = 100 }
    }
    #expect(throws: IDTokenError(.missingClaim("auth_time"))) {
      try verify(goodClaims) { $0.requirements.maxAge = 100 }
    }
    #expect(try verify(with("auth_time", 0)).identity.authTime == 0)
  }

  // Section 2.
  @Test func `a subject is 1 to 255 ASCII characters`() throws {
    let longest = String(repeating: "s", count: 255)
    #expect(try verify(with("sub", .string(longest))).identity.subject == longest)
    for subject in ["", longest + "s", "é", "a\nb"] {
      #expect(throws: IDTokenError(.malformedClaim("sub"))) { try verify(with("sub", .string(subject))) }
    }
  }

  @Test(arguments: ["iss", "sub", "azp", "nonce", "acr"]) func `a text claim is a string`(name: String) {
    for value: JSON in [1, true, ["x"], "a\u{0}"] {
      #expect(throws: IDTokenError(.malformedClaim(name))) { try verify(with(name, value)) }
    }
  }

  @Test func `an audience is a string or a list of strings`() {
    for value: JSON in [1, [], [1], ["agent", 1], .object(JSONObject())] {
      #expect(throws: IDTokenError(.malformedClaim("aud"))) { try verify(with("aud", value)) }
    }
  }

  // OpenID Connect Back-Channel Logout 1.0 section 2.4, RFC 8725 section 3.12.
  @Test func `a logout token is no ID Token`() throws {
    let events: JSON = ["http://schemas.openid.net/event/backchannel-logout": .object(JSONObject())]
    #expect(throws: IDTokenError(.logoutToken(claim: "events"))) { try verify(with("events", events)) }
    #expect(try verify(with("events", ["other": 1])).issuedAt == now)
  }
}
