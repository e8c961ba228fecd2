import Crypto
import Encoding
import JOSE
import OAuth
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
    #expect(throws: IDTokenError(.identityChanged, "sub")) { try refresh(with("sub", "Alice")) }
  }

  @Test func `another issuer than the first is refused`() {
    #expect(throws: IDTokenError(.identityChanged, "iss")) {
      try refresh(goodClaims) { $0.issuer = "https://before.example" }
    }
  }

  @Test func `the audience must be the same set`() throws {
    #expect(throws: IDTokenError(.identityChanged, "aud")) {
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
    #expect(throws: IDTokenError(.identityChanged, "aud")) {
      try verify(claims) {
        $0.trustedAudiences = ["api"]
        $0.first = first
        $0.first?.authorizedParty = "agent"
      }
    }
  }

  // P-286 asks for the first one; GitLab, Cognito and Keycloak put a later sign-in of the same user there.
  @Test func `the time of authentication may be another one`() throws {
    #expect(try refresh(with("auth_time", 6)).identity.authTime == 6)
    #expect(try refresh(with("auth_time", 6)) { $0.authTime = nil }.identity.authTime == 6)
  }

  @Test func `a nonce must be the first one`() throws {
    #expect(throws: IDTokenError(.identityChanged, "nonce")) { try refresh(with("nonce", "n")) }
    #expect(throws: IDTokenError(.identityChanged, "nonce")) { try refresh(with("nonce", "n")) { $0.nonce = "m" } }
    #expect(try refresh(with("nonce", "n")) { $0.nonce = "n" }.identity.nonce == "n")
    #expect(try refresh(goodClaims) { $0.nonce = "n" }.identity.nonce == nil)
  }

  @Test func `the authorized party must be the first one`() throws {
    #expect(throws: IDTokenError(.identityChanged, "azp")) { try refresh(with("azp", "agent")) }
    #expect(throws: IDTokenError(.identityChanged, "azp")) { try refresh(goodClaims) { $0.authorizedParty = "agent" } }
    #expect(try refresh(with("azp", "agent")) { $0.authorizedParty = "agent" }.identity.authorizedParty == "agent")
  }

  @Test func `all other rules hold too`() {
    #expect(throws: IDTokenError(.expired, "exp")) { try refresh(with("exp", .int(now - 60))) }
    #expect(throws: IDTokenError(.audienceMismatch, "aud")) { try refresh(with("aud", "other")) }
  }
}
