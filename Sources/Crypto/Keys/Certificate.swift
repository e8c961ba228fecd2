internal import COpenSSL

/// The client's own X.509 certificate (RFC 5280). Not for trust decisions.
package struct Certificate: Sendable, Hashable {
  package static let maximumBytes = 65_536

  package let der: [UInt8]
  /// SHA-256 (`x5t#S256` in RFC 8705 section 3.1).
  package let digest: [UInt8]
  package let publicComponents: PublicComponents
  /// In Unix seconds.
  package let expiresAt: Int
  /// Whether issuer and subject are the same.
  package let isSelfIssued: Bool

  /// Parses DER without trailing bytes. Throws `invalidKey` if malformed, `unsupportedAlgorithm` for an unsupported key
  /// type.
  package init(der: [UInt8]) throws(CryptoError) {
    guard (1...Self.maximumBytes).contains(der.count) else { throw CryptoError(.invalidKey, "certificate") }
    ErrorQueue.clear()
    self.der = der
    digest = try Digest.sha256.hash(der.span)
    var consumed = 0
    let certificate = unsafe der.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      let certificate = unsafe d2i_X509(nil, &position, buffer.count)
      if let start = buffer.baseAddress, let position = unsafe position { consumed = unsafe position - start }
      return unsafe certificate
    }
    guard let certificate = unsafe certificate else { throw .library("d2i_X509", code: .invalidKey) }
    defer { unsafe X509_free(certificate) }
    guard consumed == der.count else { throw CryptoError(.invalidKey, "certificate") }
    guard let key = unsafe X509_get_pubkey(certificate) else { throw .library("X509_get_pubkey", code: .invalidKey) }
    publicComponents = try unsafe KeyHandle(owning: key).publicComponents()
    expiresAt = try unsafe Self.seconds(X509_get0_notAfter(certificate))
    isSelfIssued = unsafe X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Int {
    guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { throw .library("ASN1_TIME_set") }
    defer { unsafe ASN1_STRING_free(epoch) }
    var (days, seconds): (Int32, Int32) = (0, 0)
    try check(unsafe ASN1_TIME_diff(&days, &seconds, epoch, time), "ASN1_TIME_diff")
    return Int(days) * 86_400 + Int(seconds)
  }
}
