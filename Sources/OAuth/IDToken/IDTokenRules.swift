internal import Crypto
internal import Encoding
internal import JOSE

/// Checks the claims of an ID Token after its signature (OpenID Connect Core 1.0 section 3.1.3.7).
struct IDTokenRules {
  let claims: JWTClaims
  let algorithm: IDTokenAlgorithm
  let expected: IDTokenExpectation
  /// The `issuer` member of the key that verified the token, if any.
  var keyIssuer: String?

  /// Checks all rules in order and stops at the first failure.
  func check() throws(IDTokenError) -> (identity: IdentityRecord, issuedAt: Int, expiresAt: Int) {
    try checkKind()
    let issuer = try checkIssuer()
    let audience = try checkAudience()
    let authorizedParty = try checkAuthorizedParty(audience)
    let expiresAt = try checkExpiry()
    let issuedAt = try checkIssueTime()
    let nonce = try checkNonce()
    try checkAuthenticationContext()
    let authTime = try checkAuthenticationTime()
    let subject = try checkSubject()
    try checkHashes()
    let identity = IdentityRecord(
      issuer: issuer, subject: subject, audience: audience, authorizedParty: authorizedParty, authTime: authTime,
      nonce: nonce)
    if let first = expected.first { try check(identity, against: first) }
    return (identity, issuedAt, expiresAt)
  }

  // MARK: Type, issuer and audience

  /// Rejects other kinds of JWT (RFC 8725 section 3.12).
  private func checkKind() throws(IDTokenError) {
    guard claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == nil else {
      throw IDTokenError(.logoutToken, "events")
    }
  }

  /// Step 2.
  private func checkIssuer() throws(IDTokenError) -> String {
    let issuer = try require("iss") { () throws(JOSEError) in try claims.issuer }
    guard let tenant = expected.tenant else {
      guard expected.issuer.isNamed(by: issuer) else { throw IDTokenError(.issuerMismatch, "iss") }
      return expected.issuer.text
    }
    let id = try read("tid") { () throws(JOSEError) in try claims.string("tid") }
    guard tenant.isIssuer(issuer, tenant: id, keyIssuer: keyIssuer) else { throw IDTokenError(.issuerMismatch, "iss") }
    return issuer
  }

  /// Step 3.
  private func checkAudience() throws(IDTokenError) -> [String] {
    let audience = try require("aud") { () throws(JOSEError) in try claims.audience }
    guard audience.contains(where: { isSame($0, expected.clientID) }) else {
      throw IDTokenError(.audienceMismatch, "aud")
    }
    let others = audience.filter { !isSame($0, expected.clientID) && !isTrusted($0) }
    guard others.isEmpty else {
      var error = IDTokenError(.untrustedAudience, "aud")
      let party = try? claims.string("azp")
      if isSame(party, expected.clientID) { error.untrustedAudiences = others }
      throw error
    }
    return audience
  }

  private func isTrusted(_ audience: String) -> Bool { expected.trustedAudiences.contains { isSame($0, audience) } }

  /// Steps 4 and 5. Required with several audiences, as in the first edition of the specification.
  private func checkAuthorizedParty(_ audience: [String]) throws(IDTokenError) -> String? {
    guard let party = try read("azp", { () throws(JOSEError) in try claims.string("azp") }) else {
      let isSingle = audience.allSatisfy { isSame($0, audience[0]) }
      guard isSingle else { throw IDTokenError(.missingClaim, "azp") }
      return nil
    }
    guard isSame(party, expected.clientID) else { throw IDTokenError(.authorizedPartyMismatch, "azp") }
    return party
  }

  // MARK: Times

  /// Step 9: expired at `exp`, not after it (RFC 7519 section 4.1.4).
  private func checkExpiry() throws(IDTokenError) -> Int {
    let expiresAt = try require("exp") { () throws(JOSEError) in try claims.expiresAt }
    guard expected.now - expected.skew < expiresAt else { throw IDTokenError(.expired, "exp") }
    if let notBefore = try read("nbf", { () throws(JOSEError) in try claims.notBefore }) {
      guard notBefore <= expected.now + expected.skew else { throw IDTokenError(.notYetValid, "nbf") }
    }
    return expiresAt
  }

  /// Step 10. There is no age limit other than `exp`.
  private func checkIssueTime() throws(IDTokenError) -> Int {
    let issuedAt = try require("iat") { () throws(JOSEError) in try claims.issuedAt }
    guard issuedAt <= expected.now + IDTokenExpectation.longestAhead else {
      throw IDTokenError(.issuedInFuture, "iat")
    }
    return issuedAt
  }

  /// Step 13.
  private func checkAuthenticationTime() throws(IDTokenError) -> Int? {
    let authTime = try read("auth_time") { () throws(JOSEError) in try claims.authTime }
    guard let maxAge = expected.demands.maxAge else { return authTime }
    guard let authTime else { throw IDTokenError(.missingClaim, "auth_time") }
    // `auth_time` is between 1970 and the year 9999, and `max_age` is any configured number.
    let (age, overflow) = expected.now.subtractingReportingOverflow(authTime)
    guard !overflow, age - expected.skew <= maxAge else { throw IDTokenError(.authenticationTooOld, "auth_time") }
    return authTime
  }

  // MARK: The sign-in and its user

  /// Step 11. A nonce that we did not send is ignored.
  private func checkNonce() throws(IDTokenError) -> String? {
    let found = try read("nonce") { () throws(JOSEError) in try claims.string("nonce") }
    guard let sent = expected.demands.nonce else { return found }
    guard let found else { throw IDTokenError(.missingClaim, "nonce") }
    let (a, b) = (Array(found.utf8), Array(sent.utf8))
    guard ConstantTime.isEqual(a.span, b.span) else { throw IDTokenError(.nonceMismatch, "nonce") }
    return found
  }

  /// Step 12.
  private func checkAuthenticationContext() throws(IDTokenError) {
    let found = try read("acr") { () throws(JOSEError) in try claims.string("acr") }
    guard !expected.demands.acrValues.isEmpty else { return }
    guard let found else { throw IDTokenError(.missingClaim, "acr") }
    guard expected.demands.acrValues.contains(where: { isSame($0, found) }) else {
      throw IDTokenError(.insufficientAuthentication, "acr")
    }
  }

  /// Section 2: at most 255 ASCII characters.
  private func checkSubject() throws(IDTokenError) -> String {
    let subject = try require("sub") { () throws(JOSEError) in try claims.subject }
    guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy(\.isPrintableASCII) else {
      throw IDTokenError(.malformedClaim, "sub")
    }
    return subject
  }

  /// Sections 3.1.3.8 and 3.3.2.11.
  private func checkHashes() throws(IDTokenError) {
    try check("at_hash", of: expected.accessToken, or: .accessTokenHashMismatch)
    try check("c_hash", of: expected.demands.code, or: .codeHashMismatch)
  }

  private func check(_ claim: String, of secret: SharedSecret?, or code: IDTokenError.Code) throws(IDTokenError) {
    guard let found = try read(claim, { () throws(JOSEError) in try claims.string(claim) }), let secret else { return }
    let isHash: Bool
    do {
      isHash = try secret.bytes.withBytes { (bytes) throws(JOSEError) in
        try algorithm.isLeftHalfHash(found, of: bytes)
      }
    } catch {
      throw IDTokenError(.signature(error.code), claim)
    }
    guard isHash else { throw IDTokenError(code, claim) }
  }

  /// Section 12.2. Claims missing from the first token are not compared, except `azp` and `nonce`, which must not
  /// appear later. `auth_time` may change: servers update it when the same user signs in again, which is no reason to
  /// end the session.
  private func check(_ identity: IdentityRecord, against first: IdentityRecord) throws(IDTokenError) {
    guard isSame(identity.issuer, first.issuer) else { throw IDTokenError(.identityChanged, "iss") }
    guard isSame(identity.subject, first.subject) else { throw IDTokenError(.identityChanged, "sub") }
    // Trusted audiences may be added or removed.
    guard isSameSet(identity.audience.filter { !isTrusted($0) }, first.audience.filter { !isTrusted($0) }) else {
      throw IDTokenError(.identityChanged, "aud")
    }
    guard isSame(identity.authorizedParty, first.authorizedParty) else { throw IDTokenError(.identityChanged, "azp") }
    if let nonce = identity.nonce, !isSame(nonce, first.nonce) { throw IDTokenError(.identityChanged, "nonce") }
  }
}

extension IDTokenRules {
  private func read<Value>(
    _ claim: String, _ value: () throws(JOSEError) -> Value?
  ) throws(IDTokenError) -> Value? {
    do { return try value() } catch { throw IDTokenError(.malformedClaim, claim) }
  }

  private func require<Value>(
    _ claim: String, _ value: () throws(JOSEError) -> Value?
  ) throws(IDTokenError) -> Value {
    guard let found = try read(claim, value) else { throw IDTokenError(.missingClaim, claim) }
    return found
  }

  /// Swift's `==` treats canonically equivalent strings as equal (RFC 8259 section 8.3).
  private func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

  private func isSame(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): isSame(a, b)
    default: false
    }
  }

  private func isSameSet(_ a: [String], _ b: [String]) -> Bool {
    a.allSatisfy { one in b.contains { isSame($0, one) } } && b.allSatisfy { one in a.contains { isSame($0, one) } }
  }
}
