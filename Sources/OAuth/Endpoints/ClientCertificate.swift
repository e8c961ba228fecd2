package import Crypto
internal import Encoding

/// The certificate that a client shows in the TLS handshake (RFC 8705), with its private key.
package final class ClientCertificate: Sendable, Equatable {
  /// The certificate, those that lead to its authority, and the key.
  package let key: CertifiedKey
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
    let blocks = (PEM.blocks(in: text) ?? []).filter { $0.isLabelled(Self.label) }
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

  /// A certificate as ``init(_:key:)`` reads it.
  package static func text(_ certificate: Certificate) -> String { PEM.text(label, certificate.der) }

  /// The key belongs to the certificate, so the certificates tell all.
  package static func == (a: ClientCertificate, b: ClientCertificate) -> Bool {
    a.key.certificates == b.key.certificates
  }
}
