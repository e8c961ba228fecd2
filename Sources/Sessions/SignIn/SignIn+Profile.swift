internal import Crypto
internal import OAuth

extension AccountConfiguration {
  /// Throws `profileBroken` if these settings cannot meet the profile at any server.
  func checkProfile() throws(OAuthError) {
    guard self.profile == .fapi2 else { return }
    if !settings.endpoints.isEmpty { throw OAuthError(.endpointOverride) }
    let named = [settings.idTokenAlgorithm, settings.userInfoAlgorithm, settings.clientKeyAlgorithm]
    let areAllowed = named.allSatisfy { algorithm in
      algorithm.map { JWSAlgorithm(name: $0.rawValue).map(FAPI2.algorithms.contains) ?? false } ?? true
    }
    guard areAllowed else { throw OAuthError(.algorithmSetting) }
    if let audience = settings.assertionAudience, AssertionAudience(audience) != .issuer {
      throw OAuthError(.assertionAudience)
    }
    if tokenEndpointAuthMethod.credential == .secret || settings.omitsBasicEncoding {
      throw OAuthError(.clientUnproven)
    }
  }
}

extension FAPI2.Flow {
  /// `unattended` is nil for a user's session.
  init(_ unattended: UnattendedGrant?) {
    self =
      switch unattended {
      case nil: .code
      case .clientCredentials: .clientCredentials
      case .assertion: .other
      }
  }
}

extension SignInServer {
  /// Sets unspecified settings to meet the profile. Throws `profileBroken` if the metadata does not. Call it before
  /// registering a client.
  mutating func adoptProfile(_ flow: FAPI2.Flow) throws(SessionError) {
    guard configuration.profile == .fapi2 else { return }
    if let breach = FAPI2.breach(of: metadata, flow) { throw .oauth(OAuthError(breach)) }
    if !(configuration.usesClientCertificate && metadata.bindsTokensToCertificates) { bindTokens() }
  }
}
