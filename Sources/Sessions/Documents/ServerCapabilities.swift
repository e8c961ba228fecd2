internal import JOSE
internal import OAuth
internal import Vocabulary

extension AuthorizationServer {
  /// Whether ID Tokens can be verified: by the keys that the server publishes, or by the client's secret.
  var issuesIDTokens: Bool {
    if case .secret = signing.idTokens { return true }
    return metadata.issuesIDTokens
  }

  /// The announced algorithms that we accept, as far as the account's profile allows them.
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    let announced = metadata.acceptedIDTokenAlgorithms
    return profile == .fapi2 ? announced.intersection(FAPI2.algorithms) : announced
  }
}

extension AuthorizationServerMetadata {
  /// Whether the server speaks OpenID Connect as far as we need it: it publishes keys for ID Tokens.
  var issuesIDTokens: Bool { jwksURI != nil || unusableEndpoints[.keys] != nil }

  /// The announced algorithms that we accept; RS256 where none are announced (OpenID Connect Core,
  /// section 2). Announcing never widens what we accept.
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    guard !idTokenSigningAlgorithms.isEmpty else { return [.RS256] }
    return Set(idTokenSigningAlgorithms.compactMap(JWSAlgorithm.init(name:)))
  }
}
