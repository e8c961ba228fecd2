package import Crypto
internal import Encoding

/// A private key in the format of a file: PEM (RFC 7468), or a JSON Web Key (RFC 7517).
package struct PrivateKeyText: ~Copyable {
  package let key: PrivateKey
  /// `kid`, the key's name at the authorization server; nil for PEM, which has none.
  package let keyID: String?
  /// `alg`: the only algorithm that the key may serve, when it is there (RFC 7517 section 4.4).
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

  /// - Parameter text: The text, on the secure heap; no copy of the key is made anywhere else.
  /// - Throws: `passphraseNeeded` for an encrypted one; `unsupportedKey`, `unsuitableKey` for one that is not for
  ///   signatures, `weakKey`, else `invalidKey`.
  package static func read(_ text: Span<UInt8>) throws(JOSEError) -> PrivateKeyText {
    var start = 0
    while start < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[start]) { start += 1 }
    guard start < text.count else { throw JOSEError(.invalidKey) }
    return text[start] == UInt8(ascii: "{") ? try PrivateJWK.read(text) : try pem(text)
  }

  static func jwk(
    _ key: consuming PrivateKey, keyID: String?, algorithm: JWSAlgorithm?
  ) throws(JOSEError) -> PrivateKeyText {
    if let algorithm, !algorithm.signatureAlgorithm.fits(key.kind) { throw JOSEError(.unsuitableKey) }
    return try PrivateKeyText(key, keyID: keyID, algorithm: algorithm)
  }

  /// PKCS #8 (RFC 5958), and the older forms that hold an RSA or an EC key. The file may hold certificates and
  /// EC parameters beside it.
  private static func pem(_ text: Span<UInt8>) throws(JOSEError) -> PrivateKeyText {
    guard let blocks = PEM.blocks(in: text) else { throw JOSEError(.invalidKey) }
    if blocks.contains(where: { $0.isLabelled("ENCRYPTED PRIVATE KEY") }) { throw JOSEError(.passphraseNeeded) }
    let keys = blocks.filter { block in
      ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].contains { block.isLabelled($0) }
    }
    guard let block = keys.first, keys.count == 1 else { throw JOSEError(.invalidKey) }
    var characters = SecretBuffer()
    var bytes = SecretBuffer()
    PEM.appendBase64(of: block, in: text, to: &characters)
    // The headers of an encrypted key in the older form (RFC 1421 section 4.6).
    let hasHeaders = characters.withBytes { characters in characters.indices.contains { characters[$0] == 0x3A } }
    if hasHeaders { throw JOSEError(.passphraseNeeded) }
    do {
      try characters.withBytes { (characters) throws(Base64URLError) in try Base64.decode(characters, to: &bytes) }
    } catch {
      throw JOSEError(.invalidKey)
    }
    let key: PrivateKey
    do throws(CryptoError) {
      key = try bytes.finish().withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
    } catch {
      throw error.code == .unsupportedAlgorithm ? JOSEError(.unsupportedKey) : JOSEError(error)
    }
    return try PrivateKeyText(key)
  }
}
