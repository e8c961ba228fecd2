internal import Encoding
package import JOSE
internal import Vocabulary

/// How to verify a signed response of the UserInfo endpoint (OpenID Connect Core 1.0 section 5.3.2).
package struct UserInfoRules {
  /// Accepted `alg` values, independent of the response (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// Whether the client is registered for signed responses, so that unsigned ones are rejected (section 5.3.4).
  package var requiresSignature: Bool
  /// Unix seconds.
  package var now: Int
  /// Tolerance for all times, in seconds.
  package var clockSkew = 60
  /// Returns the cached keys at the first call and newer ones at later calls, made if verification fails. Nil if there
  /// are no more.
  package var nextKeys: () throws(OAuthError) -> JWKSet?

  package init(
    algorithms: Set<JWSAlgorithm>, requiresSignature: Bool, now: Int,
    nextKeys: @escaping () throws(OAuthError) -> JWKSet?
  ) {
    self.algorithms = algorithms
    self.requiresSignature = requiresSignature
    self.now = now
    self.nextKeys = nextKeys
  }
}

/// A signed response of the UserInfo endpoint. Verified like an ID Token, with separate rules so that neither is
/// accepted as the other if they can be distinguished (RFC 8725 section 3.12).
struct SignedUserInfo {
  let issuer: Issuer
  let clientID: String
  let rules: UserInfoRules
  /// The `Date` of the response, in unix seconds.
  let serverDate: Int?

  /// Verifies a body of type `application/jwt` and returns its claims.
  func claims(in body: Span<UInt8>) throws(OAuthError) -> JSONObject {
    let token: UnverifiedJWS
    do { token = try UnverifiedJWS(compact: body) } catch { throw Self.rejected(error.code.reason) }
    let claims = try verified(token)
    try check(claims)
    return claims.object
  }

  private func verified(_ token: UnverifiedJWS) throws(OAuthError) -> JWTClaims {
    var doubt = JOSEError(.unknownKey)
    while doubt.needsNewKeys, let keys = try rules.nextKeys() {
      do throws(JOSEError) {
        return try JWTClaims(payload: token.verified(by: keys, algorithms: rules.algorithms).payload)
      } catch {
        doubt = error
      }
    }
    throw Self.rejected(doubt.code.reason)
  }

  /// Checks issuer, audience and times. `aud` is required, or a response for another client would be accepted (RFC 8725
  /// section 3.9).
  private func check(_ claims: JWTClaims) throws(OAuthError) {
    let skew = min(max(rules.clockSkew, 0), IDTokenExpectation.largestClockSkew)
    // Claims that appear only in logout tokens and ID Tokens.
    guard ["events", "nonce", "at_hash", "c_hash", "s_hash"].allSatisfy({ claims[$0] == nil }) else {
      throw Self.rejected("it is another kind of token")
    }
    // Optional, since the key belongs to the issuer.
    if let named = try read({ () throws(JOSEError) in try claims.issuer }), !issuer.isSame(as: named) {
      throw Self.rejected("it is not from the issuer")
    }
    guard let audience = try read({ () throws(JOSEError) in try claims.audience }),
      audience.contains(where: { $0.utf8.elementsEqual(clientID.utf8) })
    else { throw Self.rejected("it is not for this client") }
    let expiresAt = try read { () throws(JOSEError) in try claims.expiresAt }
    guard rules.now - skew < expiresAt ?? .max else { throw untimely(.expired) }
    let notBefore = try read { () throws(JOSEError) in try claims.notBefore }
    let issuedAt = try read { () throws(JOSEError) in try claims.issuedAt }
    guard notBefore ?? 0 <= rules.now + skew, issuedAt ?? 0 <= rules.now + IDTokenExpectation.longestAhead else {
      throw untimely(.issuedInFuture)
    }
  }

  /// The same message as for an ID Token with an invalid time, which mentions a wrong clock.
  private func untimely(_ code: IDTokenError.Code) -> OAuthError {
    var error = OAuthError(IDTokenError(code).comparing(serverDate: serverDate, now: rules.now))
    error.code = .userInfoRejected
    return error
  }

  private func read<Value>(_ claim: () throws(JOSEError) -> Value?) throws(OAuthError) -> Value? {
    do { return try claim() } catch { throw Self.rejected("a claim is malformed") }
  }

  static func rejected(_ reason: Phrase) -> OAuthError { OAuthError(.userInfoRejected, .reason(reason)) }
}
