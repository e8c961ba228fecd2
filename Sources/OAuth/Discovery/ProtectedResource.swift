internal import Encoding
internal import Vocabulary

/// The metadata of a protected resource (RFC 9728 section 2) that a sign-in needs.
package struct ProtectedResource: Sendable, Hashable {
  /// The resource exactly as requested, or its origin.
  package let identifier: String
  /// The issuers of tokens for the resource, in its order and without duplicates. Never empty.
  package let authorizationServers: [Issuer]
  /// The scopes to request; empty if not announced.
  package internal(set) var scopes: [String]
  /// Whether only tokens bound to a key are accepted (RFC 9449).
  package private(set) var wantsBoundTokens: Bool
  /// Whether the resource publishes metadata. Otherwise its server is assumed from its origin.
  package let isPublished: Bool
  /// The algorithms accepted for proofs; nil if not announced.
  package let proofAlgorithms: [String]?

  /// The maximum number of authorization servers. The rest are ignored.
  package static let mostServers = 16

  /// Parses a metadata document, ignoring unknown members (section 3.2).
  ///
  /// Skips invalid issuers, and those on this machine or a private network unless the resource is also there: a remote
  /// server must not make us contact local ones (section 7.7).
  ///
  /// - Parameter identifiers: The acceptable values of `resource`; nil for the requested resource only.
  /// - Throws: `resourceMismatch` if `resource` is not one of them, byte by byte (section 3.3). `bindingUnsupported` if
  ///   it requires proofs with an unsupported algorithm. `metadataInvalid` with the name of a missing or malformed
  ///   member.
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
    isPublished = true
    identifier = named
    var servers: [Issuer] = []
    for text in try reader.strings("authorization_servers") ?? [] where servers.count < Self.mostServers {
      guard let issuer = try? Issuer(text, allowHTTPLoopback: allowHTTPLoopback), !servers.contains(issuer),
        resource.uri.isInner || (try? URI(text))?.isInner == false
      else { continue }
      servers.append(issuer)
    }
    guard !servers.isEmpty else {
      throw OAuthError(.metadataInvalid, .reason("it names no authorization server"))
    }
    authorizationServers = servers
    wantsBoundTokens = try reader.flag("dpop_bound_access_tokens_required")
    let member = "dpop_signing_alg_values_supported"
    // If proofs are not required, a malformed list is ignored.
    proofAlgorithms = wantsBoundTokens ? try reader.strings(member) : try? reader.strings(member)
    scopes = (try? Scope(values: reader.strings("scopes_supported") ?? []).values) ?? []
    if wantsBoundTokens { try requireBoundTokens() }
  }

  /// A resource without metadata.
  init(_ resource: Endpoint, acceptingTokensOf issuer: Issuer) {
    isPublished = false
    identifier = resource.text
    authorizationServers = [issuer]
    scopes = []
    wantsBoundTokens = false
    proofAlgorithms = nil
  }

  /// - Throws: `bindingUnsupported`.
  mutating func requireBoundTokens() throws(OAuthError) {
    guard DPoPKey.algorithm(announced: proofAlgorithms) != nil else { throw OAuthError(.bindingUnsupported, .resource) }
    wantsBoundTokens = true
  }
}
