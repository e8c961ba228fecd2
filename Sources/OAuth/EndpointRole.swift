/// What an endpoint is for.
package enum EndpointRole: Sendable, Hashable, CaseIterable {
  case metadata, keys, deviceAuthorization, token, userinfo, introspection, revocation

  /// The endpoint in the words of an ``OAuthError``.
  var subject: String {
    switch self {
    case .metadata: "the metadata endpoint"
    case .keys: "the JWK Set endpoint"
    case .deviceAuthorization: "the device authorization endpoint"
    case .token: "the token endpoint"
    case .userinfo: "the UserInfo endpoint"
    case .introspection: "the introspection endpoint"
    case .revocation: "the revocation endpoint"
    }
  }
}
