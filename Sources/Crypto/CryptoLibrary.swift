internal import COpenSSL

/// The system's libcrypto.
package enum CryptoLibrary {
  package static let version: String = {
    // Never NULL for a known argument.
    guard let text = unsafe OpenSSL_version(OPENSSL_FULL_VERSION_STRING) else { return "" }
    return unsafe String(cString: text)
  }()
}
