internal import Encoding

/// A private key from a PEM (RFC 7468) or JSON Web Key (RFC 7517) file.
package struct ImportedPrivateKey: ~Copyable {
  package let key: PrivateKey
  /// The `kid` known to the authorization server; nil for PEM.
  package let keyID: String?
  /// The `alg`: the only permitted algorithm, if any.
  package let algorithm: JWSAlgorithm?

  private init(_ key: consuming PrivateKey, keyID: String? = nil, algorithm: JWSAlgorithm? = nil) throws(JOSEError) {
    do throws(CryptoError) {
      guard try key.isConsistent() else { throw CryptoError(.invalidKey, "private key") }
    } catch {
      throw JOSEError(error)
    }
    self.key = key
    self.keyID = keyID
    self.algorithm = algorithm
  }

  private init(inDevice key: consuming PrivateKey) {
    self.key = key
    keyID = nil
    algorithm = nil
  }

  /// Reads a key from `text` on the secure heap, and copies it nowhere else. `device` is the TPM, for a TPM key's
  /// file. Throws ``JOSEError``: `passphraseNeeded` for an encrypted key, `unsuitableKey` for a key not for
  /// signatures, `authorizationNeeded` or `unsuitableDeviceKey` for a device key, `unsupportedKey`, `weakKey` or
  /// `invalidKey`.
  package static func read(
    _ text: Span<UInt8>, in device: (any KeyDevice)? = nil
  ) throws(JOSEError) -> ImportedPrivateKey {
    var start = 0
    while start < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[start]) { start += 1 }
    guard start < text.count else { throw JOSEError(.invalidKey) }
    return text[start] == UInt8(ascii: "{") ? try PrivateJWK.read(text) : try pem(text, device)
  }

  /// Throws `unsuitableKey` if the algorithm does not match the key, or `invalidKey`.
  static func jwk(
    _ key: consuming PrivateKey, keyID: String?, algorithm: JWSAlgorithm?
  ) throws(JOSEError) -> ImportedPrivateKey {
    if let algorithm, !algorithm.signatureAlgorithm.fits(key.kind) { throw JOSEError(.unsuitableKey) }
    return try ImportedPrivateKey(key, keyID: keyID, algorithm: algorithm)
  }

  private static let tpmKeyLabel = "TSS2 PRIVATE KEY"

  /// PKCS #8 (RFC 5958), older RSA and EC formats, or a TPM key. Ignores certificates and EC parameters.
  private static func pem(
    _ text: Span<UInt8>, _ device: (any KeyDevice)?
  ) throws(JOSEError) -> ImportedPrivateKey {
    guard let blocks = PEM.blocks(in: text) else { throw JOSEError(.invalidKey) }
    if blocks.contains(where: { $0.hasLabel("ENCRYPTED PRIVATE KEY") }) { throw JOSEError(.passphraseNeeded) }
    let keys = blocks.filter { block in
      ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", tpmKeyLabel].contains { block.hasLabel($0) }
    }
    guard let block = keys.first, keys.count == 1 else { throw JOSEError(.invalidKey) }
    var characters = SecretBuffer()
    var bytes = SecretBuffer()
    PEM.appendBase64(of: block, in: text, to: &characters)
    // An encrypted key in the older format (RFC 1421 section 4.6).
    let hasHeaders = characters.withBytes { characters in characters.indices.contains { characters[$0] == 0x3A } }
    if hasHeaders { throw JOSEError(.passphraseNeeded) }
    do {
      try characters.withBytes { (characters) throws(Base64URLError) in try Base64.decode(characters, to: &bytes) }
    } catch {
      throw JOSEError(.invalidKey)
    }
    let der: SecretBytes
    do { der = try bytes.finish() } catch { throw JOSEError(error) }
    if block.hasLabel(tpmKeyLabel) { return ImportedPrivateKey(inDevice: try keyInDevice(der, device)) }
    let key: PrivateKey
    do throws(CryptoError) {
      key = try der.withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
    } catch {
      throw error.code == .unsupportedAlgorithm ? JOSEError(.unsupportedKey) : JOSEError(error)
    }
    return try ImportedPrivateKey(key)
  }

  /// Does not contact the TPM.
  private static func keyInDevice(
    _ der: borrowing SecretBytes, _ device: (any KeyDevice)?
  ) throws(JOSEError) -> PrivateKey {
    guard let device else { throw JOSEError(.unsupportedKey) }
    do throws(CryptoError) {
      return try der.withBytes { (der) throws(CryptoError) in try PrivateKey(generatedIn: device, file: der) }
    } catch {
      switch error.code {
      case .wrongAuthorization: throw JOSEError(.authorizationNeeded)
      case .unsupportedAlgorithm: throw JOSEError(.unsuitableDeviceKey)
      default: throw JOSEError(error)
      }
    }
  }
}
