/// A device that makes keys which never leave it, and signs with them. Any thread may call; a call waits for the device,
/// with a limit.
package protocol KeyDevice: Sendable {
  /// Makes a key on P-256. Only this device can use it, until it is cleared.
  ///
  /// - Throws: `unreachable` where the device cannot be used now.
  func makeKey() throws(CryptoError) -> TPM.Key

  /// Signs with ECDSA on P-256, the only algorithm that every TPM has.
  ///
  /// - Parameter digest: The SHA-256 hash of the message.
  /// - Returns: The signature in the form of ES256 (RFC 7518 section 3.4).
  /// - Throws: `unreachable` where the device cannot be used now; `foreignKey` for a key of another one.
  func sign(digest: [UInt8], with key: TPM.Key) throws(CryptoError) -> [UInt8]
}

/// A private key that a device holds.
struct HeldKey: Sendable {
  let key: TPM.Key
  let device: any KeyDevice

  func sign(_ algorithm: SignatureAlgorithm, _ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard case .ecdsa(.p256, .sha256) = algorithm else { throw CryptoError(.unsupportedAlgorithm, "sign") }
    return try device.sign(digest: try Digest.sha256.hash(message), with: key)
  }
}

extension PrivateKey {
  /// Stands before a key of a device; PKCS #8 begins with another byte.
  private static let heldMark: UInt8 = 1

  /// A new ECDSA key on P-256 in a device.
  ///
  /// - Throws: `unreachable` where the device cannot be used now.
  package static func make(in device: any KeyDevice) throws(CryptoError) -> PrivateKey {
    try PrivateKey(HeldKey(key: device.makeKey(), device: device))
  }

  /// The key for the vault: PKCS #8 (RFC 5208). For a key of a device the public half, and then the private half as the
  /// device sealed it, which only that device can use.
  package borrowing func stored() throws(CryptoError) -> SecretBytes {
    guard let held else { return try serialized() }
    guard case .ec(.p256, let x, let y) = held.key.publicComponents else { throw CryptoError(.invalidKey, "held key") }
    return try SecretBytes(copying: ([Self.heldMark] + x + y + held.key.serialized).span)
  }

  /// Reads what ``stored()`` wrote. The device is not asked.
  ///
  /// - Parameter device: That of the key, if it is in one.
  /// - Throws: `invalidKey`.
  package init(stored bytes: Span<UInt8>, in device: any KeyDevice) throws(CryptoError) {
    guard !bytes.isEmpty, bytes[0] == Self.heldMark else {
      try self.init(serialized: bytes)
      return
    }
    let width = Curve.p256.coordinateByteCount
    let start = 1 + 2 * width
    guard bytes.count > start, bytes.count <= start + TPM.maximumKeyLength else {
      throw CryptoError(.invalidKey, "held key")
    }
    func part(_ range: Range<Int>) -> [UInt8] { range.map { bytes[$0] } }
    let components = PublicComponents.ec(curve: .p256, x: part(1..<1 + width), y: part(1 + width..<start))
    let key = TPM.Key(serialized: part(start..<bytes.count), publicComponents: components)
    try self.init(HeldKey(key: key, device: device))
  }

  /// A key that was made in the device by another program.
  ///
  /// - Throws: As ``TPM/Key/init(file:)``.
  package init(heldIn device: any KeyDevice, file: Span<UInt8>) throws(CryptoError) {
    try self.init(HeldKey(key: TPM.Key(file: file), device: device))
  }

  /// Whether a device holds the key.
  package var isHeld: Bool { held != nil }
}
