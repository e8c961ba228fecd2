internal import CCurl
internal import Crypto
internal import OAuth

extension CurlHandle {
  /// Content up to this size is sent without `Expect: 100-continue`: many servers do not answer it, and the library
  /// then waits one second.
  private static let mostUnaskedBytes = 1 << 20

  /// Sends the prepared request, and waits for the end of the response.
  func send(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    _ exchange: ResourceExchange
  ) throws(HTTPFailure) {
    var lines = try Self.lines(of: request, hasContent: content != nil)
    for field in authorization {
      try field.value.bytes.withBytes { (value) throws(HTTPFailure) in try lines.append(field.name, value) }
    }
    // With an expectation a server can reject the request before the content is sent (RFC 9110 section 10.1.1).
    if Self.isSentUnasked(content) { try lines.append("Expect", "") }
    try setMethod(request.method, content: content)
    var exchange = exchange
    // The lines and the exchange are lent to the library until the reset.
    try unsafe lines.withList { (list) throws(HTTPFailure) in
      defer { reset() }
      try check(unsafe agent_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
      try unsafe withUnsafeMutablePointer(to: &exchange) { (exchange) throws(HTTPFailure) in
        try unsafe setCallbacks(exchange)
        try lendingClientKey(of: request.transport) { () throws(HTTPFailure) in
          let code = unsafe transfer(exchange.pointee)
          if let failure = unsafe exchange.pointee.failure(after: code) { throw failure }
        }
      }
    }
  }

  private static func isSentUnasked(_ content: (any ResourceContent)?) -> Bool {
    guard let content else { return true }
    return content.length.map { $0 <= mostUnaskedBytes } ?? false
  }

  private static func lines(of request: ResourceRequest, hasContent: Bool) throws(HTTPFailure) -> HeaderList {
    var lines = HeaderList()
    for field in request.fields { try lines.append(present: field.name, field.value) }
    if hasContent, !request.fields.contains(where: { $0.isNamed("Content-Type") }) {
      try lines.append("Content-Type", "application/x-www-form-urlencoded")
    }
    return lines
  }

  private func setMethod(_ method: ResourceMethod, content: (any ResourceContent)?) throws(HTTPFailure) {
    if content == nil, method.isHead { return try set(CURLOPT_NOBODY, true) }
    if content != nil || method.usuallyHasContent {
      try set(CURLOPT_UPLOAD, true)
      let length = content.map { $0.length ?? -1 } ?? 0
      try check(unsafe agent_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(length)))
    } else {
      try set(CURLOPT_HTTPGET, true)
    }
    try set(CURLOPT_CUSTOMREQUEST, method.text)
  }

  /// Runs the prepared transfer.
  ///
  /// - Returns: The library's result, or nil if the exchange ended the transfer.
  private func transfer(_ exchange: ResourceExchange) -> CURLcode? {
    guard begin() else { return CURLE_FAILED_INIT }
    defer { _ = unsafe curl_multi_remove_handle(multi, easy) }
    while true {
      // The callbacks get the paused bytes again from here.
      if let pause = exchange.nextPause() { _ = unsafe curl_easy_pause(easy, pause) }
      var running: Int32 = 0
      guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
      exchange.update()
      var result = CURLE_OK
      if unsafe agent_curl_take_result(multi, &result) != 0 { return ended(result) }
      if exchange.reasonToStop != nil { return nil }
      guard wait(for: exchange.waits) else { return CURLE_FAILED_INIT }
    }
  }

  /// Waits for the network and for descriptors, at most ``cancellationInterval``.
  func wait(for descriptors: [(descriptor: Int32, isWriting: Bool)]) -> Bool {
    var entries = descriptors.map { entry in
      curl_waitfd(
        fd: entry.descriptor, events: Int16(entry.isWriting ? CURL_WAIT_POLLOUT : CURL_WAIT_POLLIN), revents: 0)
    }
    let result = unsafe entries.withUnsafeMutableBufferPointer { entries in
      unsafe curl_multi_poll(multi, entries.baseAddress, UInt32(entries.count), Self.cancellationInterval, nil)
    }
    return result == CURLM_OK
  }
}

extension CurlHandle {
  /// Lets the library work on `exchange`, which must stay where it is until the handle is reset.
  private func setCallbacks(_ exchange: UnsafeMutablePointer<ResourceExchange>) throws(HTTPFailure) {
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION, receiveBody))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_WRITEDATA, exchange))
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION, receiveHeader))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_HEADERDATA, exchange))
    try check(unsafe agent_curl_set_receiver(easy, CURLOPT_READFUNCTION, readContent))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_READDATA, exchange))
    try check(unsafe agent_curl_set_socket_check(easy, checkSocket))
    try check(unsafe agent_curl_set_context(easy, CURLOPT_SOCKOPTDATA, exchange))
  }
}

private func exchange(at context: UnsafeMutableRawPointer?) -> ResourceExchange? {
  unsafe context?.assumingMemoryBound(to: ResourceExchange.self).pointee
}

private let receiveBody: agent_curl_receiver = { bytes, size, count, context in
  let total = size * count
  guard total > 0, let exchange = unsafe exchange(at: context) else { return 0 }
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let buffer = unsafe UnsafeBufferPointer(start: start, count: total)
  switch unsafe exchange.receive(body: buffer.span) {
  case .taken: return total
  case .pause: return Int(CURL_WRITEFUNC_PAUSE)
  // Fewer than all of them end the transfer.
  case .stop: return 0
  }
}

private let receiveHeader: agent_curl_receiver = { bytes, size, count, context in
  let total = size * count
  guard total > 0, let exchange = unsafe exchange(at: context) else { return 0 }
  let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
  let buffer = unsafe UnsafeBufferPointer(start: start, count: total)
  return unsafe exchange.receive(headerLine: buffer.span) ? total : 0
}

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

/// Called for each new connection before it is made.
private let checkSocket: agent_curl_socket_check = { context, _, _ in
  guard let exchange = unsafe exchange(at: context) else { return CURL_SOCKOPT_ERROR }
  return exchange.mayConnect() ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
}
