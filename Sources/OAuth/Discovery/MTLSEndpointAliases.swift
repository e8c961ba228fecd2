internal import Vocabulary

/// Endpoints for clients that show a certificate, where they differ from those for all others
/// (RFC 8705 section 5).
package struct MTLSEndpointAliases: Sendable {
  /// The endpoints that can be used.
  private(set) var endpoints: [EndpointRole: Endpoint] = [:]
  /// As in ``AuthorizationServerMetadata/unusableEndpoints``.
  private(set) var unusable: [EndpointRole: String] = [:]

  private static let members: [(name: String, role: EndpointRole)] = [
    ("token_endpoint", .token), ("device_authorization_endpoint", .deviceAuthorization),
    ("userinfo_endpoint", .userinfo), ("revocation_endpoint", .revocation),
    ("introspection_endpoint", .introspection),
    ("pushed_authorization_request_endpoint", .pushedAuthorization), ("registration_endpoint", .registration),
  ]

  init(_ reader: MetadataReader) {
    for (name, role) in Self.members { endpoints[role] = reader.endpoint(name, role, &unusable) }
  }
}

extension AuthorizationServerMetadata {
  /// This metadata as a client with a certificate uses it: an endpoint without an alias is the one for all, and one whose
  /// alias cannot be used cannot be used.
  package var forMutualTLS: AuthorizationServerMetadata {
    guard let aliases = mtlsEndpointAliases else { return self }
    var copy = self
    func put(_ role: EndpointRole, _ place: WritableKeyPath<Self, Endpoint?>) {
      if let endpoint = aliases.endpoints[role] {
        copy[keyPath: place] = endpoint
        copy.unusableEndpoints[role] = nil
      } else if let member = aliases.unusable[role] {
        copy[keyPath: place] = nil
        copy.unusableEndpoints[role] = "mtls_endpoint_aliases.\(member)"
      }
    }
    put(.token, \.tokenEndpoint)
    put(.deviceAuthorization, \.deviceAuthorizationEndpoint)
    put(.userinfo, \.userinfoEndpoint)
    put(.revocation, \.revocationEndpoint)
    put(.introspection, \.introspectionEndpoint)
    put(.pushedAuthorization, \.pushedAuthorizationRequestEndpoint)
    put(.registration, \.registrationEndpoint)
    return copy
  }
}
