internal import CCurl
internal import Crypto
internal import OAuth

// The client certificate in the TLS handshake (RFC 8705).
extension CurlHandle {
  func setClientCertificate(_ route: Route) throws(HTTPFailure) {
    guard let certificate = route.clientCertificate else { return }
    try set(CURLOPT_SSLCERTTYPE, "PEM")
    try set(CURLOPT_SSLCERT_BLOB, blob: certificate.chain)
    try set(CURLOPT_SSLKEYTYPE, "DER")
  }

  /// Runs `body`, in which a connection may be made, while the library can read the key.
  ///
  /// The library reads the key on the secure heap, without a copy. The handle must be reset before it is used again.
  func lendingClientKey(of transport: Transport, _ body: () throws(HTTPFailure) -> Void) throws(HTTPFailure) {
    guard let certificate = transport.clientCertificate else { return try body() }
    try certificate.key.bytes.withBytes { (key) throws(HTTPFailure) in
      try unsafe key.withUnsafeBytes { (key) throws(HTTPFailure) in
        guard let start = key.baseAddress else { throw HTTPFailure(.setup) }
        try check(unsafe agent_curl_lend_blob(easy, CURLOPT_SSLKEY_BLOB, start, key.count))
        try body()
      }
    }
  }
}
