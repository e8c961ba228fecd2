import Crypto
import Encoding
import Platform

/// The token endpoint (RFC 6749 section 3.2).
extension AuthorizationServer {
  func tokenAnswer(_ request: Request) throws(OAuthFailure) -> Response {
    let parameters = try Parameters(form: request)
    let client = try authenticate(request, parameters)
    let proof = try proof(ofTokenRequest: request, client)
    let grantType = try parameters.required("grant_type")
    if GrantType.all.contains(grantType) { try client.requireGrantType(grantType) }
    switch grantType {
    case GrantType.authorizationCode:
      return try answer(with: try redeemCode(parameters, client, proof))
    case GrantType.deviceCode:
      return try answer(with: try redeemDeviceCode(parameters, client, proof))
    case GrantType.refreshToken:
      return try answer(with: try refresh(parameters, client, proof))
    case GrantType.clientCredentials:
      return try answer(with: try grantToClient(parameters, client, proof))
    case GrantType.tokenExchange:
      return try answer(with: try exchange(parameters, client, proof))
    default:
      throw OAuthFailure(.unsupportedGrantType, "not one of grant_types_supported")
    }
  }

  /// RFC 8628 sections 3.4 and 3.5.
  private func redeemDeviceCode(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    guard let deviceCode = OpaqueKey(text: try parameters.required("device_code")) else {
      throw OAuthFailure(.invalidGrant, "unknown device code")
    }
    let grantKey = try checked(OpaqueKey.random)
    let order = try order(parameters, client, proof)
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      state.count(.devicePolls)
      switch state.devices.poll(deviceCode, clientID: client.id, at: order.now) {
      case .pending: throw OAuthFailure(.authorizationPending, "the user has not decided yet")
      case .slowDown:
        state.count(.slowDowns)
        throw OAuthFailure(.slowDown, "polled before the interval was over")
      case .denied: throw OAuthFailure(.accessDenied, "the user said no")
      case .expired: throw OAuthFailure(.expiredToken, "the device code has expired")
      case .unknown: throw OAuthFailure(.invalidGrant, "unknown device code, or used already")
      case .approved(let approval):
        state.count(.deviceGrants)
        var grant = Grant(
          clientID: client.id, username: approval.username, scope: approval.scope, authTime: approval.authTime,
          targets: approval.targets)
        return try begin(&grant, grantKey, order, &state)
      }
    }
  }

  /// The first tokens of a new grant.
  func begin(
    _ grant: inout Grant, _ grantKey: OpaqueKey, _ order: TokenOrder, nonce: String? = nil,
    _ state: inout IssuerState
  ) throws(OAuthFailure) -> IssuedTokens {
    guard grant.covers(order.targets) else { throw Grant.targetFailure }
    let isRefreshable = state.settings.issuesRefreshTokens
    if isRefreshable {
      grant.refreshTokenExpiresAt = order.now.advanced(by: .seconds(state.settings.refreshTokenLifetime))
    }
    // Refresh tokens of a client with a secret are bound to the client and to no key (RFC 9449 section 5).
    if !order.isConfidential { grant.dpopThumbprint = order.thumbprint }
    state.tokens.add(grant, key: grantKey)
    return try issue(grant, grantKey, order, newRefreshToken: isRefreshable, nonce: nonce, &state)
  }

  /// RFC 6749 section 6.
  private func refresh(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    let text = try parameters.required("refresh_token")
    let order = try order(parameters, client, proof, scope: try Self.scope(parameters))
    guard let token = try checked({ () throws(CryptoError) in try mint.content(of: text) }) else {
      count(.refreshFailures)
      throw OAuthFailure(.invalidGrant, "unknown refresh token")
    }
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      guard state.tokens.grant(token.grant)?.takes(order.thumbprint) ?? true else {
        state.count(.refreshFailures)
        throw OAuthFailure(.invalidGrant, "the refresh token is bound to another key")
      }
      let grant = try renewed(token, order, &state)
      state.count(.refreshes)
      return try issue(grant, token.grant, order, newRefreshToken: state.settings.rotatesRefreshTokens, &state)
    }
  }

  private func renewed(
    _ token: RefreshTokenMint.Content, _ order: TokenOrder, _ state: inout IssuerState
  ) throws(OAuthFailure) -> Grant {
    let rules = TokenStore.RefreshRules(
      rotates: state.settings.rotatesRefreshTokens, leeway: .seconds(state.settings.reuseLeeway),
      lifetime: .seconds(state.settings.refreshTokenLifetime))
    let found = state.tokens.refresh(token, order, rules: rules)
    if case .renewed(let grant) = found { return grant }
    state.count(.refreshFailures)
    switch found {
    case .scopeTooWide: throw OAuthFailure(.invalidScope, "more than the user granted")
    case .targetTooWide: throw Grant.targetFailure
    case .expired: throw OAuthFailure(.invalidGrant, "the refresh token has expired")
    case .reused:
      state.count(.reuseDetected)
      throw OAuthFailure(.invalidGrant, "the refresh token was used before; its grant has ended")
    case .unknown, .renewed: throw OAuthFailure(.invalidGrant, "the grant has ended")
    }
  }

  /// A new access token under a grant, and what goes with it.
  func issue(
    _ grant: Grant, _ grantKey: OpaqueKey, _ order: TokenOrder, newRefreshToken: Bool, nonce: String? = nil,
    _ state: inout IssuerState
  ) throws(OAuthFailure) -> IssuedTokens {
    var token = AccessToken(
      grant: grantKey, order, scope: order.scope ?? grant.scope,
      audience: order.targets.isEmpty ? grant.targets : order.targets, seconds: state.settings.accessTokenLifetime)
    token.dpopThumbprint = state.settings.dpop.fault == .bearer ? nil : order.thumbprint
    state.tokens.add(token, key: order.accessKey)
    let content = RefreshTokenMint.Content(grant: grantKey, sequence: grant.sequence)
    let refreshToken: String? =
      newRefreshToken ? try checked { () throws(CryptoError) in try mint.token(content) } : nil
    return IssuedTokens(
      grant: grant, scope: token.scope, accessToken: order.accessKey.text, refreshToken: refreshToken, nonce: nonce,
      isBound: token.dpopThumbprint != nil, issuedAt: order.wall, settings: state.settings, key: state.key)
  }

  /// RFC 6749 section 5.1, RFC 9449 section 5 and OpenID Connect Core 1.0 section 3.1.3.3.
  private func answer(with issued: IssuedTokens) throws(OAuthFailure) -> Response {
    var members: JSONObject = [
      "access_token": .string(issued.accessToken), "token_type": issued.isBound ? "DPoP" : "Bearer",
      "scope": .string(issued.scope.text),
    ]
    let lifetime = issued.settings.accessTokenLifetime
    if lifetime > 0 { members["expires_in"] = .int(lifetime) }
    if let refreshToken = issued.refreshToken { members["refresh_token"] = .string(refreshToken) }
    if let type = issued.issuedTokenType { members["issued_token_type"] = .string(type) }
    do {
      if let idToken = try idToken(for: issued) { members["id_token"] = .string(idToken) }
    } catch {
      throw OAuthFailure(.serverError, "the ID Token could not be signed")
    }
    let response = Response.json(.object(members))
    return issued.isBound ? handingOutNonce(response, for: .authorizationServer) : response
  }
}
