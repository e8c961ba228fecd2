internal import Crypto
internal import OAuth
internal import Platform

/// Verifies the ID Token of a token response with the issuer's keys.
struct IDTokenCheck: ~Copyable {
  let services: SessionServices
  let server: AuthorizationServer
  var renewal: MetadataRenewal?
  let cancellation: Cancellation

  /// Checks a sign-in's response.
  ///
  /// - Parameters:
  ///   - isRequired: Whether a missing ID Token is an error, because `openid` was requested (OpenID Connect Core
  ///     section 3.1.3.3).
  ///   - isRequested: If false, ignores an ID Token if the server has no keys.
  func verifySignIn(
    _ response: TokenResponse, isRequired: Bool, isRequested: Bool = true, requirements: IDTokenRequirements = .init()
  ) throws(SessionError) -> IDToken? {
    guard response.idToken != nil else {
      if isRequired { throw .oauth(OAuthError(.missingIDToken, .endpoint(.token))) }
      return nil
    }
    if !isRequested, !server.issuesIDTokens { return nil }
    return try verifyIfPresent(response, first: nil, requirements)
  }

  /// Checks a refresh's response. An ID Token is optional, but must be for the user and client of `first` (OpenID
  /// Connect Core section 12.2). Throws `identityChanged` for a valid token for another user or client, or from another
  /// issuer.
  func verifyRefresh(
    _ response: TokenResponse, first: IdentityRecord?, account: AccountName, isRequested: Bool = true
  ) throws(SessionError) -> IDToken? {
    if !isRequested, first == nil, !server.issuesIDTokens { return nil }
    do {
      let token = try verifyIfPresent(response, first: first, IDTokenRequirements())
      if let now = token?.identity.authTime, let before = first?.authTime, now != before {
        services.observer?(.authenticationTimeChanged)
      }
      return token
    } catch .idToken(let error) where error.fault.mismatchedClaim != nil {
      throw .identityChanged(account: account.text, claim: error.fault.mismatchedClaim)
    }
  }

  /// Verifies the ID Token, if any, with cached, then newer keys.
  private func verifyIfPresent(
    _ response: TokenResponse, first: IdentityRecord?, _ requirements: IDTokenRequirements
  ) throws(SessionError) -> IDToken? {
    guard let compact = response.idToken else { return nil }
    try checkProfile(of: compact)
    let expectation = server.idTokenExpectation(
      accessToken: response.accessToken, now: services.time.wallSeconds(), first: first, requirements)
    do throws(IDTokenError) {
      // A MAC needs no keys.
      if expectation.secret != nil { return logVerified(try verify(compact, JWKSet([]), expectation, response)) }
    } catch {
      throw .idToken(error)
    }
    guard let endpoint = server.metadata[.keys] else {
      try mapOAuthError(server.metadata.checkUsable(.keys))
      throw .oauth(OAuthError(.endpointMissing, .member("jwks_uri", of: .keySet)))
    }
    try renewal?.allowedOrigins?.check(endpoint)
    var search = KeySearch(IssuerKeys(services, endpoint, server.transport, renewal, cancellation))
    var (doubt, latest) = (IDTokenError(.signature(.unknownKey)), JWKSet([]))
    while doubt.fault.needsNewKeys, let keys = try mapOAuthError(search.next()) {
      latest = keys
      do { return logVerified(try verify(compact, keys, expectation, response)) } catch { doubt = error }
    }
    // The issuer may sign with a key before publishing it.
    guard let late = OAuthError(doubt, in: latest, retryAfter: search.secondsUntilRefetch) else {
      throw .idToken(doubt)
    }
    throw .oauth(late)
  }

  /// Rejects algorithms that the profile forbids.
  private func checkProfile(of compact: SharedSecret) throws(SessionError) {
    guard server.profile == .fapi2 else { return }
    let isAllowed = compact.bytes.withBytes { (bytes) -> Bool in
      do throws(JOSEError) { return FAPI2.algorithms.contains(try UnverifiedJWS(compact: bytes).algorithm) } catch {
        return ![.algorithmNotAllowed, .unsecured].contains(error.code)
      }
    }
    guard isAllowed else { throw .oauth(OAuthError(.idTokenAlgorithm)) }
  }

  private func verify(
    _ compact: SharedSecret, _ keys: JWKSet, _ expectation: IDTokenExpectation, _ response: TokenResponse
  ) throws(IDTokenError) -> IDToken {
    do { return try IDToken.verify(compact, keys: keys, expecting: expectation) } catch {
      throw error.comparing(serverDate: response.serverDate, now: expectation.now)
    }
  }

  private func logVerified(_ token: IDToken) -> IDToken {
    if let algorithm = SigningAlgorithm(rawValue: token.algorithm.name) {
      services.observer?(.step(.idTokenVerified(algorithm)))
    }
    return token
  }
}
