internal import COpenSSL

/// libcrypto, as the system has it.
package enum CryptoLibrary {
  /// The version of OpenSSL that is used, such as `3.0.13`.
  package static let version: String = {
    // Never NULL for a kind of text that the library knows.
    guard let text = unsafe OpenSSL_version(OPENSSL_FULL_VERSION_STRING) else { return "" }
    return unsafe String(cString: text)
  }()
}
