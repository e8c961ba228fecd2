internal import Crypto
internal import Encoding

/// Checks an ID Token's claims (OpenID Connect Core section 3.1.3.7, cited by step).
struct IDTokenRules {
  let reader: ClaimReader
  let algorithm: IDTokenAlgorithm
  let expected: IDTokenExpectation
  /// The verifying key's `issuer`, if any.
  var keyIssuer: String?

  func check() throws(TokenFault) -> (identity: IdentityRecord, issuedAt: Int, expiresAt: Int) {
    // A logout token is not an ID Token (RFC 8725 section 3.12).
    guard !reader.isLogoutToken else { throw .logoutToken(claim: "events") }
    let issuer = try checkIssuer()
    let audience = try checkAudience()
    let authorizedParty = try reader.authorizedParty(audience) { isSame($0, expected.clientID) }
    // Steps 9 and 10. Only `exp` limits the token's age.
    let times = try reader.checkTimes(expected.clock, issuedAhead: TokenClock.maximumIssuedAhead)
    guard let expiresAt = times.expiresAt else { throw .missingClaim("exp") }
    guard let issuedAt = times.issuedAt else { throw .missingClaim("iat") }
    let nonce = try checkNonce()
    try checkAuthenticationContext()
    let authTime = try checkAuthenticationTime()
    let subject = try reader.subject()
    // Sections 3.1.3.8 and 3.3.2.11.
    try check("at_hash", of: expected.accessToken)
    try check("c_hash", of: expected.requirements.code)
    let identity = IdentityRecord(
      issuer: issuer, subject: subject, audience: audience, authorizedParty: authorizedParty, authTime: authTime,
      nonce: nonce)
    if let first = expected.first { try check(identity, against: first) }
    return (identity, issuedAt, expiresAt)
  }

  /// Checks `iss` (step 2).
  private func checkIssuer() throws(TokenFault) -> String {
    guard let issuer = try reader.issuer() else { throw .missingClaim("iss") }
    guard let tenant = expected.tenant else {
      guard expected.issuer.isNamed(byClaim: issuer) else { throw .wrongIssuer(isMissing: false) }
      return expected.issuer.text
    }
    guard try reader.isIssuer(issuer, of: tenant, keyIssuer: keyIssuer) else { throw .wrongIssuer(isMissing: false) }
    return issuer
  }

  /// Checks `aud` (step 3).
  private func checkAudience() throws(TokenFault) -> [String] {
    guard let audience = try reader.audience() else { throw .missingClaim("aud") }
    guard audience.contains(where: { isSame($0, expected.clientID) }) else { throw .wrongAudience(isMissing: false) }
    let others = audience.filter { !isSame($0, expected.clientID) && !isTrusted($0) }
    guard others.isEmpty else {
      let party = try? reader.text("azp")
      throw .untrustedAudience(isSame(party, expected.clientID) ? others : [])
    }
    return audience
  }

  private func isTrusted(_ audience: String) -> Bool { expected.trustedAudiences.contains { isSame($0, audience) } }

  /// Checks `auth_time` against `max_age` (step 13).
  private func checkAuthenticationTime() throws(TokenFault) -> Int? {
    let authTime = try reader.authenticationTime()
    guard let maxAge = expected.requirements.maxAge else { return authTime }
    guard let authTime else { throw .missingClaim("auth_time") }
    // `max_age` may be any number.
    let (age, overflow) = expected.now.subtractingReportingOverflow(authTime)
    guard !overflow, age - expected.clock.skew <= maxAge else { throw .authenticationTooOld }
    return authTime
  }

  /// Checks `nonce`, if sent (step 11).
  private func checkNonce() throws(TokenFault) -> String? {
    let found = try reader.text("nonce")
    guard let sent = expected.requirements.nonce else { return found }
    guard let found else { throw .missingClaim("nonce") }
    let (a, b) = (Array(found.utf8), Array(sent.utf8))
    guard ConstantTime.isEqual(a.span, b.span) else { throw .wrongNonce }
    return found
  }

  /// Checks `acr` (step 12).
  private func checkAuthenticationContext() throws(TokenFault) {
    let found = try reader.text("acr")
    guard !expected.requirements.acrValues.isEmpty else { return }
    guard let found else { throw .missingClaim("acr") }
    guard expected.requirements.acrValues.contains(where: { isSame($0, found) }) else {
      throw .insufficientAuthentication
    }
  }

  /// Checks that a hash claim, if present, matches `secret`.
  private func check(_ claim: String, of secret: SharedSecret?) throws(TokenFault) {
    guard let found = try reader.text(claim), let secret else { return }
    let isHash: Bool
    do {
      isHash = try secret.bytes.withBytes { (bytes) throws(JOSEError) in
        try algorithm.isLeftHalfHash(found, of: bytes)
      }
    } catch {
      throw .signature(error.code)
    }
    guard isHash else { throw .wrongHash(claim: claim) }
  }

  /// Compares with the first ID Token (section 12.2). Ignores claims that the first lacks, except `azp` and `nonce`.
  /// `auth_time` may change.
  private func check(_ identity: IdentityRecord, against first: IdentityRecord) throws(TokenFault) {
    guard isSame(identity.issuer, first.issuer) else { throw .identityChanged(claim: "iss") }
    guard isSame(identity.subject, first.subject) else { throw .identityChanged(claim: "sub") }
    // Trusted audiences may change.
    guard isSameSet(identity.audience.filter { !isTrusted($0) }, first.audience.filter { !isTrusted($0) }) else {
      throw .identityChanged(claim: "aud")
    }
    guard isSame(identity.authorizedParty, first.authorizedParty) else { throw .identityChanged(claim: "azp") }
    if let nonce = identity.nonce, !isSame(nonce, first.nonce) { throw .identityChanged(claim: "nonce") }
  }

  /// Two nils are the same.
  private func isSame(_ a: String?, _ b: String?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return a.hasSameBytes(as: b)
  }

  private func isSameSet(_ a: [String], _ b: [String]) -> Bool {
    a.allSatisfy { one in b.contains { isSame($0, one) } } && b.allSatisfy { one in a.contains { isSame($0, one) } }
  }
}
