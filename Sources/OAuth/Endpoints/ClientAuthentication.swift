package import Crypto

/// How a client proves who it is. One method is used in each request, and no other is tried after it fails
/// (RFC 6749 section 2.3).
package enum ClientAuthentication: Sendable {
  /// A public client: `client_id` in the body.
  case none
  /// HTTP Basic with id and secret form-encoded first (RFC 6749 section 2.3.1).
  case basic(SharedSecret)
  /// HTTP Basic without that encoding, for servers that do not undo it.
  case basicUnencoded(SharedSecret)
  /// `client_id` and `client_secret` in the body.
  case post(SharedSecret)
  /// A token signed with the client's key (RFC 7523).
  case privateKeyJWT(ClientAssertion)
  /// The certificate shown in the TLS handshake: `client_id` in the body (RFC 8705 section 2).
  case mutualTLS

  /// Whether the server can know for sure who asks.
  package var provesClient: Bool {
    if case .none = self { return false }
    return true
  }

  var secret: SharedSecret? {
    switch self {
    case .none, .privateKeyJWT, .mutualTLS: nil
    case .basic(let secret), .basicUnencoded(let secret), .post(let secret): secret
    }
  }
}
