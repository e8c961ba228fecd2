package import Crypto
internal import Encoding
package import Vocabulary

/// An authorization server as one account uses it.
package struct AuthorizationServer: Sendable {
  /// Replaced when the server names other endpoints.
  package var metadata: AuthorizationServerMetadata
  package internal(set) var client: Client
  package let transport: Transport
  /// The client certificate, for authentication and for tokens that are bound to it.
  package let clientCertificate: ClientCertificate?
  package let http: any HTTPClient
  /// The particulars of this server, if the account says that it is one we know.
  package let provider: Provider?
  /// Proves the account's key, to which its tokens are bound then (RFC 9449); nil for Bearer tokens.
  package var prover: DPoPProver?
  /// The signing algorithms that the client is registered for.
  package var signing = ResponseSigning()
  /// The security profile that server, client and answers must keep; nil demands none.
  package var profile: SecurityProfile?
  /// The origins that may receive something; nil for any.
  package var origins: [String]?
  /// The secrets that no error may repeat, beside those of the request itself: the session's other tokens.
  private var hidden: [SharedSecret] = []

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

  /// The way to the endpoints that may see the client's certificate. Public documents are fetched without it.
  var privateTransport: Transport {
    var transport = transport
    transport.clientCertificate = clientCertificate
    return transport
  }

  func require(_ endpoint: Endpoint?, _ role: EndpointRole) throws(OAuthError) -> Endpoint {
    if let endpoint { return endpoint }
    try metadata.checkUsable(role)
    throw OAuthError(.endpointMissing, .endpoint(role))
  }

  /// Posts a form with this client's identification (RFC 6749 section 3.2).
  func post(
    _ form: consuming RequestForm, to endpoint: Endpoint, _ role: EndpointRole, cancellation: Cancellation?
  ) throws(OAuthError) -> HTTPResponse {
    let authorization = try client.identify(in: &form, for: endpoint, of: metadata)
    return try post(form, to: endpoint, role, authorization: authorization, cancellation: cancellation)
  }

  /// Posts a form as it is.
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

  /// How the server writes its answers.
  var shape: AnswerShape { provider?.answerShape ?? AnswerShape() }

  /// Adds to an error what is known to help with it at this server.
  func advising<Result>(_ body: () throws(OAuthError) -> Result) throws(OAuthError) -> Result {
    do { return try body() } catch {
      var advised = error
      let provided = provider?.advice(for: error)
      advised.advice = provided?.text ?? encodingAdvice(for: error) ?? publicationAdvice(for: error)
      advised.needsSecret = error.code == .invalidClient && provided?.needsSecret == true
      throw advised
    }
  }

  /// Some servers compare the encoded secret (against RFC 6749 section 2.3.1).
  private func encodingAdvice(for error: OAuthError) -> Phrase? {
    guard error.code == .invalidClient, case .basic(let secret) = client.authentication else { return nil }
    let secretIsPlain = secret.bytes.withBytes { bytes in bytes.indices.allSatisfy { Form.isPlain(bytes[$0]) } }
    guard !secretIsPlain || !client.id.utf8.allSatisfy(Form.isPlain) else { return nil }
    return Phrase(
      "check the client id and secret; for a server that does not decode them: --basic-unencoded, or --token-endpoint-auth-method client_secret_post"
    )
  }

  /// The server may have fetched something else than the client's metadata.
  private func publicationAdvice(for error: OAuthError) -> Phrase? {
    let isPublished = Client.isMetadataURL(client.id, allowHTTPLoopback: transport.allowHTTPLoopback)
    guard error.code == .invalidClient, isPublished else { return nil }
    return Phrase("check what is published at the client id; how it is written: agent help account client-metadata")
  }

  func send(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse {
    guard origins?.contains(request.endpoint.uri.origin) ?? true else {
      throw OAuthError(.endpointMissing, .endpoint(request.role))
    }
    do { return try http.send(request) } catch { throw OAuthError(error, request) }
  }

  /// Removes these from the text of every error.
  package mutating func hide(_ secrets: SharedSecret?...) { hidden += secrets.compactMap { $0 } }

  /// The secrets of a request, and of the session, which no error may repeat.
  func secrets(_ sent: SharedSecret?...) -> [SharedSecret] {
    (sent + [client.authentication.secret]).compactMap { $0 } + hidden
  }

  /// Reads an answer of the token endpoint.
  ///
  /// - Throws: Why it brings nothing, not even a refresh token. ``OAuthError/brokenAnswer`` says that the server has
  ///   carried the request out all the same.
  func answer(in response: HTTPResponse, kind: RequestKind, sent: [SharedSecret]) throws(OAuthError)
    -> TokenEndpointAnswer
  {
    do throws(OAuthError) {
      if let defect = response.defect, let endpoint = metadata.tokenEndpoint {
        throw OAuthError(defect, .token, at: endpoint, proxy: transport.proxy?.url)
      }
      return TokenEndpointAnswer(try tokens(in: response, kind: kind, sent: sent))
    } catch {
      var error = error
      let isSuccess = (200..<300).contains(response.status)
      if isSuccess, let refreshToken = TokenResponse.refreshToken(in: response) {
        error.followsSuccess = true
        (error.lostAnswer, error.answerBegan) = (false, false)
        return TokenEndpointAnswer(refreshToken, butFailed: error)
      }
      error.brokenAnswer =
        (isSuccess || response.defect != nil) && kind == .refresh && error.code.meaning != .grantEnded
      throw error
    }
  }

  /// Reads tokens, which must be bound to the key that was proven.
  func tokens(in response: HTTPResponse, kind: RequestKind, sent: [SharedSecret]) throws(OAuthError) -> TokenResponse {
    let tokens = try advising { () throws(OAuthError) in
      try explaining { () throws(OAuthError) in
        try TokenResponse.parse(response, kind: kind, sent: sent, shape: shape)
      }
    }
    try checkProfile(of: tokens)
    try checkBinding(of: tokens)
    return tokens
  }
}
