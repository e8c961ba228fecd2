/// What the issuer answers. The raw values are the names that the control endpoint takes.
enum Endpoint: String, Sendable, Hashable, CaseIterable {
  case metadata
  case jwks
  case authorization
  /// Where the page of the authorization endpoint sends what the user decided.
  case decision
  /// Pushed authorization requests (RFC 9126).
  case pushed = "par"
  case logout
  case device
  case verification
  case token
  case userinfo
  case revocation
  case introspection
  case resource
  case control

  /// Nil for a path that is not ours.
  init?(path: String) {
    switch path {
    // OpenID Connect Discovery 1.0 section 4 and RFC 8414 section 3, for an issuer without a path.
    case "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server": self = .metadata
    case "/jwks": self = .jwks
    case "/authorize": self = .authorization
    case "/authorize/decision": self = .decision
    case "/par": self = .pushed
    case "/end_session": self = .logout
    case "/device_authorization": self = .device
    case "/device": self = .verification
    case "/token": self = .token
    case "/userinfo": self = .userinfo
    case "/revoke": self = .revocation
    case "/introspect": self = .introspection
    case "/resource": self = .resource
    case "/control": self = .control
    default: return nil
    }
  }

  var methods: Set<Request.Method> {
    switch self {
    case .metadata, .jwks, .resource: [.get]
    case .decision, .pushed, .device, .token, .revocation, .introspection: [.post]
    case .authorization, .logout, .verification, .userinfo, .control: [.get, .post]
    }
  }
}
