/// The purpose of an endpoint, by its name in the log.
package enum EndpointRole: String, Sendable, Hashable, CaseIterable {
  case metadata, keys, authorization
  case pushedAuthorization = "pushed_authorization"
  case deviceAuthorization = "device_authorization"
  case token, userinfo, introspection, revocation, registration, resource

  /// The endpoint in a message, without an article.
  package var title: String {
    switch self {
    case .metadata: "metadata"
    case .keys: "key set"
    case .authorization: "authorization endpoint"
    case .pushedAuthorization: "pushed authorization request endpoint"
    case .deviceAuthorization: "device authorization endpoint"
    case .token: "token endpoint"
    case .userinfo: "UserInfo endpoint"
    case .introspection: "introspection endpoint"
    case .revocation: "revocation endpoint"
    case .registration: "client registration endpoint"
    case .resource: "resource"
    }
  }

  /// The endpoint in the words of an error of the protocol.
  package var subject: String {
    switch self {
    case .metadata: "the metadata endpoint"
    case .keys: "the JWK Set endpoint"
    default: "the \(title)"
    }
  }
}
