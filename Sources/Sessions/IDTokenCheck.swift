internal import JOSE
internal import OAuth
internal import Platform
internal import Vault

/// Verifies the ID Token of a token answer with the issuer's keys, fetching them again once when a
/// key is unknown.
struct IDTokenCheck {
  let services: SessionServices
  let server: AuthorizationServer
  let cancellation: Cancellation

  /// At sign-in: required when `openid` was asked for (OpenID Connect Core, section 3.1.3.3).
  func signedIn(
    _ response: TokenResponse, isRequired: Bool, demands: IDTokenDemands = .init()
  ) throws(SessionError) -> IDToken? {
    guard response.idToken != nil else {
      if isRequired { throw .oauth(OAuthError(.missingIDToken, "the token endpoint")) }
      return nil
    }
    return try verified(response, first: nil, demands)
  }

  /// After a refresh: it may be missing, and must be for the same person and client (section 12.2).
  func refreshed(
    _ response: TokenResponse, first: IdentityRecord?, account: AccountName
  ) throws(SessionError) -> IDToken? {
    do {
      return try verified(response, first: first, IDTokenDemands())
    } catch .idToken(let error) where error.code == .identityChanged {
      throw .identityChanged(account: account.text)
    }
  }

  private func verified(
    _ response: TokenResponse, first: IdentityRecord?, _ demands: IDTokenDemands
  ) throws(SessionError) -> IDToken? {
    guard let compact = response.idToken else { return nil }
    guard let endpoint = server.metadata.jwksURI else {
      throw .oauth(OAuthError(.endpointMissing, "the key set (jwks_uri)"))
    }
    var expectation = IDTokenExpectation(
      issuer: server.metadata.issuer, clientID: server.client.id, nonce: demands.nonce,
      accessToken: response.accessToken,
      algorithms: server.metadata.acceptedIDTokenAlgorithms, now: services.time.wallSeconds(), first: first)
    expectation.maxAge = demands.maxAge
    expectation.acrValues = demands.acrValues
    expectation.code = demands.code
    let observer = services.observer
    let keys = try oauth { () throws(OAuthError) in
      try services.documents.keys(
        at: endpoint, transport: server.transport, cancellation: cancellation, observer: observer)
    }
    do {
      return told(try IDToken.verify(compact, keys: keys, expecting: expectation))
    } catch {
      guard error.needsNewKeys else { throw .idToken(error) }
    }
    observer?(.keysDoubted)
    let newKeys = try oauth { () throws(OAuthError) in
      try services.documents.refetchedKeys(
        at: endpoint, transport: server.transport, cancellation: cancellation, observer: observer)
    }
    do { return told(try IDToken.verify(compact, keys: newKeys ?? keys, expecting: expectation)) } catch {
      throw .idToken(error)
    }
  }

  private func told(_ token: IDToken) -> IDToken {
    services.observer?(.idTokenVerified(algorithm: token.algorithm.rawValue))
    return token
  }
}
