internal import CCurl

package enum CurlLibrary {
  /// Whether libcurl works. The first use initializes it, with an allocator that wipes freed memory.
  static let isReady = agent_curl_initialise() == CURLE_OK

  /// Such as `8.5.0`.
  package static let version = unsafe String(cString: agent_curl_version())

  /// Other TLS libraries themselves report a connection that ended without `close_notify`.
  static let usesOpenSSL: Bool = {
    guard let library = unsafe agent_curl_tls_library() else { return false }
    return unsafe String(cString: library).utf8.starts(with: "OpenSSL/".utf8)
  }()

  /// The system's directory of trusted certificates, each read only when needed. Nil if libcurl uses a bundle file.
  static let certificateDirectory: String? = {
    guard let path = unsafe agent_curl_certificate_directory() else { return nil }
    return unsafe String(cString: path)
  }()

  /// The bundle's path, owned by libcurl. Read only if ``certificateDirectory`` lacks the authority, since reading
  /// takes longer than a handshake.
  static var certificateBundle: UnsafePointer<CChar>? {
    unsafe certificateDirectory == nil ? nil : agent_curl_certificate_bundle()
  }
}
