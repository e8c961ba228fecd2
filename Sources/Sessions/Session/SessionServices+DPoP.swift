package import OAuth
internal import Crypto
internal import JOSE
internal import Platform
internal import Vault
internal import Vocabulary

/// Keys that tokens are bound to (RFC 9449): made at a sign-in, kept with the refresh token, never shown.
extension SessionServices {
  /// The prover that makes proofs with a key.
  package func prover(_ key: DPoPKey) -> DPoPProver {
    DPoPProver(key: key, memory: proofs) { [time] in time.wallSeconds() }
  }

  /// The prover of an account that is about to sign in; nil when it shall get Bearer tokens.
  ///
  /// - Parameter resource: The algorithms of the resource's proofs; empty where it does not say.
  /// - Throws: `bindingUnsupported` when the server announces proofs, but none that we make, or none that the resource
  ///   takes.
  func newProver(
    _ configuration: AccountConfiguration, _ metadata: AuthorizationServerMetadata, forResource resource: [String]
  ) throws(SessionError) -> DPoPProver? {
    guard configuration.dpop else { return nil }
    return try oauth { () throws(OAuthError) in
      let (announced, profile) = (metadata.dpopSigningAlgorithms, configuration.profile)
      guard DPoPKey.algorithm(announced: announced, profile: profile) != nil else {
        throw OAuthError(.bindingUnsupported, .server)
      }
      guard
        let algorithm = DPoPKey.algorithm(
          announced: announced, resource: resource.isEmpty ? nil : resource, profile: profile)
      else { throw OAuthError(.bindingUnsupported, .serverForResource) }
      return try makingKey(configuration, holds: algorithm == .ES256) { (device) throws(OAuthError) in
        prover(try DPoPKey.generate(for: algorithm, in: device))
      }
    }
  }

  /// Makes a key where the settings want it.
  ///
  /// - Parameters:
  ///   - holds: Whether the TPM can hold it.
  ///   - make: Makes it in a device, or, where that is nil, for the vault.
  /// - Throws: What `make` throws; where the settings leave the choice, not for a TPM that is away now. One that refuses,
  ///   or a library that fails, is no reason to keep the key where it can be copied.
  func makingKey<Key, Problem: Error>(
    _ configuration: AccountConfiguration, holds: Bool = true, _ make: ((any KeyDevice)?) throws(Problem) -> Key
  ) throws(Problem) -> Key {
    switch configuration.keyStorage {
    case .vault: return try make(nil)
    case .tpm2: return try make(vault.keyDevice)
    case nil:
      guard holds, keepsKeysInTPM else { return try make(nil) }
      do { return try make(vault.keyDevice) } catch {
        guard vault.isTPMAway else { throw error }
        return try make(nil)
      }
    }
  }

  /// Whether keys are made in the TPM where the settings leave the choice.
  private var keepsKeysInTPM: Bool { !isEphemeral && vault.isBoundToTPM }

  /// Whether the key is in the vault because the TPM was away when it was made.
  func isKeptOutOfTPM(_ prover: DPoPProver?, _ configuration: AccountConfiguration) -> Bool {
    guard configuration.keyStorage == nil, let key = prover?.key, key.algorithm == .ES256, !key.isHeld else {
      return false
    }
    return keepsKeysInTPM
  }

  /// The key of a record; nil when its tokens are not bound to one.
  func key(of record: AccountRecord, _ account: AccountName) throws(SessionError) -> DPoPKey? {
    guard let text = record.dpopKey else { return nil }
    do { return try DPoPKey.parse(text, in: vault.keyDevice) } catch {
      throw .vault(VaultError(.damaged, path: account.text))
    }
  }
}

extension AccountRecord {
  /// Keeps the key that the sign-in's tokens are bound to.
  mutating func keep(_ prover: DPoPProver?) throws(SessionError) {
    dpopKey = try oauth { () throws(OAuthError) in try prover?.key.serialized() }
  }

  /// Marks the grant as ended by the server and drops its tokens.
  mutating func endGrant(because reason: String? = nil) {
    refreshToken = nil
    accessToken = nil
    idToken = nil
    dpopKey = nil
    isExpired = true
    expiryReason = reason
  }

  /// The type of an access token of this record.
  var tokenType: String { dpopKey == nil ? "Bearer" : "DPoP" }
}
