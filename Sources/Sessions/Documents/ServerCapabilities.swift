internal import Crypto
internal import OAuth

extension AuthorizationServer {
  /// Whether ID Tokens can be verified with the server's published keys or the client secret.
  var issuesIDTokens: Bool {
    if case .secret = signing.idTokens { return true }
    return metadata.issuesIDTokens
  }

  /// The announced algorithms that this program supports and the account's profile allows.
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    let announced = metadata.acceptedIDTokenAlgorithms
    return profile == .fapi2 ? announced.intersection(FAPI2.algorithms) : announced
  }
}

extension AuthorizationServerMetadata {
  /// Whether the server issues ID Tokens, judged by whether it publishes keys for them.
  var issuesIDTokens: Bool { jwksURI != nil || unusableEndpoints[.keys] != nil }

  /// The announced algorithms that this program supports. RS256 if none are announced (OpenID Connect Core section 2).
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    guard !idTokenSigningAlgorithms.isEmpty else { return [.RS256] }
    return Set(idTokenSigningAlgorithms.compactMap(JWSAlgorithm.init(name:)))
  }
}
