internal import Crypto
internal import Platform

/// Wraps a key with one derived from a passphrase by scrypt (RFC 7914), to recover the vault on any machine.
///
/// The slot's body is: 1 logarithm of N, 1 r, 1 p, 16 salt, then the wrapped key.
enum PassphraseBinding {
  private static let saltLength = 16
  private static let bodyLength = 3 + saltLength + WrappedKey.length
  /// The accepted scrypt parameters: logarithms of N, and memory in bytes. Others are `damaged`.
  private static let costs = (logarithms: 15...20, blockSizes: 8...16, parallelism: 1...4, memory: 1 << 30)

  /// Serializes derivations, which need 128 MiB or more each. The unused number avoids a sanitizer report.
  private static let derivationLock = Monitor(0)

  static func wrap(
    _ key: DataKey, under passphrase: borrowing SecretBytes, cost: Scrypt.Cost, for context: SlotContext
  ) throws(VaultError) -> [UInt8] {
    guard (1...VaultFormat.maximumSecretLength).contains(passphrase.count) else { throw VaultError(.unusableSecret) }
    do {
      let salt = try Random.bytes(saltLength)
      let wrappingKey = try derive(passphrase, salt: salt, cost)
      let parameters = [cost.logarithm, cost.blockSize, cost.parallelism].map { UInt8(clamping: $0) }
      return parameters + salt + (try WrappedKey.seal(key, under: wrappingKey, for: context))
    } catch {
      throw VaultError(error)
    }
  }

  /// Throws `wrongPassphrase`, or the error of ``cost(of:)``.
  static func unwrap(
    _ body: [UInt8], under passphrase: borrowing SecretBytes, for context: SlotContext
  ) throws(VaultError) -> SecretBytes {
    let cost = try cost(of: body)
    do {
      let wrappingKey = try derive(passphrase, salt: Array(body[3..<3 + saltLength]), cost)
      return try WrappedKey.open(body[(3 + saltLength)...], under: wrappingKey, for: context)
    } catch {
      throw error.code == .authenticationFailed ? VaultError(.wrongPassphrase) : VaultError(error)
    }
  }

  /// Reads a slot's scrypt parameters. Throws `damaged` if this program never writes them.
  static func cost(of body: [UInt8]) throws(VaultError) -> Scrypt.Cost {
    guard body.count == bodyLength else { throw VaultError(.damaged) }
    let cost = Scrypt.Cost(logarithm: Int(body[0]), blockSize: Int(body[1]), parallelism: Int(body[2]))
    guard costs.logarithms.contains(cost.logarithm), costs.blockSizes.contains(cost.blockSize),
      costs.parallelism.contains(cost.parallelism), cost.memory <= costs.memory
    else { throw VaultError(.damaged) }
    return cost
  }

  private static func derive(
    _ passphrase: borrowing SecretBytes, salt: [UInt8], _ cost: Scrypt.Cost
  ) throws(CryptoError) -> SecretBytes {
    try passphrase.withBytes { (bytes) throws(CryptoError) in
      try derivationLock.withLock { (_) throws(CryptoError) in
        try Scrypt.derive(bytes, salt: salt.span, cost: cost, count: AES256GCM.keyByteCount)
      }
    }
  }
}
