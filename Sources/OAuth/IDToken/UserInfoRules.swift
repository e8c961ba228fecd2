internal import Encoding
package import Crypto

/// How to verify a signed UserInfo response (OpenID Connect Core section 5.3.2).
package struct UserInfoRules {
  /// Accepted `alg` values, independent of the response (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// Whether unsigned responses are rejected, because the client is registered for signed ones (section 5.3.4).
  package var requiresSignature: Bool
  /// The current time, in unix seconds.
  package var now: Int
  /// Returns the next keys to try: the cached ones first, then newer ones. Nil if there are no more.
  package var nextKeys: () throws(OAuthError) -> JWKSet?
}

extension AuthorizationServer {
  /// The rules for the algorithms that the client is registered for, or else those of ID Tokens.
  package func userInfoRules(
    now: Int, nextKeys: @escaping () throws(OAuthError) -> JWKSet?
  ) -> UserInfoRules {
    let registered = signing.userInfo
    return UserInfoRules(
      algorithms: registered.map { [$0] } ?? acceptedIDTokenAlgorithms, requiresSignature: registered != nil, now: now,
      nextKeys: nextKeys)
  }
}

/// A signed UserInfo response. Verified like an ID Token, but by separate rules, so that neither is accepted as the
/// other (RFC 8725 section 3.12).
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
    do { try check(ClaimReader(claims: claims)) } catch { throw rejected(error) }
    return claims.object
  }

  /// Verifies the signature, and repeats this with newer keys as long as they may help.
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

  /// Checks issuer, audience and times. `aud` is required, since a response for another client would otherwise be
  /// accepted (RFC 8725 section 3.9).
  private func check(_ reader: ClaimReader) throws(TokenFault) {
    // These claims appear only in logout tokens and ID Tokens.
    for name in ["events", "nonce", "at_hash", "c_hash", "s_hash"] where reader.claims[name] != nil {
      throw .unexpectedClaim(name)
    }
    // `iss` is optional, since the key belongs to the issuer.
    if let named = try reader.issuer(), !issuer.isSame(as: named) { throw .otherIssuer(isMissing: false) }
    let audience = try reader.audience()
    guard audience?.contains(where: { $0.hasSameBytes(as: clientID) }) == true else {
      throw .otherAudience(isMissing: audience == nil)
    }
    _ = try reader.checkTimes(TokenClock(now: rules.now), issuedAhead: TokenClock.issuedAhead)
  }

  /// The error for an invalid claim. Its message is that of an ID Token, which mentions a wrong clock.
  private func rejected(_ fault: TokenFault) -> OAuthError {
    var error = OAuthError(IDTokenError(fault).comparing(serverDate: serverDate, now: rules.now))
    error.code = .userInfoRejected
    return error
  }

  static func rejected(_ reason: Phrase) -> OAuthError { OAuthError(.userInfoRejected, .reason(reason)) }
}
