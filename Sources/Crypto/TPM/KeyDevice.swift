/// A device, such as a TPM, that generates keys and signs with them. The keys never leave it. Thread-safe. Calls block,
/// with a timeout.
package protocol KeyDevice: Sendable {
  /// Generates a key on P-256, usable only with this device until it is cleared.
  ///
  /// - Throws: `unreachable` if the device is currently unavailable.
  func makeKey() throws(CryptoError) -> TPM.Key

  /// Signs with ECDSA on P-256, the only algorithm that every TPM supports.
  ///
  /// - Parameter digest: The SHA-256 hash of the message.
  /// - Returns: The signature in the format of ES256 (RFC 7518 section 3.4).
  /// - Throws: `unreachable` if the device is currently unavailable; `foreignKey` for a key of another device.
  func sign(digest: [UInt8], with key: TPM.Key) throws(CryptoError) -> [UInt8]
}

/// A private key in a device.
struct DeviceKey: Sendable {
  let key: TPM.Key
  let device: any KeyDevice

  func sign(_ algorithm: SignatureAlgorithm, _ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard case .ecdsa(.p256, .sha256) = algorithm else { throw CryptoError(.unsupportedAlgorithm, "sign") }
    return try device.sign(digest: try Digest.sha256.hash(message), with: key)
  }
}

extension PrivateKey {
  /// The first byte of a stored device key, where PKCS #8 has another one.
  private static let deviceKeyMark: UInt8 = 1

  /// Generates an ECDSA key on P-256 in a device.
  ///
  /// - Throws: `unreachable` if the device is currently unavailable.
  package static func make(in device: any KeyDevice) throws(CryptoError) -> PrivateKey {
    try PrivateKey(DeviceKey(key: device.makeKey(), device: device))
  }

  /// Serializes the key for the vault: as PKCS #8 (RFC 5208), or for a device key as the public half followed by the
  /// private half, which only the device can use.
  package borrowing func serializedForVault() throws(CryptoError) -> SecretBytes {
    guard let deviceKey else { return try serialized() }
    guard case .ec(.p256, let x, let y) = deviceKey.key.publicComponents else {
      throw CryptoError(.invalidKey, "held key")
    }
    return try SecretBytes(copying: ([Self.deviceKeyMark] + x + y + deviceKey.key.serialized).span)
  }

  /// Parses the result of ``serializedForVault()`` without contacting the device.
  ///
  /// - Parameter device: The device that contains the key, if it is a device key.
  /// - Throws: `invalidKey`.
  package init(stored bytes: Span<UInt8>, in device: any KeyDevice) throws(CryptoError) {
    guard !bytes.isEmpty, bytes[0] == Self.deviceKeyMark else {
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
    try self.init(DeviceKey(key: key, device: device))
  }

  /// Parses a key that another program generated in the device.
  ///
  /// - Throws: As ``TPM/Key/init(file:)``.
  package init(generatedIn device: any KeyDevice, file: Span<UInt8>) throws(CryptoError) {
    try self.init(DeviceKey(key: TPM.Key(file: file), device: device))
  }

  /// Whether the key is in a device.
  package var isInDevice: Bool { deviceKey != nil }
}
