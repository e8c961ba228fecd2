internal import Encoding
package import Crypto

/// Rules for signed UserInfo (OpenID Connect Core section 5.3.2).
package struct UserInfoRules {
  /// The accepted `alg` values, whatever the response names (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// Whether to reject unsigned responses (section 5.3.4).
  package var requiresSignature: Bool
  /// In unix seconds.
  package var now: Int
  /// Successive calls return cached keys, newer ones, then nil.
  package var nextKeys: () throws(OAuthError) -> JWKSet?
}

/// Signed UserInfo. Its rules reject ID Tokens, and theirs reject UserInfo (RFC 8725 section 3.12).
struct SignedUserInfo {
  let issuer: Issuer
  let clientID: String
  let rules: UserInfoRules
  /// The response's `Date`, in unix seconds.
  let serverDate: Int?

  func claims(in body: Span<UInt8>) throws(OAuthError) -> JSONObject {
    let token: UnverifiedJWS
    do { token = try UnverifiedJWS(compact: body) } catch { throw Self.rejected(error.code.reason) }
    let claims = try verified(token)
    do { try check(ClaimReader(claims: claims)) } catch { throw rejected(error) }
    return claims.object
  }

  /// Tries newer keys if they may help.
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

  /// Checks issuer, audience and times. Requires `aud`, to reject responses for other clients (RFC 8725 section 3.9).
  private func check(_ reader: ClaimReader) throws(TokenFault) {
    // Claims of logout and ID Tokens.
    for name in ["events", "nonce", "at_hash", "c_hash", "s_hash"] where reader.claims[name] != nil {
      throw .unexpectedClaim(name)
    }
    // Optional, since the key belongs to the issuer.
    if let named = try reader.issuer(), !issuer.isSame(as: named) { throw .wrongIssuer(isMissing: false) }
    let audience = try reader.audience()
    guard audience?.contains(where: { $0.hasSameBytes(as: clientID) }) == true else {
      throw .wrongAudience(isMissing: audience == nil)
    }
    _ = try reader.checkTimes(TokenClock(now: rules.now), issuedAhead: TokenClock.maximumIssuedAhead)
  }

  /// The error for an invalid claim, perhaps due to a wrong clock.
  private func rejected(_ fault: TokenFault) -> OAuthError {
    var error = OAuthError(IDTokenError(fault).comparing(serverDate: serverDate, now: rules.now))
    error.code = .userInfoRejected
    return error
  }

  static func rejected(_ reason: Phrase) -> OAuthError { OAuthError(.userInfoRejected, .reason(reason)) }
}
