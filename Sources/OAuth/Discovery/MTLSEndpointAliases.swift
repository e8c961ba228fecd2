internal import Vocabulary

extension AuthorizationServerMetadata {
  /// Alternative endpoints for clients with a certificate (RFC 8705 section 5).
  package struct MTLSEndpointAliases: Sendable {
    private(set) var endpoints: [EndpointRole: Endpoint] = [:]
    /// As in ``AuthorizationServerMetadata/unusableEndpoints``.
    private(set) var unusable: [EndpointRole: String] = [:]

    init(_ reader: MetadataReader) {
      // A browser does not present the client's certificate, and keys are public.
      for (role, member, _) in AuthorizationServerMetadata.endpoints where role != .authorization && role != .keys {
        endpoints[role] = reader.endpoint(member, role, &unusable)
      }
    }
  }

  /// The metadata for clients with a certificate. Endpoints without an alias stay the same; an unusable alias makes its
  /// endpoint unusable.
  package var forMutualTLS: AuthorizationServerMetadata {
    guard let aliases = mtlsEndpointAliases else { return self }
    var copy = self
    for (role, _, place) in Self.endpoints {
      if let endpoint = aliases.endpoints[role] {
        copy[keyPath: place] = endpoint
        copy.unusableEndpoints[role] = nil
      } else if let member = aliases.unusable[role] {
        copy[keyPath: place] = nil
        copy.unusableEndpoints[role] = "mtls_endpoint_aliases.\(member)"
      }
    }
    return copy
  }
}
