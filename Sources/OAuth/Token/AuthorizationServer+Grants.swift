package import Crypto

extension AuthorizationServer {
  /// Values of `grant_type` (RFC 6749 section 4, RFC 7523 section 2.1, RFC 8628 section 3.4, RFC 8693 section 2.1).
  package enum GrantType {
    package static let code = "authorization_code"
    package static let refresh = "refresh_token"
    package static let clientCredentials = "client_credentials"
    package static let device = "urn:ietf:params:oauth:grant-type:device_code"
    /// Glewlwyd's name for the device grant.
    package static let unregisteredDevice = "device_authorization"
    package static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    static let tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    package static let signIn = [code, device, unregisteredDevice]
  }

  private static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
  private static let jwtType = "urn:ietf:params:oauth:token-type:jwt"

  /// Exchanges a refresh token (RFC 6749 section 6). `target` selects part of the grant; its resources override
  /// `resources` (RFC 8707). Retries only for another DPoP proof.
  ///
  /// - Throws: `invalidGrant` if the session has ended. The token may be spent after errors with
  ///   ``OAuthError/isResponseLost`` or ``OAuthError/isResponseUnusable``.
  package func refresh(
    _ token: SharedSecret, for target: TokenTarget? = nil, resources: [String] = [], claims: RequestedClaims? = nil,
    cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenEndpointResponse {
    let response: HTTPResponse
    do throws(OAuthError) {
      response = try requestTokens(spends: true, cancellation: cancellation) { form in
        form.add(.grantType, GrantType.refresh)
        form.add(.refreshToken, secret: token)
        form.add(target)
        if target?.resources.isEmpty ?? true { for resource in resources { form.add(.resource, resource) } }
        if let claims { form.add(.claims, claims.text) }
      }
    } catch {
      var error = error
      error.isResponseUnusable = error.hasResponseBegun && error.code != .redirectRefused
      throw error
    }
    do throws(OAuthError) { return try answer(in: response, kind: .refresh, sent: secrets(token)) } catch {
      var error = error
      if error.code == .interactionRequired { error.claims = error.claims ?? claims }
      throw error
    }
  }

  /// Requests a token for the client (RFC 6749 section 4.4). `target`'s scope overrides `scope`.
  ///
  /// - Throws: `invalidClient` if client authentication fails; `unauthorizedClient` if this grant is forbidden.
  package func requestClientTokens(
    scope: Scope?, target: TokenTarget? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.clientCredentials)
      if target?.scope == nil { form.add(scope) }
      form.add(target)
    }
    return try tokens(in: response, kind: .other, sent: secrets())
  }

  /// Requests a token with an assertion (RFC 7523 sections 2.1 and 2.2, RFC 8693 section 2.1). `target`'s scope
  /// overrides `scope`. Throws `assertionRejected`, or `unsupportedTokenType` if an exchange returns no access token.
  package func tokens(
    for assertion: BearerAssertion, by grant: AssertionGrant = .jwtBearer, scope: Scope?, target: TokenTarget? = nil,
    cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    var server = self
    if grant == .clientCredentials { server.client = try client.authenticated(by: assertion.compact) }
    let response = try server.requestTokens(cancellation: cancellation) { form in
      switch grant {
      case .jwtBearer:
        form.add(.grantType, GrantType.jwtBearer)
        form.add(.assertion, secret: assertion.compact)
      case .tokenExchange:
        form.add(.grantType, GrantType.tokenExchange)
        form.add(.subjectToken, secret: assertion.compact)
        form.add(.subjectTokenType, Self.jwtType)
        form.add(.requestedTokenType, Self.accessTokenType)
      case .clientCredentials: form.add(.grantType, GrantType.clientCredentials)
      }
      if target?.scope == nil { form.add(scope) }
      form.add(target)
    }
    let kind = grant == .clientCredentials ? RequestKind.clientAssertion : .assertion
    let tokens = try tokens(in: response, kind: kind, sent: secrets(assertion.compact))
    if grant == .tokenExchange { try checkIssued(tokens, response) }
    return tokens
  }

  /// Exchanges an access token for one with another target (RFC 8693 section 2.1).
  ///
  /// - Throws: `invalidTarget` if refused; `unsupportedTokenType` if the result is no access token (section 2.2.1);
  ///   `scopeWithheld` if requested scope is missing.
  package func exchange(
    _ subjectToken: SharedSecret, for target: TokenTarget, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenResponse {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.tokenExchange)
      form.add(.subjectToken, secret: subjectToken)
      form.add(.subjectTokenType, Self.accessTokenType)
      form.add(.requestedTokenType, Self.accessTokenType)
      form.add(target)
    }
    let tokens = try tokens(in: response, kind: .exchange, sent: secrets(subjectToken))
    try checkIssued(tokens, response)
    try tokens.check(covers: target.scope)
    return tokens
  }

  /// Throws unless the exchange returned an access token (RFC 8693 section 2.2.1).
  private func checkIssued(_ tokens: TokenResponse, _ response: HTTPResponse) throws(OAuthError) {
    guard let type = tokens.issuedTokenType else {
      throw OAuthError(
        .malformedResponse, .member("issued_token_type", of: .endpoint(.token)), httpStatus: response.status)
    }
    guard type == Self.accessTokenType else {
      throw OAuthError(.unsupportedTokenType, .endpoint(.token))
    }
  }

  // Identity Assertion JWT Authorization Grant (draft-ietf-oauth-identity-assertion-authz-grant-04).

  private static let assertionType = "urn:ietf:params:oauth:token-type:id-jag"
  private static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"

  /// Exchanges an ID Token for an assertion (RFC 8693 section 2.1) for the server with the issuer `audience`. Throws
  /// `unsupportedTokenType` if the result is no identity assertion.
  package func requestIdentityAssertion(
    by idToken: SharedSecret, for audience: String, scope: Scope?, resources: [String], cancellation: Cancellation
  ) throws(OAuthError) -> SharedSecret {
    let response = try requestTokens(cancellation: cancellation) { form in
      form.add(.grantType, GrantType.tokenExchange)
      form.add(.requestedTokenType, Self.assertionType)
      form.add(.audience, audience)
      for resource in resources { form.add(.resource, resource) }
      form.add(scope)
      form.add(.subjectToken, secret: idToken)
      form.add(.subjectTokenType, Self.idTokenType)
    }
    return try response.body.withBytes { (bytes) throws(OAuthError) in
      let subject = OAuthError.Subject.endpoint(.token)
      // `token_type` is `N_A` (RFC 8693 section 2.2.1).
      let reader = try JSONResponseReader(
        response, bytes, subject: subject, kind: .exchange, sent: secrets(idToken), format: responseFormat)
      guard let type = try reader.text("issued_token_type", in: bytes) else {
        throw reader.malformed("issued_token_type")
      }
      guard type == Self.assertionType else { throw OAuthError(.unsupportedTokenType, subject) }
      guard let assertion = try reader.secret("access_token", in: bytes, allowed: 0x21...0x7E) else {
        throw reader.malformed("access_token")
      }
      return assertion
    }
  }
}
