/// The purpose of an endpoint.
package enum EndpointRole: Sendable, Hashable, CaseIterable {
  case metadata, keys, authorization, pushedAuthorization, deviceAuthorization, token, userinfo, introspection,
    revocation, registration, resource

  /// The endpoint in the words of an ``OAuthError``.
  package var subject: String {
    switch self {
    case .metadata: "the metadata endpoint"
    case .keys: "the JWK Set endpoint"
    case .authorization: "the authorization endpoint"
    case .pushedAuthorization: "the pushed authorization request endpoint"
    case .deviceAuthorization: "the device authorization endpoint"
    case .token: "the token endpoint"
    case .userinfo: "the UserInfo endpoint"
    case .introspection: "the introspection endpoint"
    case .revocation: "the revocation endpoint"
    case .registration: "the client registration endpoint"
    case .resource: "the resource"
    }
  }
}
