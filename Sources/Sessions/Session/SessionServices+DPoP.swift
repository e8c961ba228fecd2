package import OAuth
internal import Crypto
internal import Platform
internal import Vault

/// DPoP keys (RFC 9449): generated at sign-in, stored with the refresh token, never shown.
extension SessionServices {
  package func prover(_ key: DPoPKey) -> DPoPProver {
    DPoPProver(key: key, memory: dpopMemory) { [time] in time.wallSeconds() }
  }

  /// Creates a sign-in's prover, or nil for Bearer tokens. `resource` lists the resource's proof algorithms, if
  /// announced. Throws `bindingUnsupported` if none is shared.
  func newProver(
    _ configuration: AccountConfiguration, _ metadata: AuthorizationServerMetadata, forResource resource: [String]
  ) throws(SessionError) -> DPoPProver? {
    guard configuration.usesDPoP else { return nil }
    let (announced, profile) = (metadata.dpopSigningAlgorithms, configuration.profile)
    guard DPoPKey.algorithm(announced: announced, profile: profile) != nil else {
      throw .oauth(OAuthError(.bindingUnsupported, .server))
    }
    guard
      let algorithm = DPoPKey.algorithm(
        announced: announced, resource: resource.isEmpty ? nil : resource, profile: profile)
    else { throw .oauth(OAuthError(.bindingUnsupported, .serverForResource)) }
    return try generateKey(configuration, isSupportedByTPM: algorithm == .ES256) { (device) throws(SessionError) in
      try prover(mapOAuthError(DPoPKey.generate(for: algorithm, in: device)))
    }
  }

  /// Calls `make` with the TPM, or nil for a key in the vault. By default, uses an available, suitable TPM that the
  /// vault is bound to.
  func generateKey<Key, Problem: Error>(
    _ configuration: AccountConfiguration, isSupportedByTPM: Bool = true,
    _ make: ((any KeyDevice)?) throws(Problem) -> Key
  ) throws(Problem) -> Key {
    switch configuration.keyStorage {
    case .vault: return try make(nil)
    case .tpm2: return try make(vault.keyDevice)
    case nil:
      guard isSupportedByTPM, keepsKeysInTPM else { return try make(nil) }
      do { return try make(vault.keyDevice) } catch {
        guard vault.isTPMUnavailable else { throw error }
        return try make(nil)
      }
    }
  }

  private var keepsKeysInTPM: Bool { !isEphemeral && vault.isBoundToTPM }

  /// Whether the DPoP key is in the vault because the TPM was unavailable.
  func isOutsideTPM(_ prover: DPoPProver?, _ configuration: AccountConfiguration) -> Bool {
    guard configuration.keyStorage == nil, let key = prover?.key, key.algorithm == .ES256, !key.isInDevice else {
      return false
    }
    return keepsKeysInTPM
  }

  func key(of record: AccountRecord, _ account: AccountName) throws(SessionError) -> DPoPKey? {
    guard let text = record.dpopKey else { return nil }
    do { return try DPoPKey.parse(text, in: vault.keyDevice) } catch {
      throw .vault(VaultError(.damaged, path: account.text))
    }
  }
}

extension AccountRecord {
  mutating func setDPoPKey(of prover: DPoPProver?) throws(SessionError) {
    dpopKey = try mapOAuthError(prover?.key.serialized())
  }

  /// Records that the server ended the grant. Removes its tokens.
  mutating func endGrant(because reason: String? = nil) {
    refreshedMembers.refreshToken = nil
    accessToken = nil
    idToken = nil
    dpopKey = nil
    (isExpired, isTokenNotStored) = (true, false)
    expiryReason = reason
  }

  var tokenType: String { dpopKey == nil ? "Bearer" : "DPoP" }
}
