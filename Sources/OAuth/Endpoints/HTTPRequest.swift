package import Crypto

/// A request to an endpoint. The URL contains no secrets (RFC 6749 section 2.3.1).
package struct HTTPRequest: ~Copyable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
  }

  /// In bytes.
  package static let defaultResponseLimit = 262_144

  package let method: Method
  package let endpoint: Endpoint
  package let role: EndpointRole
  package let transport: Transport

  package var accept = "application/json"

  /// The complete header, with its scheme.
  package var authorization: SecretBytes?

  /// The `DPoP` header (RFC 9449 section 4.1), which forbids automatic retries.
  package var proof: String?

  /// The `If-None-Match` header (RFC 9110 section 13.1.2).
  package var ifNoneMatch: String?

  /// The body, form-encoded unless ``isJSON``; nil for GET and DELETE.
  package var form: SecretBytes?
  package var isJSON = false

  /// Limits the decoded body, in bytes.
  package var responseLimit = HTTPRequest.defaultResponseLimit

  /// Whether to follow up to three redirects within the origin, and throw ``HTTPFailure/Code/redirect`` for others. If
  /// false, returns redirects.
  package var followsRedirects = false

  /// Whether the request spends a single-use value, such as a refresh token. It uses a new connection. After its first
  /// byte, ``Transport/spendingTimeoutSeconds`` applies and ``Cancellation/cancel()`` does not end it. Invalid
  /// responses have a ``HTTPResponse/defect``.
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
