package import Crypto
internal import Encoding

/// The service that issues JWTs to GitHub Actions jobs.
///
/// Source: https://docs.github.com/en/actions/reference/security/oidc
package struct WorkflowTokenService: Sendable {
  /// The environment variables with the service's URL and token.
  package static let variables = (url: "ACTIONS_ID_TOKEN_REQUEST_URL", token: "ACTIONS_ID_TOKEN_REQUEST_TOKEN")

  private static let maximumAnswerBytes = 131_072

  private let url: String
  private let token: SharedSecret

  /// `url` includes the query and is not secret.
  package init(url: SharedSecret, token: SharedSecret) {
    self.url = url.bytes.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    self.token = token
  }

  /// Requests a JWT for `audience`. Blocking; follows no redirects. Ignores the pins and client certificate of
  /// `transport`, which are for the authorization server. Returns `refused` if the service issued no JWT.
  package func assertion(
    for audience: String, transport: Transport, http: any HTTPClient, cancellation: Cancellation
  ) throws(OAuthError) -> Result<SharedSecret, AssertionProblem> {
    let service = try Endpoint(url, allowHTTPLoopback: transport.allowHTTPLoopback)
    let endpoint = try Endpoint(
      service.uri.appendingQuery([("audience", audience)]), allowHTTPLoopback: transport.allowHTTPLoopback)
    var transport = transport
    (transport.pins, transport.clientCertificate) = ([], nil)
    var request = HTTPRequest(.get, endpoint, .resource, transport: transport, cancellation: cancellation)
    request.responseLimit = Self.maximumAnswerBytes
    request.authorization = try token.authorization("Bearer")
    let response = try http.ask(request)
    if (400..<500).contains(response.status), !OAuthError.isTemporary(response.status) {
      return .failure(.refused(status: response.status))
    }
    return try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try JSONResponseReader(
        response, bytes, subject: .name(endpoint.uri.origin), kind: .other, sent: [token])
      guard let value = try reader.secret("value", in: bytes, allowed: 0x21...0x7E) else {
        throw reader.malformed("value")
      }
      return .success(value)
    }
  }
}
