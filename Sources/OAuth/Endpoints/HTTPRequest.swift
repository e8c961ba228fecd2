package import Crypto
package import Vocabulary

/// One request to an endpoint of an authorization server.
///
/// Secrets are only in `authorization` and `form`, never in the URL (RFC 6749 section 2.3.1).
package struct HTTPRequest: ~Copyable {
  package enum Method: Sendable {
    case get, post, delete

    /// As it is sent.
    package var name: String {
      switch self {
      case .get: "GET"
      case .post: "POST"
      case .delete: "DELETE"
      }
    }
  }

  /// Room for the answer of any endpoint but a key set, in bytes. It is also the most that a `SecretBytes` holds.
  package static let defaultResponseLimit = 262_144

  package let method: Method
  package let endpoint: Endpoint
  package let role: EndpointRole
  package let transport: Transport

  /// The value of the `Accept` header. Some servers answer in another format without it.
  package var accept = "application/json"

  /// The whole value of the `Authorization` header, scheme included.
  package var authorization: SecretBytes?

  /// The value of the `DPoP` header: a proof for this request (RFC 9449 section 4.1). A request with one is
  /// sent once at most, whatever its method.
  package var proof: String?

  /// The value of the `If-None-Match` header (RFC 9110 section 13.1.2): an earlier version is cached, and an answer
  /// with status 304 says that it is current.
  package var ifNoneMatch: String?

  /// The body, `application/x-www-form-urlencoded` unless ``isJSON``; nil for a GET and a DELETE.
  package var form: SecretBytes?
  package var isJSON = false

  /// The most bytes of decoded response body that are read; more is ``HTTPFailure/Code/tooLarge``.
  package var responseLimit = HTTPRequest.defaultResponseLimit

  /// Whether a redirect may be followed: at most three, to the same scheme, host and port. A redirect that
  /// may not be followed is returned as the response it is, with its 3xx status; one that may be followed in
  /// principle but breaks these rules is ``HTTPFailure/Code/redirect``.
  package var followsRedirects = false

  /// The request spends something that can be used only once, such as a refresh token or a code, so its answer exists
  /// only once too. It is sent over a connection of its own. From its first byte on it has
  /// ``Transport/spendingTimeoutSeconds``, and is not ended by ``Cancellation/cancel()``. A body is
  /// returned whatever is wrong with the head or the framing, with ``HTTPResponse/defect``.
  package var spends = false

  /// Ends the request early from another thread.
  package var cancellation: Cancellation?

  package init(
    get endpoint: Endpoint, _ role: EndpointRole, transport: Transport, cancellation: Cancellation? = nil
  ) {
    self.method = .get
    self.endpoint = endpoint
    self.role = role
    self.transport = transport
    self.cancellation = cancellation
  }

  package init(
    post endpoint: Endpoint, _ role: EndpointRole, form: consuming SecretBytes, transport: Transport,
    cancellation: Cancellation? = nil
  ) {
    self.method = .post
    self.endpoint = endpoint
    self.role = role
    self.transport = transport
    self.form = consume form
    self.cancellation = cancellation
  }

  package init(
    post endpoint: Endpoint, _ role: EndpointRole, json: consuming SecretBytes, transport: Transport,
    cancellation: Cancellation? = nil
  ) {
    self.init(post: endpoint, role, form: json, transport: transport, cancellation: cancellation)
    isJSON = true
  }

  package init(
    delete endpoint: Endpoint, _ role: EndpointRole, transport: Transport, cancellation: Cancellation? = nil
  ) {
    self.method = .delete
    self.endpoint = endpoint
    self.role = role
    self.transport = transport
    self.cancellation = cancellation
  }
}
