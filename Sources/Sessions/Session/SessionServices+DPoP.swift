package import OAuth
internal import Crypto
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
  /// - Throws: `bindingUnsupported` when the server announces proofs, but none that we make.
  func newProver(
    _ configuration: AccountConfiguration, _ metadata: AuthorizationServerMetadata
  ) throws(SessionError) -> DPoPProver? {
    guard configuration.dpop else { return nil }
    return try oauth { () throws(OAuthError) in
      guard metadata.dpopSigningAlgorithms?.contains(DPoPKey.algorithmName) ?? true else {
        throw OAuthError(.bindingUnsupported, "the server")
      }
      return prover(try DPoPKey.generate())
    }
  }

  /// The key of a record; nil when its tokens are not bound to one.
  func key(of record: AccountRecord, _ account: AccountName) throws(SessionError) -> DPoPKey? {
    guard let text = record.dpopKey else { return nil }
    do { return try DPoPKey.parse(text) } catch { throw .vault(VaultError(.damaged, path: account.text)) }
  }
}

extension AccountRecord {
  /// Keeps the key that the sign-in's tokens are bound to.
  mutating func keep(_ prover: DPoPProver?) throws(SessionError) {
    dpopKey = try oauth { () throws(OAuthError) in try prover?.key.serialized() }
  }

  /// Marks the grant as ended by the server and drops its tokens.
  mutating func endGrant() {
    refreshToken = nil
    accessToken = nil
    idToken = nil
    dpopKey = nil
    isExpired = true
  }

  /// The type of an access token of this record.
  var tokenType: String { dpopKey == nil ? "Bearer" : "DPoP" }
}
