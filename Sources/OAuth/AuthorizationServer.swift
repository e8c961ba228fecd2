internal import Crypto
internal import Encoding

/// An authorization server as one account uses it.
package struct AuthorizationServer: Sendable {
  package let metadata: AuthorizationServerMetadata
  package let client: Client
  package let transport: Transport
  package let http: any HTTPClient
  package let scopeSeparator: TokenResponse.ScopeSeparator
  /// Proves the account's key, to which its tokens are bound then (RFC 9449); nil for Bearer tokens.
  package var prover: DPoPProver?

  package init(
    metadata: AuthorizationServerMetadata, client: Client, transport: Transport, http: any HTTPClient,
    scopeSeparator: TokenResponse.ScopeSeparator = .space
  ) {
    self.metadata = metadata
    self.client = client
    self.transport = transport
    self.http = http
    self.scopeSeparator = scopeSeparator
  }

  func require(_ endpoint: Endpoint?, _ name: String) throws(OAuthError) -> Endpoint {
    guard let endpoint else { throw OAuthError(.endpointMissing, name) }
    return endpoint
  }

  /// Posts a form with this client's identification (RFC 6749 section 3.2).
  func post(
    _ form: consuming RequestForm, to endpoint: Endpoint, _ subject: String, cancellation: Cancellation?
  ) throws(OAuthError) -> HTTPResponse {
    let authorization = try client.identify(in: &form)
    return try post(form, to: endpoint, subject, authorization: authorization, cancellation: cancellation)
  }

  /// Posts a form as it is.
  func post(
    _ form: consuming RequestForm, to endpoint: Endpoint, _ subject: String,
    authorization: consuming SecretBytes?, cancellation: Cancellation?
  ) throws(OAuthError) -> HTTPResponse {
    let body = try form.finish()
    var request = HTTPRequest(post: endpoint, form: body, transport: transport, cancellation: cancellation)
    request.authorization = authorization
    let response = try send(request, subject)
    prover?.learn(from: response, to: nil, at: endpoint.uri, as: .authorizationServer)
    return response
  }

  func send(_ request: borrowing HTTPRequest, _ subject: String) throws(OAuthError) -> HTTPResponse {
    do { return try http.send(request) } catch { throw OAuthError(error, subject) }
  }

  /// The secrets of a request, which no error may repeat.
  func secrets(_ sent: SharedSecret?...) -> [SharedSecret] {
    (sent + [client.authentication.secret]).compactMap { $0 }
  }

  /// Reads tokens, which must be bound to the key that was proven.
  func tokens(in response: HTTPResponse, kind: RequestKind, sent: [SharedSecret]) throws(OAuthError) -> TokenResponse {
    let tokens: TokenResponse
    do throws(OAuthError) {
      tokens = try TokenResponse.parse(response, kind: kind, sent: sent, scopeSeparator: scopeSeparator)
    } catch {
      throw explained(error)
    }
    try checkBinding(of: tokens)
    return tokens
  }
}
