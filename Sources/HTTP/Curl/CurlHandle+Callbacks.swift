internal import CCurl
internal import OAuth

extension CurlHandle {
  /// Lets the library write into `exchange`, which must stay where it is until the handle is reset.
  func setCallbacks(_ exchange: UnsafeMutablePointer<Exchange>) throws(HTTPFailure) {
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION, receiveBody))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_WRITEDATA, exchange))
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION, receiveHeader))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_HEADERDATA, exchange))
    try check(unsafe agent_curl_set_socket_check(easy, checkSocket))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_SOCKOPTDATA, exchange))
  }
}

private let receiveBody: agent_curl_receiver = { bytes, size, count, context in
  unsafe receive(bytes, size * count, context) { unsafe $0.pointee.receive(body: $1) }
}

private let receiveHeader: agent_curl_receiver = { bytes, size, count, context in
  unsafe receive(bytes, size * count, context) { unsafe $0.pointee.receive(headerLine: $1) }
}

/// Passes bytes to the exchange. A callback accepts all of them, or returns 0, which ends the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>, _ count: Int, _ context: UnsafeMutableRawPointer?,
  by take: (UnsafeMutablePointer<Exchange>, Span<UInt8>) -> Bool
) -> Int {
  guard count > 0, let exchange = unsafe context?.assumingMemoryBound(to: Exchange.self) else { return 0 }
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let buffer = unsafe UnsafeBufferPointer(start: start, count: count)
  return unsafe take(exchange, buffer.span) ? count : 0
}

/// Called for each new connection before it is made.
private let checkSocket: agent_curl_socket_check = { context, _, _ in
  guard let exchange = unsafe context?.assumingMemoryBound(to: Exchange.self) else { return CURL_SOCKOPT_ERROR }
  return unsafe exchange.pointee.mayConnect() ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
}
