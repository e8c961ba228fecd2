package import Crypto
internal import Encoding
internal import Vocabulary

/// The service that gives a job of GitHub Actions a JWT of its own.
///
/// Source: https://docs.github.com/en/actions/reference/security/oidc
package struct WorkflowTokenService: Sendable {
  /// The variables of a job that may ask it: where it is, and the token to ask with.
  package static let variables = (url: "ACTIONS_ID_TOKEN_REQUEST_URL", token: "ACTIONS_ID_TOKEN_REQUEST_TOKEN")

  /// Room for the longest assertion in its answer, in bytes.
  private static let mostAnswerBytes = 131_072

  private let url: String
  private let token: SharedSecret

  /// - Parameter url: With a query of its own; the service's text, of which nothing is secret.
  package init(url: SharedSecret, token: SharedSecret) {
    self.url = url.bytes.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    self.token = token
  }

  /// Asks for a JWT. Blocking; follows no redirect.
  ///
  /// - Parameters:
  ///   - audience: Its `aud`.
  ///   - transport: Its additional certificate authorities are trusted here too.
  /// - Throws: What may pass, and what is no answer of such a service.
  package func assertion(
    for audience: String, transport: Transport, http: any HTTPClient, cancellation: Cancellation
  ) throws(OAuthError) -> Result<SharedSecret, AssertionProblem> {
    let place = try Endpoint(url, allowHTTPLoopback: transport.allowHTTPLoopback)
    let endpoint = try Endpoint(
      place.uri.appendingQuery([("audience", audience)]), allowHTTPLoopback: transport.allowHTTPLoopback)
    var transport = transport
    // They are the authorization server's own.
    (transport.pins, transport.clientCertificate) = ([], nil)
    var request = HTTPRequest(get: endpoint, .resource, transport: transport, cancellation: cancellation)
    request.responseLimit = Self.mostAnswerBytes
    request.authorization = try token.authorization("Bearer")
    let response: HTTPResponse
    do { response = try http.send(request) } catch {
      throw OAuthError(error, .resource, at: endpoint, proxy: transport.proxy?.url)
    }
    if (400..<500).contains(response.status), !OAuthError.isPassing(response.status) {
      return .failure(.refused(status: response.status))
    }
    return try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try AnswerReader(response, bytes, subject: .name(endpoint.uri.origin), kind: .other, sent: [token])
      guard let value = try reader.secret("value", in: bytes, allowed: 0x21...0x7E) else {
        throw reader.malformed("value")
      }
      return .success(value)
    }
  }
}
