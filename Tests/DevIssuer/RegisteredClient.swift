import JOSE

/// A client that the issuer knows, from its start or by registration (RFC 6749 section 2).
struct RegisteredClient: Sendable {
  /// How it shows that it is itself (RFC 7591 section 2, `token_endpoint_auth_method`).
  enum Authentication: Sendable {
    /// A public client (RFC 6749 section 2.1).
    case none
    /// `client_secret_basic` or `client_secret_post`.
    case secret([UInt8])
    /// `private_key_jwt`.
    case keys(JWKSet)
  }

  static let publicID = "agent-cli"
  static let confidentialID = "agent-confidential"

  /// The one whose keys an option names.
  static let keyID = "agent-jwt"

  let id: String
  /// What the user sees.
  let name: String
  let authentication: Authentication
  /// Where answers for this client may go; one of them must allow it.
  let redirects: [RedirectRule]
  /// What it may use at the token endpoint.
  var grantTypes = Set(GrantType.all)
  /// All its token requests must have a proof of possession (RFC 9449 section 5.2).
  var bindsTokensToKey = false

  /// False for a public client.
  var isConfidential: Bool {
    if case .none = authentication { false } else { true }
  }

  func requireGrantType(_ grantType: String) throws(OAuthFailure) {
    guard grantTypes.contains(grantType) else {
      throw OAuthFailure(.unauthorizedClient, "the client is not registered for this grant type")
    }
  }
}
