package import Crypto
internal import Encoding

/// A registered client (RFC 7591 section 3.2.1). Servers may change requested values; omitted ones are as requested.
package struct ClientRegistration: Sendable {
  package let clientID: String
  package let secret: SharedSecret?
  /// In unix seconds; nil if unlimited.
  package let secretExpiresAt: Int?
  package let tokenEndpointAuthMethod: String?
  package let grantTypes: [String]?
  package let redirectURIs: [String]?
  /// Whether tokens must be DPoP-bound (RFC 9449 section 5.2).
  package let bindsTokensToKey: Bool
  package let idTokenAlgorithm: String?
  /// Nil if UserInfo is unsigned.
  package let userInfoAlgorithm: String?
  package let management: Management?
  /// Whether the management URL was rejected as another server's.
  package let hasForeignManagement: Bool

  /// The client configuration endpoint and its token (RFC 7592 section 3).
  package struct Management: Sendable {
    package let endpoint: Endpoint
    package let token: SharedSecret

    package init(endpoint: Endpoint, token: SharedSecret) {
      self.endpoint = endpoint
      self.token = token
    }

    /// Deletes the registration (RFC 7592 section 2.3). Throws `registrationGone` if client or token are unknown.
    package func delete(transport: Transport, http: any HTTPClient) throws(OAuthError) {
      let role = EndpointRole.registration
      var request = HTTPRequest(.delete, endpoint, role, transport: transport)
      request.authorization = try token.authorization("Bearer")
      let response = try http.ask(request)
      if (200..<300).contains(response.status) { return }
      if [401, 404, 410].contains(response.status) {
        throw OAuthError(.registrationGone, .endpoint(role), httpStatus: response.status)
      }
      throw OAuthError.forResponse(
        response, ErrorResponse.read(response, sent: [token]), .endpoint(role), kind: .registration, sent: [token])
    }
  }

  /// Registers a client (RFC 7591 section 3). Throws `registrationRejected` if refused, `registrationMissing` without
  /// an endpoint.
  package static func register(
    _ request: ClientRegistrationRequest, at metadata: AuthorizationServerMetadata,
    initialAccessToken: SharedSecret?, transport: Transport, http: any HTTPClient, cancellation: Cancellation?
  ) throws(OAuthError) -> ClientRegistration {
    let role = EndpointRole.registration
    guard let endpoint = metadata[.registration] else { throw OAuthError(.registrationMissing, .server) }
    let text = JSON.object(request.json).serialized()
    let body: SecretBytes
    do { body = try SecretBytes(copying: text.span) } catch { throw OAuthError(.cryptoFailure, .request) }
    var message = HTTPRequest(
      post: endpoint, role, form: body, isJSON: true, transport: transport, cancellation: cancellation)
    if let initialAccessToken { message.authorization = try initialAccessToken.authorization("Bearer") }
    // Never retried: the token may be single-use, and a second client would be created.
    message.spends = true
    let response = try http.ask(message)
    if let defect = response.defect { throw OAuthError(defect, message) }
    let sent = [initialAccessToken].compactMap { $0 }
    do throws(OAuthError) {
      return try response.body.withBytes { (bytes) throws(OAuthError) in
        let reader = try JSONResponseReader(
          response, bytes, subject: .endpoint(role), kind: .registration, sent: sent, success: [200, 201])
        return try ClientRegistration(reader, bytes, metadata, transport)
      }
    } catch {
      throw Self.refusal(error)
    }
  }

  /// Converts 401 and 403 (RFC 7591 section 3.2.2) to `registrationRejected`.
  private static func refusal(_ error: OAuthError) -> OAuthError {
    guard error.code != .notJSON, let status = error.httpStatus, [401, 403].contains(status) else { return error }
    var refusal = OAuthError(.registrationRejected, .endpoint(.registration), httpStatus: status)
    refusal.serverError = error.serverError
    refusal.serverDescription = error.serverDescription
    return refusal
  }

  private init(
    _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>, _ metadata: AuthorizationServerMetadata,
    _ transport: Transport
  ) throws(OAuthError) {
    guard let clientID = try reader.text("client_id", in: bytes),
      (try? Client(id: clientID, authentication: .none)) != nil
    else { throw reader.malformed("client_id") }
    self.clientID = clientID
    secret = try reader.secret("client_secret", in: bytes, allowed: 0x20...0x7E)
    // Required with a secret (section 3.2.1); if absent, unlimited.
    let expiry = reader.member("client_secret_expires_at")?.value(in: bytes).int ?? 0
    guard (0..<253_402_300_800).contains(expiry) else { throw reader.malformed("client_secret_expires_at") }
    secretExpiresAt = secret == nil || expiry == 0 ? nil : expiry
    tokenEndpointAuthMethod = try reader.text("token_endpoint_auth_method", in: bytes)
    grantTypes = try Self.texts("grant_types", reader, bytes)
    redirectURIs = try Self.texts("redirect_uris", reader, bytes)
    bindsTokensToKey = reader.member("dpop_bound_access_tokens")?.value(in: bytes).bool ?? false
    idTokenAlgorithm = try reader.text("id_token_signed_response_alg", in: bytes)
    userInfoAlgorithm = try reader.text("userinfo_signed_response_alg", in: bytes)
    let token = try reader.secret("registration_access_token", in: bytes, allowed: 0x21...0x7E)
    let address = try reader.text("registration_client_uri", in: bytes)
    let endpoint = address.flatMap { try? Endpoint($0, allowHTTPLoopback: transport.allowHTTPLoopback) }
    let isOwn = endpoint.map { Self.isOwn($0, metadata) } ?? false
    if let endpoint, let token, isOwn {
      management = Management(endpoint: endpoint, token: token)
    } else {
      management = nil
    }
    hasForeignManagement = address != nil && !isOwn
  }

  /// Whether the endpoint is at one of this server's origins.
  private static func isOwn(_ endpoint: Endpoint, _ metadata: AuthorizationServerMetadata) -> Bool {
    let origin = endpoint.uri.origin
    return metadata.endpointOrigins.contains(origin) || (try? URI(metadata.issuer.text))?.origin == origin
  }

  private static func texts(
    _ name: String, _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>
  ) throws(OAuthError) -> [String]? {
    guard let node = reader.member(name) else { return nil }
    let texts = node.elements.compactMap { $0.string(in: bytes) }
    guard node.kind == .array, texts.count == node.elements.count else { throw reader.malformed(name) }
    return texts
  }
}
