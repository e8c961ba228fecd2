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

  var secret: SharedSecret? {
    switch self {
    case .none: nil
    case .basic(let secret), .basicUnencoded(let secret), .post(let secret): secret
    }
  }
}
