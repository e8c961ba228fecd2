internal import Crypto

extension AuthorizationServer {
  /// Throws `profileBroken` unless server and client meet the profile. Call before sending a code or token.
  package func checkProfile(_ flow: FAPI2.Flow) throws(OAuthError) {
    guard profile == .fapi2 else { return }
    if let breach = FAPI2.breach(of: metadata, flow) ?? clientBreach { throw OAuthError(breach) }
  }

  /// Throws `profileBroken` if tokens are usable without key or certificate.
  func checkProfile(of tokens: TokenResponse) throws(OAuthError) {
    guard profile == .fapi2 else { return }
    let isBound = tokens.tokenType == "DPoP" || bindsToCertificate
    guard isBound else { throw OAuthError(.tokenUnbound) }
  }

  /// See RFC 8705 section 3.
  private var bindsToCertificate: Bool { clientCertificate != nil && metadata.bindsTokensToCertificates }

  private var clientBreach: ProfileBreach? {
    guard prover != nil && FAPI2.acceptsProofs(metadata) || bindsToCertificate else { return .tokensUnannounced }
    switch signing.idTokens {
    case .secret: return .algorithmSetting
    case .key(let algorithm): if !FAPI2.algorithms.contains(algorithm) { return .algorithmSetting }
    case nil: break
    }
    if let algorithm = signing.userInfo, !FAPI2.algorithms.contains(algorithm) { return .algorithmSetting }
    let announced = metadata.tokenEndpointAuthMethods
    switch client.authentication {
    case .mutualTLS: return announced.contains(where: FAPI2.certificateMethods.contains) ? nil : .proofUnannounced
    case .privateKeyJWT(let assertion):
      guard announced.contains(FAPI2.keyMethod) else { return .proofUnannounced }
      guard assertion.audience == .issuer else { return .assertionAudience }
      let algorithm = assertion.algorithm(at: metadata)
      guard FAPI2.algorithms.contains(algorithm) else { return .clientAlgorithm }
      let taken = metadata.tokenEndpointAuthSigningAlgorithms?.contains(algorithm.rawValue) ?? true
      return taken ? nil : .serverAlgorithms
    // Forbidden by section 5.3.3.1.
    default: return .clientUnproven
    }
  }
}
