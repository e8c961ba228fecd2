internal import Encoding

extension JWKSet {
  /// Parses public keys in PEM (RFC 7468): `PUBLIC KEY`, `RSA PUBLIC KEY`, and the key of a `CERTIFICATE`. Skips other
  /// blocks. The keys have no IDs (``JWKSet/init(unnamed:)``). Throws ``JOSEError``: `embeddedPrivateKey` for a private
  /// key, `weakKey`, `unsupportedKey`, `invalidKey`; `invalidKeySet` without a key.
  package init(pem text: Span<UInt8>) throws(JOSEError) {
    guard text.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    guard let blocks = PEM.blocks(in: text) else { throw JOSEError(.invalidKeySet) }
    if blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) { throw JOSEError(.embeddedPrivateKey) }
    var keys: [JWK] = []
    for block in blocks {
      guard let components = try Self.components(of: block, in: text) else { continue }
      if case .rsa(let modulus, let exponent) = components {
        do { try PublicKey.checkRSA(modulus: modulus, exponent: exponent) } catch { throw JOSEError(.weakKey) }
      }
      keys.append(try JWK(components))
    }
    guard !keys.isEmpty else { throw JOSEError(.invalidKeySet) }
    self.init(unnamed: keys)
  }

  package static func isPEM(_ text: Span<UInt8>) -> Bool {
    let first = text.indices.first { text[$0] > UInt8(ascii: " ") }.map { text[$0] }
    // A JSON key set may contain PEM.
    return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && text.hasPart("-----BEGIN ")
  }

  /// Nil for a block without a key.
  private static func components(
    of block: PEM.Block, in text: Span<UInt8>
  ) throws(JOSEError) -> PublicComponents? {
    guard ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE"].contains(where: block.hasLabel) else { return nil }
    var (characters, der): ([UInt8], [UInt8]) = ([], [])
    PEM.appendBase64(of: block, in: text, to: &characters)
    do { try Base64.decode(characters.span, to: &der) } catch { throw JOSEError(.invalidKey) }
    do throws(CryptoError) {
      if block.hasLabel("CERTIFICATE") { return try Certificate(der: der).publicComponents }
      if block.hasLabel("PUBLIC KEY") { return try PublicComponents(subjectPublicKeyInfo: der.span) }
      return try PublicComponents(rsaPublicKey: der.span)
    } catch {
      throw error.code == .unsupportedAlgorithm ? JOSEError(.unsupportedKey) : JOSEError(error)
    }
  }
}
