internal import Vocabulary

extension AuthorizationServerMetadata {
  /// Endpoints for clients that show a certificate, where they differ from those for all others
  /// (RFC 8705 section 5).
  package struct MTLSEndpointAliases: Sendable {
    /// The endpoints that can be used.
    private(set) var endpoints: [EndpointRole: Endpoint] = [:]
    /// As in ``AuthorizationServerMetadata/unusableEndpoints``.
    private(set) var unusable: [EndpointRole: String] = [:]

    init(_ reader: MetadataReader) {
      // A browser shows no certificate of the client's, and keys are for everyone.
      for (role, member, _) in AuthorizationServerMetadata.endpoints where role != .authorization && role != .keys {
        endpoints[role] = reader.endpoint(member, role, &unusable)
      }
    }
  }

  /// This metadata as a client with a certificate uses it: an endpoint without an alias is the one for all, and one whose
  /// alias cannot be used cannot be used.
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
