internal import Encoding
internal import Vocabulary

/// The metadata of a protected resource (RFC 9728 section 2) that a sign-in needs.
package struct ProtectedResource: Sendable, Hashable {
  /// The resource, exactly as it was asked for, or the whole origin that it belongs to.
  package let identifier: String
  /// The issuers of tokens for it, in the resource's order, each once; never empty.
  package let authorizationServers: [Issuer]
  /// The scope values to request; empty when the resource does not say.
  package internal(set) var scopes: [String]
  /// It takes only tokens that are bound to a key (RFC 9449).
  package let wantsBoundTokens: Bool
  /// The algorithms of the proofs that it takes; nil when it does not say.
  package let proofAlgorithms: [String]?

  /// More authorization servers than these are not looked at.
  package static let mostServers = 16

  /// Reads a metadata document; unknown members are ignored (section 3.2).
  ///
  /// Authorization servers that cannot be issuers are left out. So are those that only this machine or its own
  /// network could mean, unless the resource is such a one too: a server elsewhere has no say in what is asked
  /// for there (section 7.7).
  ///
  /// - Parameter identifiers: The resources that the document may be for; nil for the one that was asked for.
  /// - Throws: `resourceMismatch` when the document is for none of them, byte by byte; then nothing of it is
  ///   used (section 3.3). `bindingUnsupported` when it wants proofs, but none that we make. `metadataInvalid`
  ///   names a member that is wrong or missing.
  package init(
    parsing body: [UInt8], of resource: Endpoint, identifiers: [String]? = nil, allowHTTPLoopback: Bool
  ) throws(OAuthError) {
    guard let object = (try? JSON(parsing: body))?.object else {
      throw OAuthError(.metadataInvalid, .reason("it is not a JSON object"))
    }
    let reader = MetadataReader(object: object, allowHTTPLoopback: allowHTTPLoopback)
    let named = try reader.string("resource")
    guard let named, (identifiers ?? [resource.text]).contains(where: { $0.utf8.elementsEqual(named.utf8) }) else {
      throw OAuthError(.resourceMismatch, .requestedResource).naming(named)
    }
    identifier = named
    var servers: [Issuer] = []
    for text in try reader.strings("authorization_servers") ?? [] where servers.count < Self.mostServers {
      guard let issuer = try? Issuer(text, allowHTTPLoopback: allowHTTPLoopback), !servers.contains(issuer),
        resource.uri.isInner || (try? URI(text))?.isInner == false
      else { continue }
      servers.append(issuer)
    }
    guard !servers.isEmpty else {
      throw OAuthError(.metadataInvalid, .reason("it names no authorization server to go to"))
    }
    authorizationServers = servers
    wantsBoundTokens = try reader.flag("dpop_bound_access_tokens_required")
    let member = "dpop_signing_alg_values_supported"
    // Without a need for proofs a wrong list costs only itself.
    proofAlgorithms = wantsBoundTokens ? try reader.strings(member) : try? reader.strings(member)
    if wantsBoundTokens, DPoPKey.algorithm(announced: proofAlgorithms) == nil {
      throw OAuthError(.bindingUnsupported, .resource)
    }
    scopes = (try? Scope(values: reader.strings("scopes_supported") ?? []).values) ?? []
  }
}
