internal import CCurl

/// The state of libcurl for the whole process.
package enum CurlLibrary {
  /// Whether the library works. The first use initialises it, with an allocator that wipes what it frees.
  static let isReady = agent_curl_initialise() == CURLE_OK

  /// The version of libcurl that is used, such as `8.5.0`.
  package static let version = unsafe String(cString: agent_curl_version())

  /// Whether libcurl uses OpenSSL for TLS. Other TLS libraries report a connection that ended without `close_notify`.
  static let usesOpenSSL: Bool = {
    guard let library = unsafe agent_curl_tls_library() else { return false }
    return unsafe String(cString: library).utf8.starts(with: "OpenSSL/".utf8)
  }()

  /// The system's directory of trusted certificates, of which only the needed ones are read; nil if the library was
  /// built for a bundle file, which it then uses by default.
  static let certificateDirectory: String? = {
    guard let path = unsafe agent_curl_certificate_directory() else { return nil }
    return unsafe String(cString: path)
  }()
}
