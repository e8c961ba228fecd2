package import Crypto

/// A request to an endpoint. Secrets are never in the URL (RFC 6749 section 2.3.1).
package struct HTTPRequest: ~Copyable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// In bytes; key sets have another limit.
  package static let defaultResponseLimit = 262_144

  package let method: Method
  package let endpoint: Endpoint
  /// Named in error messages.
  package let role: EndpointRole
  package let transport: Transport

  package var accept = "application/json"

  /// The complete `Authorization` header, including the scheme.
  package var authorization: SecretBytes?

  /// The `DPoP` header (RFC 9449 section 4.1). A request with a proof is never retried.
  package var proof: String?

  /// The `If-None-Match` header (RFC 9110 section 13.1.2). Status 304 means that the cached version is current.
  package var ifNoneMatch: String?

  /// The body, `application/x-www-form-urlencoded` unless ``isJSON``; nil for GET and DELETE.
  package var form: SecretBytes?
  package var isJSON = false

  /// The maximum size of the decoded body, in bytes.
  package var responseLimit = HTTPRequest.defaultResponseLimit

  /// Whether to follow up to three redirects with the same origin, and throw ``HTTPFailure/Code/redirect`` for others.
  /// If false, redirects are returned as responses.
  package var followsRedirects = false

  /// Whether the request spends a single-use value, such as a refresh token or a code. It uses a new connection. After
  /// its first byte, the timeout is ``Transport/spendingTimeoutSeconds`` and ``Cancellation/cancel()`` does not end it.
  /// An invalid response is returned with its ``HTTPResponse/defect``.
  package var spends = false

  package var cancellation: Cancellation?

  package init(
    _ method: Method, _ endpoint: Endpoint, _ role: EndpointRole, transport: Transport,
    cancellation: Cancellation? = nil
  ) {
    self.method = method
    self.endpoint = endpoint
    self.role = role
    self.transport = transport
    self.cancellation = cancellation
  }

  package init(
    post endpoint: Endpoint, _ role: EndpointRole, form: consuming SecretBytes, isJSON: Bool = false,
    transport: Transport, cancellation: Cancellation? = nil
  ) {
    self.init(.post, endpoint, role, transport: transport, cancellation: cancellation)
    self.form = consume form
    self.isJSON = isJSON
  }
}
