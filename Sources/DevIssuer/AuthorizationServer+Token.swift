import Crypto
import Encoding
import Platform

/// The token endpoint (RFC 6749 section 3.2).
extension AuthorizationServer {
  func tokenAnswer(_ request: Request) -> Response {
    do throws(OAuthFailure) {
      let parameters = try Parameters(form: request)
      let client = try clients.authenticate(request, parameters)
      let proof = try proof(ofTokenRequest: request)
      switch try parameters.required("grant_type") {
      case GrantType.deviceCode:
        return try answer(with: try redeemDeviceCode(parameters, client, proof), proof)
      case GrantType.refreshToken:
        return try answer(with: try refresh(parameters, client, proof), proof)
      default:
        throw OAuthFailure(.unsupportedGrantType, "only device_code and refresh_token")
      }
    } catch {
      if error.code == .invalidClient { count(.clientFailures) }
      return error.response
    }
  }

  /// RFC 8628 sections 3.4 and 3.5.
  private func redeemDeviceCode(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    guard let deviceCode = OpaqueKey(text: try parameters.required("device_code")) else {
      throw OAuthFailure(.invalidGrant, "unknown device code")
    }
    let (grantKey, accessKey) = (try checked(OpaqueKey.random), try checked(OpaqueKey.random))
    let (now, wall) = (clock.now(), wallSeconds())
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      state.count(.devicePolls)
      switch state.devices.poll(deviceCode, clientID: client.id, at: now) {
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
          clientID: client.id, username: approval.username, scope: approval.scope, authTime: approval.authTime)
        if state.settings.issuesRefreshTokens {
          grant.refreshTokenExpiresAt = now.advanced(by: .seconds(state.settings.refreshTokenLifetime))
        }
        grant.bind(to: proof, of: client)
        state.tokens.add(grant, key: grantKey)
        let isNew = state.settings.issuesRefreshTokens
        return try issue(
          grant, grantKey, accessKey, scope: approval.scope, newRefreshToken: isNew, proof, (now, wall), &state)
      }
    }
  }

  /// RFC 6749 section 6.
  private func refresh(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    let text = try parameters.required("refresh_token")
    let scope = try Self.scope(parameters)
    let accessKey = try checked(OpaqueKey.random)
    guard let token = try checked({ () throws(CryptoError) in try mint.content(of: text) }) else {
      count(.refreshFailures)
      throw OAuthFailure(.invalidGrant, "unknown refresh token")
    }
    let (now, wall) = (clock.now(), wallSeconds())
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      guard state.tokens.grant(token.grant)?.takes(proof) ?? true else {
        state.count(.refreshFailures)
        throw OAuthFailure(.invalidGrant, "the refresh token is bound to another key")
      }
      let grant = try renewed(token, client, scope, now, &state)
      state.count(.refreshes)
      return try issue(
        grant, token.grant, accessKey, scope: scope ?? grant.scope,
        newRefreshToken: state.settings.rotatesRefreshTokens, proof, (now, wall), &state)
    }
  }

  private func renewed(
    _ token: RefreshTokenMint.Content, _ client: RegisteredClient, _ scope: ScopeSet?, _ now: Instant,
    _ state: inout IssuerState
  ) throws(OAuthFailure) -> Grant {
    let rules = TokenStore.RefreshRules(
      rotates: state.settings.rotatesRefreshTokens, leeway: .seconds(state.settings.reuseLeeway),
      lifetime: .seconds(state.settings.refreshTokenLifetime))
    let found = state.tokens.refresh(token, clientID: client.id, scope: scope, rules: rules, at: now)
    if case .renewed(let grant) = found { return grant }
    state.count(.refreshFailures)
    switch found {
    case .scopeTooWide: throw OAuthFailure(.invalidScope, "more than the user granted")
    case .expired: throw OAuthFailure(.invalidGrant, "the refresh token has expired")
    case .reused:
      state.count(.reuseDetected)
      throw OAuthFailure(.invalidGrant, "the refresh token was used before; its grant has ended")
    case .unknown, .renewed: throw OAuthFailure(.invalidGrant, "the grant has ended")
    }
  }

  private func issue(
    _ grant: Grant, _ grantKey: OpaqueKey, _ accessKey: OpaqueKey, scope: ScopeSet, newRefreshToken: Bool,
    _ proof: DPoPProof?, _ time: (now: Instant, wall: Int), _ state: inout IssuerState
  ) throws(OAuthFailure) -> IssuedTokens {
    let seconds = state.settings.accessTokenLifetime
    let lifetime = seconds > 0 ? seconds : nil
    state.tokens.add(
      AccessToken(
        grant: grantKey, scope: scope, issuedAt: time.wall, lifetime: lifetime,
        expiresAt: lifetime.map { time.now.advanced(by: .seconds($0)) },
        dpopThumbprint: state.settings.dpop.fault == .bearer ? nil : proof?.thumbprint),
      key: accessKey)
    let content = RefreshTokenMint.Content(grant: grantKey, sequence: grant.sequence)
    let refreshToken: String? =
      newRefreshToken ? try checked { () throws(CryptoError) in try mint.token(content) } : nil
    return IssuedTokens(
      grant: grant, scope: scope, accessToken: accessKey.text, refreshToken: refreshToken,
      issuedAt: time.wall, settings: state.settings, key: state.key)
  }

  /// RFC 6749 section 5.1, RFC 9449 section 5 and OpenID Connect Core 1.0 section 3.1.3.3.
  private func answer(with issued: IssuedTokens, _ proof: DPoPProof?) throws(OAuthFailure) -> Response {
    let isBound = proof != nil && issued.settings.dpop.fault != .bearer
    var members: JSONObject = [
      "access_token": .string(issued.accessToken), "token_type": isBound ? "DPoP" : "Bearer",
      "scope": .string(issued.scope.text),
    ]
    let lifetime = issued.settings.accessTokenLifetime
    if lifetime > 0 { members["expires_in"] = .int(lifetime) }
    if let refreshToken = issued.refreshToken { members["refresh_token"] = .string(refreshToken) }
    do {
      if let idToken = try idToken(for: issued) { members["id_token"] = .string(idToken) }
    } catch {
      throw OAuthFailure(.serverError, "the ID Token could not be signed")
    }
    return isBound ? handingOutNonce(.json(.object(members)), for: .authorizationServer) : .json(.object(members))
  }
}
