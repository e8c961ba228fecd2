package import Crypto

/// How a client authenticates (RFC 6749 section 2.3).
package enum ClientAuthentication: Sendable {
  /// A public client, with `client_id` in the body.
  case none
  /// HTTP Basic, form-encoded (RFC 6749 section 2.3.1).
  case basic(SharedSecret)
  /// Like ``basic(_:)``, for servers that do not form-decode.
  case basicUnencoded(SharedSecret)
  /// `client_id` and `client_secret` in the body.
  case post(SharedSecret)
  /// Tokens signed with the client's key (RFC 7523).
  case privateKeyJWT(ClientAssertion)
  /// The platform's assertion (RFC 7523 section 2.2).
  case assertion(SharedSecret)
  /// A TLS client certificate, and `client_id` in the body (RFC 8705 section 2).
  case mutualTLS

  /// Moves the secret to the header or body if the endpoint announces only that one.
  func adapted(to announced: [String]?) -> ClientAuthentication {
    guard let announced, let secret else { return self }
    let methods = [ClientAuthenticationMethod.secretBasic, .secretPost].filter { announced.contains($0.rawValue) }
    if methods == [.secretPost] { return .post(secret) }
    if methods == [.secretBasic], case .post = self { return .basic(secret) }
    return self
  }

  package var authenticatesClient: Bool {
    if case .none = self { return false }
    return true
  }

  var secret: SharedSecret? {
    switch self {
    case .none, .privateKeyJWT, .assertion, .mutualTLS: nil
    case .basic(let secret), .basicUnencoded(let secret), .post(let secret): secret
    }
  }
}
