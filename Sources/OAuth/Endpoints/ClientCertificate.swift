package import Crypto
internal import Encoding

/// The certificate that a client shows in the TLS handshake (RFC 8705), with its private key.
package final class ClientCertificate: Sendable, Equatable {
  /// The certificate, and those that lead to its authority, in PEM form.
  package let chain: [UInt8]
  /// PKCS #8 in DER form.
  package let key: SharedSecret
  /// SHA-256 of the certificate in base64url: what tokens that are bound to it name as `x5t#S256`
  /// (RFC 8705 section 3.1).
  package let thumbprint: String
  /// The last second of its validity, in unix seconds.
  package let expiresAt: Int
  /// The issuer's name is its own, so that only registration makes it trusted (RFC 8705 section 2.2).
  package let isSelfIssued: Bool

  /// - Parameters:
  ///   - text: Certificates in PEM form, the client's own first. Anything else in it is left out.
  ///   - key: The private key of the first.
  /// - Throws: `invalidKey` when there is no certificate, or it is not for the key.
  package init(_ text: Span<UInt8>, key: borrowing PrivateKey) throws(CryptoError) {
    let unusable = CryptoError(.invalidKey, "certificate")
    let blocks = (PEM.blocks(in: text) ?? []).filter { $0.isLabelled("CERTIFICATE") }
    var chain: [UInt8] = []
    var certificates: [Certificate] = []
    for block in blocks {
      var (characters, der): ([UInt8], [UInt8]) = ([], [])
      PEM.appendBase64(of: block, in: text, to: &characters)
      do { try Base64.decode(characters.span, to: &der) } catch { throw unusable }
      certificates.append(try Certificate(der: der))
      chain += Array("-----BEGIN CERTIFICATE-----\n".utf8) + Self.lines(characters)
      chain += Array("-----END CERTIFICATE-----\n".utf8)
    }
    guard let own = certificates.first, own.publicComponents == key.publicComponents else { throw unusable }
    self.chain = chain
    self.key = SharedSecret(try key.serialized())
    thumbprint = Base64URL.encode(own.digest)
    expiresAt = own.expiresAt
    isSelfIssued = own.isSelfIssued
  }

  /// The key belongs to the certificate, so the certificates tell all.
  package static func == (a: ClientCertificate, b: ClientCertificate) -> Bool { a.chain == b.chain }

  private static func lines(_ characters: [UInt8]) -> [UInt8] {
    stride(from: 0, to: characters.count, by: 64).flatMap { start in
      characters[start..<min(start + 64, characters.count)] + [UInt8(ascii: "\n")]
    }
  }
}
