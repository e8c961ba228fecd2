internal import JOSE
internal import OAuth
internal import Vocabulary

/// What a sign-in does by itself for the account's security profile.
extension AccountConfiguration {
  /// What a setting does less than the profile demands, whatever the server.
  ///
  /// - Throws: `profileBroken`.
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
    if [.secretBasic, .secretPost].contains(tokenEndpointAuthMethod) || settings.basicUnencoded {
      throw OAuthError(.clientUnproven)
    }
  }
}

extension SignIn.Request {
  /// How the session will get its tokens, as the profile sees it.
  var profileFlow: FAPI2.Flow { FAPI2.Flow(unattended) }
}

extension AccountRecord {
  /// How the session gets its tokens, as the profile sees it.
  var profileFlow: FAPI2.Flow { FAPI2.Flow(unattended) }
}

extension FAPI2.Flow {
  fileprivate init(_ unattended: UnattendedGrant?) {
    self =
      switch unattended {
      case nil: .code
      case .client: .clientCredentials
      case .assertion: .other
      }
  }
}

extension FirstContact {
  /// Chooses what the profile demands where the settings leave it open, and refuses the server by its metadata. A client
  /// that is registered now is registered afterwards.
  ///
  /// - Throws: `profileBroken`.
  mutating func adoptProfile(_ flow: FAPI2.Flow) throws(SessionError) {
    guard configuration.profile == .fapi2 else { return }
    let metadata = metadata
    try oauth { () throws(OAuthError) in
      if let breach = FAPI2.breach(of: metadata, flow) { throw OAuthError(breach) }
    }
    if !(configuration.clientCertificate && metadata.bindsTokensToCertificates) { bindTokens() }
  }
}
