import Crypto
import Encoding
@testable import OAuth
import Testing

// OpenID Connect Core 1.0 section 12.2.
@Suite struct `ID Token on refresh` {
  private let first = IdentityRecord(
    issuer: issuerText, subject: "alice", audience: ["agent"], authorizedParty: nil, authTime: 5, nonce: nil)

  private func refresh(_ claims: JSONObject, change: (inout IdentityRecord) -> Void = { _ in }) throws -> IDToken {
    var record = first
    change(&record)
    return try verify(claims) { $0.first = record }
  }

  @Test func `the same identity is accepted`() throws {
    #expect(try refresh(goodClaims).identity.subject == "alice")
    #expect(try refresh(with("auth_time", 5)).identity.authTime == 5)
    #expect(try refresh(with("iat", .int(now + 5))).issuedAt == now + 5)
  }

  @Test func `another subject is refused`() {
    #expect(throws: IDTokenError(.identityChanged(claim: "sub"))) { try refresh(with("sub", "Alice")) }
  }

  @Test func `another issuer than the first is refused`() {
    #expect(throws: IDTokenError(.identityChanged(claim: "iss"))) {
      try refresh(goodClaims) { $0.issuer = "https://before.example" }
    }
  }

  @Test func `the audience must be the same set`() throws {
    #expect(throws: IDTokenError(.identityChanged(claim: "aud"))) {
      try refresh(goodClaims) { $0.audience = ["agent", "api"] }
    }
    var claims = with("aud", ["api", "agent"])
    claims["azp"] = "agent"
    let token = try verify(claims) {
      $0.trustedAudiences = ["api"]
      $0.first = first
      $0.first?.audience = ["agent", "api"]
      $0.first?.authorizedParty = "agent"
    }
    #expect(token.identity.audience == ["api", "agent"])
  }

  // The section requires the first one; GitLab, Cognito and Keycloak update it when the same user signs in again.
  @Test func `the time of authentication may be another one`() throws {
    #expect(try refresh(with("auth_time", 6)).identity.authTime == 6)
    #expect(try refresh(with("auth_time", 6)) { $0.authTime = nil }.identity.authTime == 6)
  }

  @Test func `a nonce must be the first one`() throws {
    #expect(throws: IDTokenError(.identityChanged(claim: "nonce"))) { try refresh(with("nonce", "n")) }
    #expect(throws: IDTokenError(.identityChanged(claim: "nonce"))) {
      try refresh(with("nonce", "n")) { $0.nonce = "m" }
    }
    #expect(try refresh(with("nonce", "n")) { $0.nonce = "n" }.identity.nonce == "n")
    #expect(try refresh(goodClaims) { $0.nonce = "n" }.identity.nonce == nil)
  }

  @Test func `the authorized party must be the first one`() throws {
    #expect(throws: IDTokenError(.identityChanged(claim: "azp"))) { try refresh(with("azp", "agent")) }
    #expect(throws: IDTokenError(.identityChanged(claim: "azp"))) {
      try refresh(goodClaims) { $0.authorizedParty = "agent" }
    }
    #expect(try refresh(with("azp", "agent")) { $0.authorizedParty = "agent" }.identity.authorizedParty == "agent")
  }

  /// A token that violates a rule of section 3.1.3.7 like the first one, so that only this rule detects it.
  struct Broken: CustomTestStringConvertible, Sendable {
    var changes: JSONObject
    var error: IDTokenError
    var first: @Sendable (inout IdentityRecord) -> Void = { _ in }
    var expecting: @Sendable (inout IDTokenExpectation) throws -> Void = { _ in }
    var testDescription: String { "\(error.fault)" }
  }

  private static let others: [Broken] = [
    Broken(
      changes: ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]],
      error: IDTokenError(.logoutToken(claim: "events"))),
    Broken(changes: ["iss": "https://evil.example"], error: IDTokenError(.wrongIssuer(isMissing: false))) {
      $0.issuer = "https://evil.example"
    },
    Broken(changes: ["aud": "other"], error: IDTokenError(.wrongAudience(isMissing: false))) {
      $0.audience = ["other"]
    },
    Broken(changes: ["aud": ["agent", "other"]], error: IDTokenError(.untrustedAudience([]))) {
      $0.audience = ["agent", "other"]
    },
    Broken(changes: ["aud": ["agent", "api"]], error: IDTokenError(.missingClaim("azp"))) {
      $0.audience = ["agent", "api"]
    } expecting: {
      $0.trustedAudiences = ["api"]
    },
    Broken(changes: ["azp": "other"], error: IDTokenError(.wrongAuthorizedParty)) {
      $0.authorizedParty = "other"
    },
    Broken(changes: ["exp": .int(now - 60)], error: IDTokenError(.expired(at: now - 60))),
    Broken(changes: ["exp": .null], error: IDTokenError(.missingClaim("exp"))),
    Broken(changes: ["nbf": .int(now + 61)], error: IDTokenError(.notYetValid(until: now + 61))),
    Broken(changes: ["iat": .int(now + 601)], error: IDTokenError(.issuedInFuture(at: now + 601))),
    Broken(changes: ["sub": "ä"], error: IDTokenError(.malformedClaim("sub"))) { $0.subject = "ä" },
    Broken(changes: ["at_hash": "LDktKdoQak3Pk0cnXxCltA"], error: IDTokenError(.wrongHash(claim: "at_hash"))) {
      _ in
    } expecting: {
      $0.accessToken = try secret("at-2")
    },
    Broken(changes: [:], error: IDTokenError(.signature(.algorithmNotAllowed))) { _ in
    } expecting: {
      $0.algorithms = [.RS256]
    },
  ]

  @Test func `audiences that the account trusts may come and go`() throws {
    var claims = goodClaims
    var record = first
    record.audience = ["agent", "older"]
    record.authorizedParty = "agent"
    claims["azp"] = "agent"
    for audience: JSON in [["agent"], ["agent", "newer"], ["older", "agent", "newer"]] {
      claims["aud"] = audience
      let token = try verify(claims) {
        $0.first = record
        $0.trustedAudiences = ["older", "newer"]
      }
      #expect(token.identity.audience == audience.array?.compactMap(\.string))
    }
  }

  @Test(arguments: others) func `all other rules hold too`(broken: Broken) {
    var claims = goodClaims
    for name in broken.changes.names { claims[name] = broken.changes[name] == .null ? nil : broken.changes[name] }
    var record = first
    broken.first(&record)
    #expect(throws: broken.error) {
      try verify(claims) {
        $0.first = record
        try broken.expecting(&$0)
      }
    }
  }

  @Test func `a signature by another key is refused`() throws {
    let keys = try SigningKey(.generateEC(.p256), .ES256, "ec").set
    #expect(throws: IDTokenError(.signature(.badSignature))) { try verify(goodClaims, keys: keys) { $0.first = first } }
  }
}
