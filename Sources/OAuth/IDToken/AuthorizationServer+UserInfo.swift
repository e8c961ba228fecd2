package import Crypto
package import Encoding

extension AuthorizationServer {
  /// Requests the user's claims (OpenID Connect Core section 5.3). Without `rules`, the response must be unsigned.
  ///
  /// - Throws: `userInfoMismatch` if `sub` is not `expectedSubject` (section 5.3.2); `userInfoRejected` if invalid;
  ///   `invalidToken` or `proofRejected` for a 401; `insufficientScope` for a 403.
  package func fetchUserInfo(
    accessToken: SharedSecret, expectedSubject: String?, rules: UserInfoRules? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> JSONObject {
    let subject = OAuthError.Subject.endpoint(.userinfo)
    let endpoint = try require(.userinfo)
    let response = try sendWithProof(.get, endpoint, as: .resourceServer, accessToken: accessToken) {
      (proof) throws(OAuthError) in
      var request = HTTPRequest(.get, endpoint, .userinfo, transport: privateTransport, cancellation: cancellation)
      request.authorization = try authorization(with: accessToken)
      request.proof = proof
      return try send(request)
    }
    let claims = try claims(in: response, rules, subject, sent: secrets(accessToken))
    guard let found = claims["sub"]?.string, !found.isEmpty else {
      throw OAuthError(.malformedResponse, .member("sub", of: subject), httpStatus: response.status)
    }
    if let expectedSubject, !found.hasSameBytes(as: expectedSubject) {
      throw OAuthError(.userInfoMismatch, subject)
    }
    return claims
  }

  /// Signed responses are `application/jwt` (section 5.3.2).
  private func claims(
    in response: HTTPResponse, _ rules: UserInfoRules?, _ subject: OAuthError.Subject, sent: [SharedSecret]
  ) throws(OAuthError) -> JSONObject {
    guard response.status == 200 else { throw refusal(response, subject, sent: sent) }
    if let rules, response.headers.mediaType == "application/jwt" {
      let signed = SignedUserInfo(
        issuer: metadata.issuer, clientID: client.id, rules: rules, serverDate: response.headers.date)
      return try response.body.withBytes { (body) throws(OAuthError) in try signed.claims(in: body) }
    }
    if rules?.requiresSignature == true { throw SignedUserInfo.rejected("it is not signed") }
    let object = response.body.withBytes { bytes in (try? JSON(parsing: bytes))?.object }
    guard response.headers.isJSON else {
      throw OAuthError.notJSON(response, subject, sent: sent, isObject: object != nil)
    }
    guard let object else {
      throw OAuthError(.malformedResponse, subject, httpStatus: response.status)
    }
    return object
  }

  /// The error for a status other than 200 (RFC 6750 section 3.1).
  private func refusal(_ response: HTTPResponse, _ subject: OAuthError.Subject, sent: [SharedSecret]) -> OAuthError {
    var error = OAuthError.forResponse(response, ErrorResponse.read(response, sent: sent), subject, sent: sent)
    let code: OAuthError.Code? =
      switch response.status {
      case 401: isAboutProof(response) ? .proofRejected : .invalidToken
      case 403 where error.code != .notJSON: .insufficientScope
      default: nil
      }
    if let code { error.code = code }
    return error
  }

  /// Whether the proof, not the token, was refused (RFC 9449 sections 7.1 and 9).
  private func isAboutProof(_ response: HTTPResponse) -> Bool {
    switch DPoPProver.challengedError(in: response.headers, status: response.status) {
    case "use_dpop_nonce", "invalid_dpop_proof": true
    default: false
    }
  }

  /// Uses the algorithm registered for UserInfo, else those accepted for ID Tokens.
  package func userInfoRules(
    now: Int, nextKeys: @escaping () throws(OAuthError) -> JWKSet?
  ) -> UserInfoRules {
    let registered = signing.userInfo
    return UserInfoRules(
      algorithms: registered.map { [$0] } ?? acceptedIDTokenAlgorithms, requiresSignature: registered != nil, now: now,
      nextKeys: nextKeys)
  }
}
