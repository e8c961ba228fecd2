package import Crypto

/// The client's rules of the FAPI 2.0 Security Profile (OpenID Foundation, final, February 2025), beyond those for all
/// accounts.
package enum FAPI2 {
  /// Allowed by section 5.4.1, item 1. Ed25519 (RFC 9864) is EdDSA with that curve.
  package static let algorithms: Set<JWSAlgorithm> = [.PS256, .ES256, .EdDSA, .Ed25519]

  /// The grant of an account's tokens.
  package enum Flow: Sendable {
    /// Authorization code, and its refresh tokens.
    case code
    /// RFC 6749 section 4.4; exempt from section 5.3.3.2.
    case clientCredentials
    /// Any other grant; forbidden.
    case other
  }

  /// The rule that the server breaks, if any.
  package static func breach(of metadata: AuthorizationServerMetadata, _ flow: Flow) -> ProfileBreach? {
    if metadata.acceptsMetadataURLs == nil { return .metadataMissing }
    if metadata.tenant != nil { return .issuerDiffers }
    if !metadata.tokenEndpointAuthMethods.contains(where: permittedMethods.contains) { return .proofUnannounced }
    if !metadata.bindsTokensToCertificates, !acceptsProofs(metadata) { return .tokensUnannounced }
    let announced = metadata.idTokenSigningAlgorithms
    if !announced.isEmpty, !announced.contains(where: allowsAlgorithm) { return .serverAlgorithms }
    switch flow {
    case .other: return .noCodeGrant
    case .clientCredentials: return nil
    case .code: break
    }
    if metadata[.authorization] == nil, metadata.unusableEndpoints[.authorization] == nil { return .noCodeGrant }
    if metadata[.pushedAuthorization] == nil,
      metadata.unusableEndpoints[.pushedAuthorization] == nil
    {
      return .pushUnannounced
    }
    if metadata.codeChallengeMethods.isEmpty || !metadata.acceptsCodeChallenges { return .codeChallengeUnannounced }
    return metadata.responsesNameIssuer ? nil : .issuerUnannounced
  }

  static let keyMethod = "private_key_jwt"
  static let certificateMethods = ["tls_client_auth", "self_signed_tls_client_auth"]
  private static let permittedMethods = [keyMethod] + certificateMethods

  /// Whether the server accepts DPoP proofs (RFC 9449 section 5.1) with an allowed algorithm.
  static func acceptsProofs(_ metadata: AuthorizationServerMetadata) -> Bool {
    metadata.dpopSigningAlgorithms.flatMap { DPoPKey.algorithm(announced: $0) }.map(algorithms.contains) ?? false
  }

  static func allowsAlgorithm(_ name: String) -> Bool { JWSAlgorithm(name: name).map(algorithms.contains) ?? false }
}

/// A rule broken by settings, metadata or a response.
package enum ProfileBreach: Sendable, Hashable, CaseIterable {
  /// The server does not announce bound tokens, or issued an unbound one.
  case tokensUnannounced, tokenUnbound
  /// The client uses neither key nor certificate, or the server announces neither.
  case clientUnproven, proofUnannounced
  /// The client's assertions are not for the issuer alone.
  case assertionAudience
  /// The settings contain an endpoint, or no metadata exists.
  case endpointOverride, metadataMissing
  case issuerDiffers
  case noCodeGrant
  /// The metadata has no endpoint for pushed authorization requests (RFC 9126).
  case pushUnannounced
  case codeChallengeUnannounced
  /// Responses are not announced to contain `iss`, or one did not.
  case issuerUnannounced, answerWithoutIssuer
  /// Not allowed: a setting's algorithm, the client key's, all those that the server announces, or an ID Token's.
  case algorithmSetting, clientAlgorithm, serverAlgorithms, idTokenAlgorithm

  /// Section and item, such as `5.3.3.1-1`.
  package var rule: String {
    switch self {
    case .tokensUnannounced, .tokenUnbound: "5.3.3.1-1"
    case .clientUnproven, .proofUnannounced: "5.3.3.1-2"
    case .assertionAudience: "5.3.3.1-5"
    case .endpointOverride, .metadataMissing: "5.3.3.1-9"
    case .issuerDiffers: "5.3.3.1-11"
    case .noCodeGrant: "5.3.3.2-1"
    case .pushUnannounced: "5.3.3.2-2"
    case .codeChallengeUnannounced: "5.3.3.2-3"
    case .issuerUnannounced, .answerWithoutIssuer: "5.3.3.2-5"
    case .algorithmSetting, .clientAlgorithm, .serverAlgorithms, .idTokenAlgorithm: "5.4.1-1"
    }
  }

  /// In lowercase, without full stop.
  package var sentence: Phrase {
    switch self {
    case .tokensUnannounced:
      "the server does not announce tokens bound by DPoP (ES256 or PS256) or to a certificate"
    case .tokenUnbound: "the server issued a token that is not bound to a key or a certificate"
    case .clientUnproven: "the client authenticates with neither private_key_jwt nor a certificate"
    case .proofUnannounced: "the server does not announce the private_key_jwt or mutual TLS that the client needs"
    case .assertionAudience: "the client's assertions must be for the issuer alone"
    case .endpointOverride: "a setting contains an endpoint, but only the server's metadata may do so"
    case .metadataMissing: "the server publishes no metadata"
    case .issuerDiffers: "the server's metadata is for another issuer"
    case .noCodeGrant: "a user may sign in only with an authorization code in a browser"
    case .pushUnannounced: "the server does not announce pushed authorization requests"
    case .codeChallengeUnannounced: "the server does not announce PKCE with the method S256"
    case .issuerUnannounced: "the server does not announce that its answers name the issuer (iss)"
    case .answerWithoutIssuer: "the answer to the sign-in does not name the issuer (iss)"
    case .algorithmSetting: "a setting names a signature algorithm other than PS256, ES256 and EdDSA"
    case .clientAlgorithm: "the client's key uses an algorithm other than PS256, ES256 and EdDSA"
    case .serverAlgorithms: "the server does not announce the required algorithm PS256, ES256 or EdDSA"
    case .idTokenAlgorithm: "the ID Token is signed with an algorithm other than PS256, ES256 and EdDSA"
    }
  }
}
