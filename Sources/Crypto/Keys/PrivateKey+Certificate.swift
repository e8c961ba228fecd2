internal import COpenSSL

extension PrivateKey {
  /// RFC 5280 appendix A.1: `ub-common-name`.
  private static let maximumNameCharacters = 64
  /// For a certificate that does not expire (RFC 5280 section 4.1.2.5).
  private static let noExpiryDate = "99991231235959Z"

  /// Creates a self-signed TLS client certificate, with a key on P-256. It does not expire, since servers trust it by
  /// registration (RFC 8705 section 2.2). `name` is the common name, truncated to 64 characters, and `start` the start
  /// of validity in Unix seconds. Throws as ``KeyDevice/sign(digest:with:)`` for a device key.
  package borrowing func selfSignedCertificate(
    name: String, from start: Int
  ) throws(CryptoError) -> Certificate {
    ErrorQueue.clear()
    guard let made = unsafe X509_new() else { throw .library("X509_new") }
    defer { unsafe X509_free(made) }
    // Version 3 is encoded as 2.
    try check(unsafe X509_set_version(made, 2), "X509_set_version")
    try unsafe Self.setSerial(of: made)
    let subject = unsafe X509_get_subject_name(made)
    let common = Array(String(name.unicodeScalars.prefix(Self.maximumNameCharacters)).utf8)
    try check(
      unsafe X509_NAME_add_entry_by_NID(
        subject, NID_commonName, agent_text_utf8(), common, Int32(common.count), -1, 0), "X509_NAME_add_entry_by_NID")
    try check(unsafe X509_set_issuer_name(made, subject), "X509_set_issuer_name")
    guard unsafe ASN1_TIME_set(X509_getm_notBefore(made), start) != nil else { throw .library("ASN1_TIME_set") }
    try check(
      unsafe ASN1_TIME_set_string_X509(X509_getm_notAfter(made), Self.noExpiryDate), "ASN1_TIME_set_string_X509")
    try check(unsafe X509_set_pubkey(made, handle.raw), "X509_set_pubkey")
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, made, made, nil, nil, 0)
    for (number, value) in [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      // These extensions distinguish certificates with the same name.
      (NID_ext_key_usage, "clientAuth"), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, "keyid:always"),
    ] {
      guard let extra = unsafe X509V3_EXT_conf_nid(nil, &context, number, value) else {
        throw .library("X509V3_EXT_conf_nid")
      }
      defer { unsafe X509_EXTENSION_free(extra) }
      try check(unsafe X509_add_ext(made, extra, -1), "X509_add_ext")
    }
    try unsafe sign(made)
    return try Certificate(der: try unsafe Self.encoded(made))
  }

  private static func setSerial(of certificate: OpaquePointer) throws(CryptoError) {
    let bytes = try Random.bytes(16)
    let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
    defer { unsafe BN_free(number) }
    guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
      throw .library("BN_to_ASN1_INTEGER")
    }
  }

  private borrowing func sign(_ certificate: OpaquePointer) throws(CryptoError) {
    let problem = Outcome()
    let handle = try signingHandle { problem.error = $0 }
    guard unsafe X509_sign(certificate, handle.raw, Digest.sha256.implementation) > 0 else {
      throw problem.error ?? .library("X509_sign")
    }
  }

  /// Receives the device's error on the signing thread.
  private final class Outcome: @unchecked Sendable {
    var error: CryptoError?
  }

  private static func encoded(_ certificate: OpaquePointer) throws(CryptoError) -> [UInt8] {
    let count = unsafe i2d_X509(certificate, nil)
    guard count > 0 else { throw .library("i2d_X509") }
    var der = [UInt8](repeating: 0, count: Int(count))
    let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
      var end = buffer.baseAddress
      return unsafe i2d_X509(certificate, &end)
    }
    guard written == count else { throw .library("i2d_X509") }
    return der
  }
}
