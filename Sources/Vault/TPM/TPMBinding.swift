internal import Crypto
internal import Encoding
internal import Platform

/// Wraps a key with a key that never leaves the TPM, and with everything that a host slot is bound to.
///
/// The wrapping key is HKDF-SHA-256, with the machine ID as salt, of the device secret and the ECDH secret of the TPM's
/// key and a key generated for this slot. A PIN authorizes the TPM's key; the TPM counts wrong PINs.
final class TPMBinding: Sendable, KeyDevice {
  private static let purpose = Array("agent vault tpm2 slot v2".utf8)
  private static let deviceTagPurpose = Array("agent vault tpm2 place v2".utf8)
  private static let pinPurpose = Array("agent vault tpm2 PIN v2".utf8)

  private let access: TPMAccess
  /// Nil after a success.
  private let lastProblem = Monitor<TPMProblem?>(nil)

  init(_ access: TPMAccess) {
    self.access = access
  }

  var isExpectedToWork: Bool { problem == nil }

  /// Why the TPM cannot work or its latest call failed. Nil if neither.
  var problem: TPMProblem? { access.problem ?? lastProblem.withLock { $0 } }

  /// Returns the body of a TPM slot with a new TPM key, which is tested once. `pin` is empty for none. Throws
  /// `tpmUnavailable`, or `unusableSecret` if the PIN is too long.
  func wrap(
    _ key: DataKey, _ host: HostBinding, under deviceSecret: borrowing SecretBytes, pin: borrowing SecretBytes,
    for context: SlotContext
  ) throws(VaultError) -> [UInt8] {
    let salt = try mapCryptoError { () throws(CryptoError) in try Random.bytes(TPMSlotBody.saltLength) }
    let authorization = SharedSecret(try Self.authorization(pin, salt: salt))
    let own = try mapCryptoError { () throws(CryptoError) in try PrivateKey.generateEC(.p256) }
    let peer = own.publicComponents
    let (tpmKey, found) = try run { (tpm) throws(CryptoError) in
      let made = try tpm.makeKey(authorization: authorization.bytes)
      let secret = try tpm.sharedSecret(with: made.serialized, authorization: authorization.bytes, peer: peer)
      return (made, SharedSecret(secret))
    }
    let shared = try mapCryptoError { () throws(CryptoError) in try own.sharedSecret(with: tpmKey.publicComponents) }
    guard shared.isEqual(to: found.bytes) else { throw recordProblem(.refused) }
    return try body(
      key, host, under: deviceSecret, shared: shared, salt: salt, tpmKey: tpmKey, own: peer, for: context)
  }

  /// Wraps another key in the TPM slot with the body `old`. Needs neither the TPM nor its PIN.
  func rewrap(
    _ old: [UInt8], to key: DataKey, _ host: HostBinding, under deviceSecret: borrowing SecretBytes,
    for context: SlotContext
  ) throws(VaultError) -> [UInt8] {
    let old = try TPMSlotBody(old)
    let tpmKey = TPM.Key(serialized: old.key, publicComponents: old.tpmComponents)
    let own = try mapCryptoError { () throws(CryptoError) in try PrivateKey.generateEC(.p256) }
    let shared: SecretBytes
    do { shared = try own.sharedSecret(with: tpmKey.publicComponents) } catch { throw VaultError(.damaged) }
    return try body(
      key, host, under: deviceSecret, shared: shared, salt: old.salt, tpmKey: tpmKey, own: own.publicComponents,
      for: context)
  }

  /// Throws `foreignDevice` if the slot was created with another TPM, secret, machine or user, `tpmUnavailable`, or
  /// with a PIN `wrongPIN` or `tpmLockedOut`.
  func unwrap(
    _ body: [UInt8], _ host: HostBinding, under deviceSecret: borrowing SecretBytes, pin: borrowing SecretBytes,
    for context: SlotContext
  ) throws(VaultError) -> SecretBytes {
    try examine(body, host, under: deviceSecret)
    let body = try TPMSlotBody(body)
    let authorization = SharedSecret(try Self.authorization(pin, salt: body.salt))
    let shared = try run { (tpm) throws(CryptoError) in
      SharedSecret(try tpm.sharedSecret(with: body.key, authorization: authorization.bytes, peer: body.ownComponents))
    }
    do {
      let wrappingKey = try Self.wrappingKey(host, deviceSecret, shared.bytes, body.tpmPoint, body.ownPoint)
      return try WrappedKey.open(body.wrapped[...], under: wrappingKey, for: context)
    } catch {
      throw error.code == .authenticationFailed ? VaultError(.foreignDevice) : VaultError(error)
    }
  }

  /// Checks that a slot belongs to this device, as far as possible without the TPM. Throws `damaged` if malformed,
  /// `foreignDevice`, or `tpmUnavailable` if the TPM cannot work.
  func examine(
    _ body: [UInt8], _ host: HostBinding, under deviceSecret: borrowing SecretBytes
  ) throws(VaultError) {
    let body = try TPMSlotBody(body)
    let here = try Self.deviceTag(host, deviceSecret)
    guard ConstantTime.isEqual(here.span, body.deviceTag.span) else { throw VaultError(.foreignDevice) }
    if let problem = access.problem { throw VaultError(.tpmUnavailable(problem)) }
  }

  /// `shared` is the ECDH secret of `tpmKey` and `own`.
  private func body(
    _ key: DataKey, _ host: HostBinding, under deviceSecret: borrowing SecretBytes, shared: borrowing SecretBytes,
    salt: [UInt8], tpmKey: TPM.Key, own: PublicComponents, for context: SlotContext
  ) throws(VaultError) -> [UInt8] {
    let tpmPoint = try TPMSlotBody.point(tpmKey.publicComponents)
    let ownPoint = try TPMSlotBody.point(own)
    let deviceTag = try Self.deviceTag(host, deviceSecret)
    do {
      let wrappingKey = try Self.wrappingKey(host, deviceSecret, shared, tpmPoint, ownPoint)
      let wrapped = try WrappedKey.seal(key, under: wrappingKey, for: context)
      return TPMSlotBody(
        deviceTag: deviceTag, salt: salt, tpmPoint: tpmPoint, ownPoint: ownPoint, wrapped: wrapped,
        key: tpmKey.serialized
      ).bytes
    } catch {
      throw VaultError(error)
    }
  }

  /// Remembers whether the TPM failed.
  private func run<Answer: Sendable>(
    _ operation: @escaping @Sendable (borrowing TPM) throws(CryptoError) -> Answer
  ) throws(VaultError) -> Answer {
    if let problem = access.problem { throw VaultError(.tpmUnavailable(problem)) }
    do {
      let answer = try TPMLock.shared.run(wait: access.wait) { [access] () throws(VaultError) in
        try mapCryptoError { () throws(CryptoError) in try operation(try access.connect()) }
      }
      lastProblem.withLock { $0 = nil }
      return answer
    } catch {
      switch error.code {
      case .tpmUnavailable(let problem): throw recordProblem(problem)
      case .tpmLockedOut: lastProblem.withLock { $0 = .refused }
      default: break
      }
      throw error
    }
  }

  private func recordProblem(_ problem: TPMProblem) -> VaultError {
    lastProblem.withLock { $0 = problem }
    return VaultError(.tpmUnavailable(problem))
  }

  /// Identifies this device secret, machine and user in a slot.
  private static func deviceTag(
    _ host: HostBinding, _ deviceSecret: borrowing SecretBytes
  ) throws(VaultError) -> [UInt8] {
    let deviceTag = try mapCryptoError { () throws(CryptoError) in
      try host.derive(deviceTagPurpose, from: deviceSecret, count: TPMSlotBody.deviceTagLength)
    }
    return deviceTag.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  private static func wrappingKey(
    _ host: HostBinding, _ deviceSecret: borrowing SecretBytes, _ shared: borrowing SecretBytes, _ tpmPoint: [UInt8],
    _ ownPoint: [UInt8]
  ) throws(CryptoError) -> SecretBytes {
    var both = SecretBuffer(capacity: shared.count + deviceSecret.count)
    shared.withBytes { both.append(contentsOf: $0) }
    deviceSecret.withBytes { both.append(contentsOf: $0) }
    return try host.derive(
      purpose + tpmPoint + ownPoint, from: try both.finish(), count: AES256GCM.keyByteCount)
  }

  /// The authorization derived from a PIN: 32 hexadecimal digits.
  private static func authorization(
    _ pin: borrowing SecretBytes, salt: [UInt8]
  ) throws(VaultError) -> SecretBytes {
    if pin.count == 0 { return SecretBytes() }
    guard pin.count <= VaultFormat.maximumSecretLength else { throw VaultError(.unusableSecret) }
    return try mapCryptoError { () throws(CryptoError) in
      let derived = try pin.withBytes { (bytes) throws(CryptoError) in
        try HKDF.sha256(secret: bytes, salt: salt.span, info: pinPurpose.span, count: 16)
      }
      var digits = SecretBuffer(capacity: 32)
      derived.withBytes { bytes in
        for index in bytes.indices {
          digits.append(HexDigit.lower(bytes[index] >> 4))
          digits.append(HexDigit.lower(bytes[index]))
        }
      }
      return try digits.finish()
    }
  }

  // Generates and uses keys without authorization, unrelated to slots.

  func makeKey() throws(CryptoError) -> TPM.Key {
    try runThrowingCryptoError { (tpm) throws(CryptoError) in try tpm.makeKey(authorization: SecretBytes()) }
  }

  func sign(digest: [UInt8], with key: TPM.Key) throws(CryptoError) -> [UInt8] {
    try runThrowingCryptoError { (tpm) throws(CryptoError) in try tpm.sign(digest: digest, with: key.serialized) }
  }

  private func runThrowingCryptoError<Answer: Sendable>(
    _ operation: @escaping @Sendable (borrowing TPM) throws(CryptoError) -> Answer
  ) throws(CryptoError) -> Answer {
    do throws(VaultError) {
      return try run(operation)
    } catch {
      switch error.code {
      case .foreignDevice: throw CryptoError(.foreignKey, "TPM")
      case .secureHeapFull: throw CryptoError(.secureHeapFull, "TPM")
      case .cryptoFailure: throw CryptoError(.libraryFailure, "TPM")
      default: throw CryptoError(.unreachable, "TPM")
      }
    }
  }
}
