internal import CCurl
internal import OAuth

extension CurlHandle {
  func setCallbacks() throws(HTTPFailure) {
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION, receiveBody))
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION, receiveHeader))
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_READFUNCTION, readContent))
    try check(unsafe agent_curl_set_socket_check(easy, checkSocket))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_ERRORBUFFER, errorBuffer))
    for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SOCKOPTDATA] {
      try check(unsafe agent_curl_set_context(easy, option, currentExchange))
    }
  }
}

/// The running exchange, from a callback's context.
func exchange(at context: UnsafeMutableRawPointer?) -> (any RunningExchange)? {
  unsafe context?.assumingMemoryBound(to: (any RunningExchange)?.self).pointee
}

/// Returns `count`, the pause code, or 0 to end the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>, _ count: Int, _ context: UnsafeMutableRawPointer?,
  by take: (any RunningExchange, Span<UInt8>) -> ContentReceipt
) -> Int {
  guard count > 0, let exchange = unsafe exchange(at: context) else { return 0 }
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let buffer = unsafe UnsafeBufferPointer(start: start, count: count)
  switch unsafe take(exchange, buffer.span) {
  case .accepted: return count
  case .pause: return Int(CURL_WRITEFUNC_PAUSE)
  case .stop: return 0
  }
}

private let receiveBody: agent_curl_receiver = { bytes, size, count, context in
  unsafe receive(bytes, size * count, context) { $0.receive(body: $1) }
}

private let receiveHeader: agent_curl_receiver = { bytes, size, count, context in
  unsafe receive(bytes, size * count, context) { $0.receive(headerLine: $1) ? .accepted : .stop }
}

/// Called for content to send.
private let readContent: agent_curl_receiver = { bytes, size, count, context in
  guard size * count > 0, let exchange = unsafe exchange(at: context) else { return Int(CURL_READFUNC_ABORT) }
  let start = unsafe UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: size * count)
  var space = unsafe buffer.mutableSpan
  switch exchange.read(into: &space) {
  case .bytes(let count): return count
  case .end: return 0
  case .later: return Int(CURL_READFUNC_PAUSE)
  case .failed: return Int(CURL_READFUNC_ABORT)
  }
}

/// Called before each new connection.
private let checkSocket: agent_curl_socket_check = { context, socket, _ in
  guard let exchange = unsafe exchange(at: context) else { return CURL_SOCKOPT_ERROR }
  // libcurl closes a rejected connection like any other.
  unsafe agent_curl_note_socket(exchange.progress.handle.connections, socket)
  exchange.progress.handle.presentedCertificate.noteSocket()
  if let resolving = exchange.progress.beginConnecting() { exchange.noteResolved(after: resolving) }
  return exchange.progress.allowConnection() ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
}
