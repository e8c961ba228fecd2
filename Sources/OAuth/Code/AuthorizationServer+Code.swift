package import Crypto
internal import Encoding

extension AuthorizationServer {
  /// Prepares a sign-in by authorization code with PKCE, which servers may ignore (RFC 7636 section 5). Sends nothing.
  ///
  /// - Throws: `endpointMissing` without an authorization or token endpoint; `metadataInvalid` for
  ///   ``AuthorizationServerMetadata/malformedCodeProtection``; `codeChallengeUnsupported` for PKCE without `S256`.
  package func makeAuthorizationRequest(
    scope: Scope?, redirectURI: String, options: AuthorizationOptions = .init()
  ) throws(OAuthError) -> AuthorizationRequest {
    _ = try require(.authorization)
    _ = try require(.token)
    if let member = metadata.malformedCodeProtection { throw OAuthError(.metadataInvalid, .name(member)) }
    guard metadata.acceptsCodeChallenges else { throw OAuthError(.codeChallengeUnsupported, .server) }
    if options.needsAnnouncedPKCE, metadata.codeChallengeMethods.isEmpty {
      throw OAuthError(.codeChallengeUnannounced, .authorizationServer)
    }
    var options = options
    options.responseIssuer = profile == nil ? provider?.responseIssuer(of: metadata.issuer) : nil
    options.profile = profile
    options.providerParameters = provider?.authorizationParameters ?? []
    if let prover { options.dpopKeyThumbprint = prover.key.thumbprint }
    return try AuthorizationRequest(
      metadata, clientID: client.id, redirectURI: redirectURI, scope: scope, options: options)
  }

  package struct AuthorizationURL: Sendable, Hashable {
    package let text: String
    /// In seconds; nil if unlimited.
    package let expiresIn: Int?
  }

  /// Returns the URL to open, after pushing the request if possible (RFC 9126). If an optional push fails without an
  /// OAuth error, returns a plain request's URL.
  package func requestAuthorizationURL(
    for request: AuthorizationRequest, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> AuthorizationURL {
    let endpoint = try require(.authorization)
    let mustPush = metadata.requiresPushedRequests || profile == .fapi2
    if request.options.pushesIfNeeded, !mustPush {
      return AuthorizationURL(text: endpoint.uri.appendingQuery(request.parameters), expiresIn: nil)
    }
    guard let pushing = metadata[.pushedAuthorization] else {
      try metadata.checkUsable(.pushedAuthorization)
      if mustPush { throw OAuthError(.endpointMissing, .endpoint(.pushedAuthorization)) }
      return AuthorizationURL(text: endpoint.uri.appendingQuery(request.parameters), expiresIn: nil)
    }
    do throws(OAuthError) {
      let pushed = try push(request, to: pushing, cancellation: cancellation)
      // RFC 9126 section 4 allows no other parameters.
      let query = [("client_id", client.id), ("request_uri", pushed.requestURI)]
      return AuthorizationURL(text: endpoint.uri.appendingQuery(query), expiresIn: pushed.expiresIn)
    } catch {
      guard !mustPush, error.allowsPlainRequest else { throw error }
      return AuthorizationURL(text: endpoint.uri.appendingQuery(request.parameters), expiresIn: nil)
    }
  }

  /// Pushes the parameters (RFC 9126 section 2).
  private func push(
    _ request: AuthorizationRequest, to endpoint: Endpoint, cancellation: Cancellation?
  ) throws(OAuthError) -> PushedAuthorizationResponse {
    var form = RequestForm()
    for (name, value) in request.parameters { form.add(named: name, value) }
    let response = try post(
      form, to: endpoint, .pushedAuthorization, cancellation: cancellation)
    return try withAdvice { () throws(OAuthError) in
      try PushedAuthorizationResponse.parse(response, sent: secrets())
    }
  }

  /// Exchanges a code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5). Throws `codeRejected` for an invalid
  /// or expired code. Retries only after a rejected DPoP proof, since a reused code can revoke its tokens (RFC 6749
  /// section 4.1.2).
  package func exchange(
    _ code: SharedSecret, of request: AuthorizationRequest, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenEndpointResponse {
    let response = try requestTokens(spends: true, cancellation: cancellation) { form in
      form.add(.grantType, GrantType.code)
      form.add(.code, secret: code)
      form.add(.redirectURI, request.redirectURI)
      form.add(.codeVerifier, secret: request.verifier.secret)
      for resource in request.options.resources { form.add(.resource, resource) }
      for parameter in provider?.codeParameters ?? [] { form.add(named: parameter.name, parameter.value) }
    }
    do throws(OAuthError) {
      return try answer(in: response, kind: .code, sent: secrets(code, request.verifier.secret))
    } catch {
      var error = error
      // Here `invalid_grant` is about the code, not a session.
      if error.code.effect == .grantEnded { error.code = .codeRejected }
      throw error
    }
  }
}

extension OAuthError {
  /// Whether to try a plain request after this error of a push.
  fileprivate var allowsPlainRequest: Bool {
    switch code {
    case .network, .proxyFailed, .connectionLost, .timeout, .serverUnavailable, .rateLimited, .otherServerError:
      serverError == nil
    // Probably a proxy's error page. With a success status, it may hide a response.
    case .notJSON: httpStatus.map { $0 >= 400 } ?? false
    default: false
    }
  }
}
