package import Crypto
internal import Encoding
@_exported public import Vocabulary

/// An authorization server with one account's configuration.
package struct AuthorizationServer: Sendable {
  package var metadata: AuthorizationServerMetadata
  package internal(set) var client: Client
  package let transport: Transport
  /// Used for client authentication and certificate-bound tokens.
  package let clientCertificate: ClientCertificate?
  package let http: any HTTPClient
  package let provider: Provider?
  /// Creates DPoP proofs (RFC 9449); nil for Bearer tokens.
  package var prover: DPoPProver?
  package var signing = ResponseSigning()
  package var profile: SecurityProfile?
  /// Origins that may receive requests; nil for any.
  package var origins: [String]?
  /// Further secrets, such as the session's other tokens.
  private var secretsToRemove: [SharedSecret] = []

  package init(
    metadata: AuthorizationServerMetadata, client: Client, transport: Transport, http: any HTTPClient,
    provider: Provider? = nil, clientCertificate: ClientCertificate? = nil
  ) {
    self.metadata = metadata
    self.client = client
    self.transport = transport
    self.http = http
    self.provider = provider
    self.clientCertificate = clientCertificate
  }

  /// Includes the client's certificate. For public documents, use ``transport``.
  var privateTransport: Transport {
    var transport = transport
    transport.clientCertificate = clientCertificate
    return transport
  }

  func require(_ role: EndpointRole) throws(OAuthError) -> Endpoint {
    if let endpoint = metadata[role] { return endpoint }
    try metadata.checkUsable(role)
    throw OAuthError(.endpointMissing, .endpoint(role))
  }

  /// Posts a form with client authentication (RFC 6749 section 3.2).
  func post(
    _ form: consuming RequestForm, to endpoint: Endpoint, _ role: EndpointRole, cancellation: Cancellation?
  ) throws(OAuthError) -> HTTPResponse {
    let authorization = try client.addAuthentication(to: &form, for: endpoint, of: metadata)
    return try post(form, to: endpoint, role, authorization: authorization, cancellation: cancellation)
  }

  /// Posts a form with only this `Authorization` header.
  func post(
    _ form: consuming RequestForm, to endpoint: Endpoint, _ role: EndpointRole,
    authorization: consuming SecretBytes?, cancellation: Cancellation?
  ) throws(OAuthError) -> HTTPResponse {
    let body = try form.finish()
    var request = HTTPRequest(post: endpoint, role, form: body, transport: privateTransport, cancellation: cancellation)
    request.authorization = authorization
    let response = try send(request)
    prover?.learn(from: response, to: nil, at: endpoint.uri, as: .authorizationServer)
    return response
  }

  var responseFormat: ResponseFormat { provider?.responseFormat ?? ResponseFormat() }

  /// Runs `body`. Adds advice for the user to its error.
  func withAdvice<Result>(_ body: () throws(OAuthError) -> Result) throws(OAuthError) -> Result {
    do { return try body() } catch {
      var advised = error
      let provided = provider?.advice(for: error)
      advised.advice = provided?.text ?? encodingAdvice(for: error) ?? publicationAdvice(for: error)
      advised.needsSecret = error.code == .invalidClient && provided?.needsSecret == true
      throw advised
    }
  }

  /// Advice for servers that compare the encoded secret, contrary to RFC 6749 section 2.3.1.
  private func encodingAdvice(for error: OAuthError) -> Phrase? {
    guard error.code == .invalidClient, case .basic(let secret) = client.authentication else { return nil }
    let secretIsPlain = secret.bytes.withBytes { bytes in bytes.indices.allSatisfy { Form.isPlain(bytes[$0]) } }
    guard !secretIsPlain || !client.id.utf8.allSatisfy(Form.isPlain) else { return nil }
    return Phrase(
      "check the client id and secret; for a server that does not decode them: --basic-unencoded, or --token-endpoint-auth-method client_secret_post"
    )
  }

  /// Advice for servers that may be unable to fetch the client's metadata.
  private func publicationAdvice(for error: OAuthError) -> Phrase? {
    let isPublished = Client.isMetadataURL(client.id, allowHTTPLoopback: transport.allowHTTPLoopback)
    guard error.code == .invalidClient, isPublished else { return nil }
    return Phrase("check the metadata published at the client id; for its format: agent help account client-metadata")
  }

  /// Throws if ``origins`` excludes the endpoint.
  func send(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse {
    guard origins?.contains(request.endpoint.uri.origin) ?? true else {
      throw OAuthError(.endpointMissing, .endpoint(request.role))
    }
    return try http.ask(request)
  }

  /// Removes secrets from all later errors.
  package mutating func removeFromErrors(_ secrets: SharedSecret?...) { secretsToRemove += secrets.compactMap { $0 } }

  /// The secrets to remove from a request's errors.
  func secrets(_ sent: SharedSecret?...) -> [SharedSecret] {
    (sent + [client.authentication.secret]).compactMap { $0 } + secretsToRemove
  }

  /// Parses a token endpoint's response. Returns the error with the refresh token if only that is usable. Errors omit
  /// the secrets in `sent`.
  func answer(in response: HTTPResponse, kind: RequestKind, sent: [SharedSecret]) throws(OAuthError)
    -> TokenEndpointResponse
  {
    do throws(OAuthError) {
      if let defect = response.defect, let endpoint = metadata[.token] {
        throw OAuthError(defect, .token, at: endpoint, proxy: transport.proxy?.url)
      }
      return TokenEndpointResponse(try tokens(in: response, kind: kind, sent: sent))
    } catch {
      var error = error
      let isSuccess = (200..<300).contains(response.status)
      if isSuccess, let refreshToken = TokenResponse.refreshToken(in: response) {
        error.followsSuccess = true
        (error.isResponseLost, error.hasResponseBegun) = (false, false)
        return TokenEndpointResponse(refreshToken, butFailed: error)
      }
      error.isResponseUnusable =
        (isSuccess || response.defect != nil) && kind == .refresh && error.code.effect != .grantEnded
      throw error
    }
  }

  /// Parses tokens. Throws unless they meet the profile and are bound to the account's key, if any.
  func tokens(in response: HTTPResponse, kind: RequestKind, sent: [SharedSecret]) throws(OAuthError) -> TokenResponse {
    let tokens = try withAdvice { () throws(OAuthError) in
      try withProofNeededError { () throws(OAuthError) in
        try TokenResponse.parse(response, kind: kind, sent: sent, format: responseFormat)
      }
    }
    try checkProfile(of: tokens)
    try checkBinding(of: tokens)
    return tokens
  }
}
