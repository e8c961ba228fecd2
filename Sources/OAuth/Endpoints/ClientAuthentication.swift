package import Crypto

/// How a client authenticates. A request uses exactly one method (RFC 6749 section 2.3).
package enum ClientAuthentication: Sendable {
  /// A public client, with `client_id` in the body.
  case none
  /// HTTP Basic with the client ID and this client secret, both form-encoded (RFC 6749 section 2.3.1).
  case basic(SharedSecret)
  /// Like ``basic(_:)``, but not form-encoded, for servers that do not decode it.
  case basicUnencoded(SharedSecret)
  /// `client_id` and this `client_secret` in the body.
  case post(SharedSecret)
  /// A token signed with the client's key (RFC 7523).
  case privateKeyJWT(ClientAssertion)
  /// An assertion signed by the platform (RFC 7523 section 2.2).
  case assertion(SharedSecret)
  /// A certificate in the TLS handshake, and `client_id` in the body (RFC 8705 section 2).
  case mutualTLS

  /// Sends the secret in the body instead of by Basic, or the reverse, if an endpoint supports only the other method.
  ///
  /// - Parameter announced: The endpoint's supported methods; nil if not announced.
  func adapted(to announced: [String]?) -> ClientAuthentication {
    guard let announced, let secret else { return self }
    let methods = [ClientAuthenticationMethod.secretBasic, .secretPost].filter { announced.contains($0.rawValue) }
    if methods == [.secretPost] { return .post(secret) }
    if methods == [.secretBasic], case .post = self { return .basic(secret) }
    return self
  }

  /// Whether the client proves its identity. False for a public client.
  package var provesClient: Bool {
    if case .none = self { return false }
    return true
  }

  /// The client secret, for methods that send it.
  var secret: SharedSecret? {
    switch self {
    case .none, .privateKeyJWT, .assertion, .mutualTLS: nil
    case .basic(let secret), .basicUnencoded(let secret), .post(let secret): secret
    }
  }
}
