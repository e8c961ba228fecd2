internal import CCurl
internal import CTLS
internal import OAuth

/// Detects how a handle's TLS connection ended. Content without a length or chunks is complete only if the server sent
/// `close_notify`, since an attacker can end a connection (RFC 8446 section 6.1, RFC 9112 section 9.8).
struct TLSEnd {
  /// The address of the latest connection's TLS context. Nil without TLS.
  private var context: UInt?
  private var hasCloseNotify = false

  /// Whether a TLS connection has received no `close_notify`.
  var isCloseNotifyMissing: Bool { context != nil && !hasCloseNotify }

  /// The index of this program's data in a context.
  private static let index = agent_tls_context_index()

  /// Returns false if out of memory.
  fileprivate static func observe(_ context: OpaquePointer, for end: UnsafeMutablePointer<TLSEnd>) -> Bool {
    guard index >= 0, unsafe SSL_CTX_set_ex_data(context, index, end) == 1 else { return false }
    unsafe end.pointee = TLSEnd(context: UInt(bitPattern: context))
    unsafe SSL_CTX_set_info_callback(context) { connection, event, alert in
      guard event == agent_tls_alert_read, alert & 0xff == agent_tls_close_notify else { return }
      unsafe TLSEnd.recordCloseNotify(on: connection)
    }
    return true
  }

  private static func recordCloseNotify(on connection: OpaquePointer?) {
    guard let connection = unsafe connection, let context = unsafe SSL_get_SSL_CTX(connection),
      let end = unsafe SSL_CTX_get_ex_data(context, index)?.assumingMemoryBound(to: TLSEnd.self),
      unsafe end.pointee.context == UInt(bitPattern: context)
    else { return }
    unsafe end.pointee.hasCloseNotify = true
  }
}

extension CurlHandle {
  /// For a new connection: observes its end, trusts the system's certificate file, and adds the client certificate.
  func watchTLS(_ route: Route) throws(HTTPFailure) {
    guard !route.isPlainHTTP else { return }
    guard CurlLibrary.usesOpenSSL else {
      if route.clientCertificate != nil { throw HTTPFailure(.setup) }
      return
    }
    try check(unsafe agent_curl_set_tls_hook(easy, beginTLS))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_SSL_CTX_DATA, currentExchange))
  }

  var isCloseNotifyMissing: Bool { unsafe tlsEnd.pointee.isCloseNotifyMissing }

  /// Whether the received content may be truncated.
  func isCutShort(_ headers: HeaderCollector) -> Bool {
    guard unsafe tlsEnd.pointee.isCloseNotifyMissing, headers.endsWithConnection else { return false }
    // HTTP/2 and later mark the end themselves, and some responses have no content (RFC 9112 section 6.3).
    return number(CURLINFO_HTTP_VERSION) < Int(CURL_HTTP_VERSION_2_0)
      && ![204, 304].contains(number(CURLINFO_RESPONSE_CODE))
  }
}

/// Called before each TLS connection, after libcurl has set its own trust.
private let beginTLS: agent_curl_tls_hook = { _, context, exchangePointer in
  guard let context = unsafe context, let handle = unsafe exchange(at: exchangePointer)?.progress.handle,
    unsafe TLSEnd.observe(OpaquePointer(context), for: handle.tlsEnd)
  else { return CURLE_OUT_OF_MEMORY }
  if let bundle = unsafe CurlLibrary.certificateBundle { unsafe agent_tls_trust_bundle(OpaquePointer(context), bundle) }
  return unsafe handle.presentedCertificate.present(in: OpaquePointer(context))
}
