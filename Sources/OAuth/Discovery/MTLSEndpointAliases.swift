extension AuthorizationServerMetadata {
  /// Alternative endpoints for clients with a certificate (RFC 8705 section 5).
  package struct MTLSEndpointAliases: Sendable {
    static let member = "mtls_endpoint_aliases"

    private(set) var endpoints: [EndpointRole: Endpoint] = [:]
    /// Metadata members of unusable aliases.
    private(set) var unusable: [EndpointRole: String] = [:]

    /// `reader` is nil if the member is no object, which makes all endpoints unusable.
    init(_ reader: MetadataReader?, of metadata: AuthorizationServerMetadata) {
      // Browsers do not use the client's certificate, and keys are public.
      for (role, member) in AuthorizationServerMetadata.endpointMembers
      where role != .authorization && role != .keys {
        if let reader {
          endpoints[role] = reader.endpoint(member, role, &unusable)
          if unusable[role] != nil { unusable[role] = "\(Self.member).\(member)" }
        } else if metadata[role] != nil {
          unusable[role] = Self.member
        }
      }
    }
  }

  /// The metadata for clients with a certificate. An unusable alias makes its endpoint unusable.
  package var forMutualTLS: AuthorizationServerMetadata {
    guard let aliases = mtlsEndpointAliases else { return self }
    var copy = self
    copy.apply(aliases.endpoints)
    for (role, member) in aliases.unusable {
      copy[role] = nil
      copy.unusableEndpoints[role] = member
    }
    return copy
  }
}
