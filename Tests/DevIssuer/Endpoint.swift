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
  /// Dynamic client registration (RFC 7591).
  case registration
  /// The management of a client that registered itself (RFC 7592).
  case registeredClient = "client"
  case device
  case verification
  case token
  case userinfo
  case revocation
  case introspection
  /// A protected resource, and what RFC 9728 says of it.
  case resource
  case resourceMetadata = "resource_metadata"
  /// A protected resource that tells what it got.
  case echo
  /// A resource that is elsewhere.
  case redirect
  case control

  /// What the path of a registered client begins with; its identifier follows.
  static let clientPrefix = "/register/"

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
    case "/register": self = .registration
    case let path where path.hasPrefix(Self.clientPrefix): self = .registeredClient
    case "/device_authorization": self = .device
    case "/device": self = .verification
    case "/token": self = .token
    case "/userinfo": self = .userinfo
    case "/revoke": self = .revocation
    case "/introspect": self = .introspection
    case "/resource": self = .resource
    case "/echo": self = .echo
    case "/redirect": self = .redirect
    case "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/resource",
      "/.well-known/oauth-protected-resource/echo":
      self = .resourceMetadata
    case "/control": self = .control
    default: return nil
    }
  }

  var methods: Set<Request.Method> {
    switch self {
    case .metadata, .jwks, .resource, .resourceMetadata: [.get]
    case .echo, .redirect: Set(Request.Method.allCases)
    case .registeredClient: [.get, .put, .delete]
    case .decision, .pushed, .registration, .device, .token, .revocation, .introspection: [.post]
    case .authorization, .logout, .verification, .userinfo, .control: [.get, .post]
    }
  }
}
