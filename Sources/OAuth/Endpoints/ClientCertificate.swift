package import Crypto
internal import Encoding

/// A TLS client certificate (RFC 8705) with its private key.
package final class ClientCertificate: Sendable, Equatable {
  package let key: CertifiedKey
  /// `x5t#S256` of bound tokens (RFC 8705 section 3.1).
  package let thumbprint: String
  /// In unix seconds.
  package let expiresAt: Int
  /// Whether issuer and subject are equal. Servers trust such certificates only if registered (RFC 8705 section 2.2).
  package let isSelfIssued: Bool

  /// Reads PEM certificates, the one for `key` first. Throws `invalidKey` if there is none or it does not match.
  package init(_ text: Span<UInt8>, key: borrowing PrivateKey) throws(CryptoError) {
    let unusable = CryptoError(.invalidKey, "certificate")
    let blocks = (PEM.blocks(in: text) ?? []).filter { $0.hasLabel(Self.label) }
    var certificates: [Certificate] = []
    for block in blocks {
      var (characters, der): ([UInt8], [UInt8]) = ([], [])
      PEM.appendBase64(of: block, in: text, to: &characters)
      do { try Base64.decode(characters.span, to: &der) } catch { throw unusable }
      certificates.append(try Certificate(der: der))
    }
    self.key = try CertifiedKey(key, certificates)
    guard let own = certificates.first else { throw unusable }
    thumbprint = Base64URL.encode(own.digest)
    expiresAt = own.expiresAt
    isSelfIssued = own.isSelfIssued
  }

  private static let label = "CERTIFICATE"

  /// Encodes a certificate in PEM, for ``init(_:key:)``.
  package static func text(_ certificate: Certificate) -> String { PEM.text(label, certificate.der) }

  package static func == (a: ClientCertificate, b: ClientCertificate) -> Bool {
    a.key.certificates == b.key.certificates
  }
}
