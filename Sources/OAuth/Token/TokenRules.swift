package import Encoding
package import Crypto

/// Validation rules for signed tokens (RFC 7519 section 4.1, RFC 8725).
package struct TokenRules: Sendable {
  /// The accepted `alg` values (RFC 8725 section 3.1).
  package var algorithms = Set(JWSAlgorithm.allCases)
  /// Whether the caller chose ``algorithms``.
  package var hasChosenAlgorithms = false
  /// The issuer's algorithms; nil for any. Checked after the signature, whose errors are more helpful.
  private var announced: Set<JWSAlgorithm>?
  /// Whether only the issuer's algorithms are accepted.
  package var isRestrictedByIssuer: Bool { announced != nil }
  /// The required `typ` (RFC 8725 section 3.11); nil for the ``profile``'s, if any.
  package var type: String?
  /// Nil accepts any kind of token.
  package var profile: TokenProfile?
  /// The required `iss`, compared byte by byte; nil accepts any.
  package var issuer: String?
  /// The template for a multi-tenant ``issuer``. The keys must belong to the tenant.
  package var tenant: TenantIssuer?
  /// A token needs one of these `aud` values. Empty accepts any.
  package var audiences: [String] = []
  package var requiresExpiry = true
  /// In addition to the profile's claims.
  package var requiredClaims: [String] = []
  package var claimRequirements: [ClaimRequirement] = []
  /// The tolerated clock difference, in seconds.
  package var clockSkew = TokenClock.defaultSkew
  /// Verifies only the signature. The payload need not be JSON.
  package var isSignatureOnly = false

  package init() {}

  package struct Verified: Sendable {
    package let header: JSONObject
    package let payload: [UInt8]
    /// Nil if only the signature was verified.
    package let claims: JWTClaims?
  }

  /// Parses a token without verifying it. `last` is the previous token, whose header is reused if identical.
  package static func read(
    _ compact: Span<UInt8>, after last: UnverifiedJWS? = nil
  ) throws(TokenFault) -> UnverifiedJWS {
    do { return try UnverifiedJWS(compact: compact, after: last) } catch { throw .form(error.code) }
  }

  /// Verifies the signature, then the claims at `now` (unix seconds).
  package func verify(_ token: UnverifiedJWS, by keys: JWKSet, now: Int) throws(TokenFault) -> Verified {
    let jws: VerifiedJWS
    do {
      jws = try token.verified(by: keys, algorithms: algorithms, allowedTypes: types)
    } catch {
      throw .signature(error.code)
    }
    guard announced?.contains(jws.algorithm) ?? true else { throw .signature(.algorithmNotAllowed) }
    return try checked(jws.header, jws.payload, keyIssuer: jws.keyIssuer, now: now)
  }

  private var types: AllowedTypes { type.map { .required([$0]) } ?? profile?.types ?? .any }

  private func checked(
    _ header: JSONObject, _ payload: [UInt8], keyIssuer: String?, now: Int
  ) throws(TokenFault) -> Verified {
    if isSignatureOnly { return Verified(header: header, payload: payload, claims: nil) }
    guard let claims = try? JWTClaims(payload: payload) else { throw .noClaims }
    let reader = ClaimReader(claims: claims)
    _ = try reader.checkTimes(TokenClock(now: now, skew: clockSkew))
    try checkIssuerAndAudience(reader, keyIssuer)
    try checkRequiredClaims(reader)
    try profile?.check(reader, audiences: audiences)
    for requirement in claimRequirements {
      guard let value = claims[requirement.name] else { throw .missingClaim(requirement.name) }
      guard requirement.isMet(by: value) else { throw .wrongValue(requirement) }
    }
    return Verified(header: header, payload: payload, claims: claims)
  }

  private func checkRequiredClaims(_ reader: ClaimReader) throws(TokenFault) {
    let claims = reader.claims
    if reader.isLogoutToken, profile != .logoutToken {
      if requiresExpiry, claims["exp"] == nil { throw .logoutToken(claim: "exp") }
      if profile == .idToken { throw .logoutToken(claim: "events") }
    }
    for name in (requiresExpiry ? ["exp"] : []) + (profile?.requiredClaims ?? []) + requiredClaims
    where claims[name] == nil { throw .missingClaim(name) }
  }

  /// Checks `iss` and `aud`. Always rejects malformed ones (RFC 7519 section 4.1).
  private func checkIssuerAndAudience(_ reader: ClaimReader, _ keyIssuer: String?) throws(TokenFault) {
    let named = try reader.issuer()
    if let issuer {
      guard let named else { throw .wrongIssuer(isMissing: true) }
      let isRight =
        try tenant.map { (tenant) throws(TokenFault) in try reader.isIssuer(named, of: tenant, keyIssuer: keyIssuer) }
        ?? Issuer.issClaim(named, names: issuer)
      guard isRight else { throw .wrongIssuer(isMissing: false) }
    }
    let found = try reader.audience()
    let isForCaller = found?.contains { name in audiences.contains { $0.hasSameBytes(as: name) } } ?? false
    if !audiences.isEmpty, !isForCaller { throw .wrongAudience(isMissing: found == nil) }
    _ = try reader.text("sub")
  }

  /// Restricts ID and logout tokens to the issuer's algorithms (OpenID Connect Back-Channel Logout 1.0 section 2.6), by
  /// default RS256 (OpenID Connect Core section 2). Never restricts access tokens. Without a profile, restricts only to
  /// announced algorithms if the caller chose none.
  package mutating func restrictAlgorithms(toAnnounced announced: [String]) {
    switch profile {
    case .idToken, .logoutToken: break
    case .accessToken: return
    case nil: if hasChosenAlgorithms || announced.isEmpty { return }
    }
    self.announced = announced.isEmpty ? [.RS256] : Set(announced.compactMap(JWSAlgorithm.init(name:)))
  }

  /// Standard claims that these rules do not check.
  package var uncheckedClaims: [String] {
    if isSignatureOnly { return ["iss", "aud", "exp", "nbf", "iat"] }
    return (issuer == nil ? ["iss"] : []) + (audiences.isEmpty ? ["aud"] : [])
  }
}
