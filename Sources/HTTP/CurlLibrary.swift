internal import CCurl

/// What belongs to the whole process.
enum CurlLibrary {
  /// Whether the library works. The first use initialises it, with an allocator that wipes what it frees.
  static let isReady = agent_curl_initialise() == CURLE_OK

  /// Whether it speaks TLS by OpenSSL. Another library reports by itself that a connection ended without a word.
  static let usesOpenSSL: Bool = {
    guard let library = unsafe agent_curl_tls_library() else { return false }
    return unsafe String(cString: library).utf8.starts(with: "OpenSSL/".utf8)
  }()

  /// The system's directory of trusted certificates, of which only those that are needed are read; nil
  /// when the library was built for a bundle file, which it then uses by itself.
  static let certificateDirectory: String? = {
    guard let path = unsafe agent_curl_certificate_directory() else { return nil }
    return unsafe String(cString: path)
  }()
}
