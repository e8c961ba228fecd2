internal import Encoding

/// A protected resource's metadata (RFC 9728 section 2), for a sign-in.
package struct ProtectedResource: Sendable, Hashable {
  /// The requested URL, or its origin.
  package let identifier: String
  /// In the metadata's order. Never empty.
  package let authorizationServers: [Issuer]
  /// The scopes to request; empty if not announced.
  package internal(set) var scopes: [String]
  /// Whether the resource accepts only tokens bound to a key (RFC 9449).
  package private(set) var requiresBoundTokens: Bool
  /// Whether the resource publishes metadata. If not, its origin is assumed to be its authorization server.
  package let isPublished: Bool
  /// DPoP algorithms; nil if not announced.
  package let proofAlgorithms: [String]?

  /// Further authorization servers are ignored.
  package static let maximumServers = 16

  /// Parses metadata (section 3.2). Skips invalid issuers, and local ones unless the resource is local, to prevent
  /// request forgery (section 7.7).
  ///
  /// - Throws: `resourceMismatch` unless the `resource` in `body` is one of `identifiers` (default: the requested URL;
  ///   section 3.3); `bindingUnsupported` if proofs need an unsupported algorithm; `metadataInvalid`.
  package init(
    parsing body: [UInt8], of resource: Endpoint, identifiers: [String]? = nil, allowHTTPLoopback: Bool
  ) throws(OAuthError) {
    guard let object = (try? JSON(parsing: body))?.object else {
      throw OAuthError(.metadataInvalid, .reason("it is not a JSON object"))
    }
    let reader = MetadataReader(object: object, allowHTTPLoopback: allowHTTPLoopback)
    let named = try reader.string("resource")
    guard let named, (identifiers ?? [resource.text]).contains(where: { $0.hasSameBytes(as: named) }) else {
      throw OAuthError(.resourceMismatch, .requestedResource).addingIssuer(named)
    }
    isPublished = true
    identifier = named
    var servers: [Issuer] = []
    for text in try reader.strings("authorization_servers") ?? [] where servers.count < Self.maximumServers {
      guard let issuer = try? Issuer(text, allowHTTPLoopback: allowHTTPLoopback), !servers.contains(issuer),
        resource.uri.isLocal || (try? URI(text))?.isLocal == false
      else { continue }
      servers.append(issuer)
    }
    guard !servers.isEmpty else {
      throw OAuthError(.metadataInvalid, .reason("it names no authorization server"))
    }
    authorizationServers = servers
    requiresBoundTokens = try reader.flag("dpop_bound_access_tokens_required")
    let member = "dpop_signing_alg_values_supported"
    proofAlgorithms = requiresBoundTokens ? try reader.strings(member) : try? reader.strings(member)
    scopes = (try? Scope(values: reader.strings("scopes_supported") ?? []).values) ?? []
    if requiresBoundTokens { try requireBoundTokens() }
  }

  init(_ resource: Endpoint, acceptingTokensOf issuer: Issuer) {
    isPublished = false
    identifier = resource.text
    authorizationServers = [issuer]
    scopes = []
    requiresBoundTokens = false
    proofAlgorithms = nil
  }

  /// Throws `bindingUnsupported` if the resource accepts no supported proof algorithm.
  mutating func requireBoundTokens() throws(OAuthError) {
    guard DPoPKey.algorithm(announced: proofAlgorithms) != nil else { throw OAuthError(.bindingUnsupported, .resource) }
    requiresBoundTokens = true
  }
}
