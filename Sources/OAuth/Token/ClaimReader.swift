internal import Encoding
internal import Crypto

/// A check's time in unix seconds, and the tolerated clock difference in seconds.
package struct TokenClock: Sendable {
  package static let maximumSkew = 300
  package static let defaultSkew = 60
  /// The maximum seconds that `iat` may be ahead if the issuer is known.
  static let maximumIssuedAhead = 600

  let now: Int
  let skew: Int

  /// `skew` is limited to ``maximumSkew``.
  package init(now: Int, skew: Int = Self.defaultSkew) {
    self.now = now
    self.skew = min(max(skew, 0), Self.maximumSkew)
  }

  /// Checks the given times. Tokens expire at `exp` (RFC 7519 section 4.1.4). `iat` may be `ahead` seconds in the
  /// future (default: ``skew``).
  func check(
    expiresAt: Int?, notBefore: Int?, issuedAt: Int? = nil, issuedAhead ahead: Int? = nil
  ) throws(TokenFault) {
    if let expiresAt, expiresAt <= now - skew { throw .expired(at: expiresAt) }
    if let notBefore, notBefore > now + skew { throw .notYetValid(until: notBefore) }
    if let issuedAt, issuedAt > now + (ahead ?? skew) { throw .issuedInFuture(at: issuedAt) }
  }
}

/// Reads a token's claims.
struct ClaimReader {
  let claims: JWTClaims

  /// Calls `value` to read the claim `name`. Converts errors to `malformedClaim`.
  func read<Value>(_ name: String, _ value: () throws(JOSEError) -> Value?) throws(TokenFault) -> Value? {
    do { return try value() } catch { throw .malformedClaim(name) }
  }

  /// Like ``read(_:_:)``, but throws `missingClaim` for nil.
  func require<Value>(_ name: String, _ value: () throws(JOSEError) -> Value?) throws(TokenFault) -> Value {
    guard let found = try read(name, value) else { throw .missingClaim(name) }
    return found
  }

  func text(_ name: String) throws(TokenFault) -> String? {
    try read(name) { () throws(JOSEError) in try claims.string(name) }
  }

  func issuer() throws(TokenFault) -> String? { try read("iss") { () throws(JOSEError) in try claims.issuer } }

  func audience() throws(TokenFault) -> [String]? { try read("aud") { () throws(JOSEError) in try claims.audience } }

  func authenticationTime() throws(TokenFault) -> Int? {
    try read("auth_time") { () throws(JOSEError) in try claims.authTime }
  }

  /// Whether `name` is an acceptable issuer for the token's `tid`.
  func isIssuer(_ name: String, of tenant: TenantIssuer, keyIssuer: String?) throws(TokenFault) -> Bool {
    tenant.isIssuer(name, tenant: try text("tid"), keyIssuer: keyIssuer)
  }

  /// Checks times and returns `iat` and `exp`. `iat` may be `ahead` seconds in the future (default: the clock's
  /// tolerance).
  func checkTimes(
    _ clock: TokenClock, issuedAhead ahead: Int? = nil
  ) throws(TokenFault) -> (issuedAt: Int?, expiresAt: Int?) {
    let expiresAt = try read("exp") { () throws(JOSEError) in try claims.expiresAt }
    let notBefore = try read("nbf") { () throws(JOSEError) in try claims.notBefore }
    let issuedAt = try read("iat") { () throws(JOSEError) in try claims.issuedAt }
    try clock.check(expiresAt: expiresAt, notBefore: notBefore, issuedAt: issuedAt, issuedAhead: ahead)
    return (issuedAt, expiresAt)
  }

  /// The `sub`: at most 255 ASCII characters (OpenID Connect Core section 2).
  func subject() throws(TokenFault) -> String {
    let subject = try require("sub") { () throws(JOSEError) in try claims.subject }
    guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy(\.isPrintableASCII) else {
      throw .malformedClaim("sub")
    }
    return subject
  }

  /// The `azp` claim, required with several audiences (first edition of OpenID Connect Core 1.0, section 3.1.3.7, steps
  /// 4 and 5).
  func authorizedParty(_ audience: [String], isClient: (String) -> Bool) throws(TokenFault) -> String? {
    guard let party = try text("azp") else {
      let isSingle = audience.allSatisfy { $0.hasSameBytes(as: audience[0]) }
      guard isSingle else { throw .missingClaim("azp") }
      return nil
    }
    guard isClient(party) else { throw .wrongAuthorizedParty }
    return party
  }

  /// See OpenID Connect Back-Channel Logout 1.0 section 2.4.
  var isLogoutToken: Bool { claims["events"]?[TokenProfile.logoutEvent] != nil }
}
