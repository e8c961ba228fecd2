package import Crypto
internal import Encoding
internal import Vocabulary

extension AuthorizationServer {
  /// Begins a sign-in by authorization code. Nothing is sent yet.
  ///
  /// - Throws: `endpointMissing`; `metadataInvalid` for a member that says how codes are protected and cannot be read;
  ///   `codeChallengeUnsupported` when the server announces PKCE without `S256`.
  ///   A server that announces nothing gets the challenge all the same (RFC 7636 section 5): one that does not
  ///   know it ignores it, and `state` and `nonce` protect as they did before.
  package func beginAuthorization(
    scope: Scope?, redirectURI: String, options: AuthorizationOptions = .init()
  ) throws(OAuthError) -> AuthorizationRequest {
    _ = try require(metadata.authorizationEndpoint, .authorization)
    _ = try require(metadata.tokenEndpoint, .token)
    if let member = metadata.malformedSafeguard { throw OAuthError(.metadataInvalid, .name(member)) }
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

  /// The URL that the person opens.
  package struct AuthorizationURL: Sendable, Hashable {
    package let text: String
    /// For how many seconds it may be opened; nil is without a limit of its own.
    package let expiresIn: Int?
  }

  /// Makes the URL to open, by way of a pushed request where the server takes one (RFC 9126).
  ///
  /// A push that fails without an answer of the protocol is given up, unless the server requires one; an OAuth
  /// error is final, because the same request would fail in the browser.
  package func authorizationURL(
    for request: AuthorizationRequest, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> AuthorizationURL {
    let endpoint = try require(metadata.authorizationEndpoint, .authorization)
    let mustPush = metadata.requiresPushedRequests || profile == .fapi2
    guard let pushing = metadata.pushedAuthorizationRequestEndpoint else {
      if mustPush { _ = try require(nil, .pushedAuthorization) }
      return AuthorizationURL(text: endpoint.uri.appendingQuery(request.parameters), expiresIn: nil)
    }
    do throws(OAuthError) {
      let pushed = try push(request, to: pushing, cancellation: cancellation)
      // RFC 9126 section 4: nothing else belongs here.
      let query = [("client_id", client.id), ("request_uri", pushed.requestURI)]
      return AuthorizationURL(text: endpoint.uri.appendingQuery(query), expiresIn: pushed.expiresIn)
    } catch {
      guard !mustPush, error.leavesPlainRequest else { throw error }
      return AuthorizationURL(text: endpoint.uri.appendingQuery(request.parameters), expiresIn: nil)
    }
  }

  private func push(
    _ request: AuthorizationRequest, to endpoint: Endpoint, cancellation: Cancellation?
  ) throws(OAuthError) -> PushedAuthorizationResponse {
    var form = RequestForm()
    for (name, value) in request.parameters { form.add(named: name, value) }
    let response = try post(
      form, to: endpoint, .pushedAuthorization, cancellation: cancellation)
    return try advising { () throws(OAuthError) in
      try PushedAuthorizationResponse.parse(response, sent: secrets())
    }
  }

  /// Trades a code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5). Sent once, and again only
  /// where a server refused the proof of the key before it looked at the code: a second use of a code may end
  /// what the first one got (RFC 6749 section 4.1.2).
  ///
  /// - Throws: `codeRejected` when the code is not, or no longer, good.
  package func exchange(
    _ code: SharedSecret, of request: AuthorizationRequest, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> TokenEndpointAnswer {
    let response = try requestTokens(spends: true, cancellation: cancellation) { form in
      form.add(.grantType, GrantType.code)
      form.add(.code, secret: code)
      form.add(.redirectURI, request.redirectURI)
      form.add(.codeVerifier, secret: request.verifier.secret)
      for resource in request.options.resources { form.add(.resource, resource) }
    }
    do throws(OAuthError) {
      return try answer(in: response, kind: .code, sent: secrets(code, request.verifier.secret))
    } catch {
      var error = error
      // The grant is the code here, and no session has ended.
      if error.code.meaning == .grantEnded { error.code = .codeRejected }
      throw error
    }
  }
}

extension OAuthError {
  /// The server said nothing about the request itself.
  fileprivate var leavesPlainRequest: Bool {
    switch code {
    case .network, .proxyFailed, .connectionLost, .timeout, .serverUnavailable, .rateLimited, .otherServerError:
      serverError == nil
    // A page of a proxy with an error's status; with that of a success it may hide an answer.
    case .notJSON: httpStatus.map { $0 >= 400 } ?? false
    default: false
    }
  }
}
