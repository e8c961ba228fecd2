internal import CCurl
internal import Encoding
internal import OAuth

/// A libcurl handle for one caller at a time. Keeps its connection for the next transfer.
@safe final class CurlHandle: @unchecked Sendable {
  /// How often a request's limits are checked. Cancellation takes effect immediately.
  static let longestWait = Duration.seconds(1)

  // The connections belong to `multi`, so they survive a reset of `easy`.
  let easy: UnsafeMutableRawPointer
  let multi: UnsafeMutableRawPointer
  /// The TLS connection's state, updated by callbacks.
  let tlsEnd: UnsafeMutablePointer<TLSEnd>
  let presentedCertificate = PresentedCertificate()
  /// The open sockets, and whether a transfer has begun but not succeeded.
  let connections: UnsafeMutablePointer<agent_curl_connections>
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Receives libcurl's callbacks. Nil before the first exchange and after a reset.
  let currentExchange: UnsafeMutablePointer<(any RunningExchange)?>

  init() throws(HTTPFailure) {
    guard CurlLibrary.isReady, let multi = unsafe curl_multi_init() else { throw HTTPFailure(.setup) }
    guard let easy = unsafe curl_easy_init() else {
      _ = unsafe curl_multi_cleanup(multi)
      throw HTTPFailure(.setup)
    }
    unsafe self.easy = easy
    unsafe self.multi = multi
    unsafe tlsEnd = .allocate(capacity: 1)
    unsafe tlsEnd.initialize(to: TLSEnd())
    unsafe connections = .allocate(capacity: 1)
    unsafe connections.initialize(to: agent_curl_connections())
    unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe currentExchange = .allocate(capacity: 1)
    unsafe currentExchange.initialize(to: nil)
  }

  deinit {
    unsafe curl_easy_cleanup(easy)
    _ = unsafe curl_multi_cleanup(multi)
    unsafe tlsEnd.deallocate()
    unsafe connections.deallocate()
    unsafe errorBuffer.deallocate()
    unsafe currentExchange.deinitialize(count: 1)
    unsafe currentExchange.deallocate()
  }

  /// Clears the request and keeps the connection.
  func reset() {
    unsafe curl_easy_reset(easy)
    unsafe currentExchange.pointee = nil
  }

  /// Returns at the response's end, or once another thread continues the exchange.
  func run(
    _ exchange: any RunningExchange, _ lines: borrowing HeaderList
  ) throws(HTTPFailure) {
    // libcurl needs the header lines until the response begins.
    try unsafe lines.withList { (list) throws(HTTPFailure) in
      var continuesElsewhere = false
      defer { if continuesElsewhere { _ = unsafe agent_curl_set_list(easy, CURLOPT_HTTPHEADER, nil) } else { reset() } }
      try check(unsafe agent_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
      unsafe currentExchange.pointee = exchange
      try setCallbacks()
      switch runInterruptibly(
        by: exchange.cancellation, { presentedCertificate.runAllowingWaits { transfer(exchange) } })
      {
      case .waits: continuesElsewhere = true
      case .ended(let result): try end(exchange, after: result)
      }
    }
  }

  /// Opens the prepared request's connection, and keeps it until ``abandonTransfer()``. Sends nothing.
  func connect(_ exchange: any RunningExchange) throws(HTTPFailure) {
    try set(CURLOPT_CONNECT_ONLY, 1)
    // The caller writes HTTP/1.1.
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    unsafe currentExchange.pointee = exchange
    try setCallbacks()
    let status = runInterruptibly(by: exchange.cancellation) {
      presentedCertificate.runAllowingWaits { transfer(exchange) }
    }
    discardsUnsentBytes = true
    guard case .ended(CURLE_OK) = status else {
      defer { abandonTransfer() }
      guard case .ended(let code) = status, let failure = exchange.failure(after: code) else {
        throw HTTPFailure(.setup)
      }
      throw failure
    }
  }

  /// Never blocks. Returns libcurl's result and the number of bytes.
  func send(_ bytes: Span<UInt8>) -> (code: CURLcode, count: Int) {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes { unsafe curl_easy_send(easy, $0.baseAddress, $0.count, &count) }
    return (code, count)
  }

  /// Receives available bytes. A count of 0 without an error is the connection's end.
  func receive(into space: inout MutableSpan<UInt8>) -> (code: CURLcode, count: Int) {
    var count = 0
    let code = unsafe space.withUnsafeMutableBytes { unsafe curl_easy_recv(easy, $0.baseAddress, $0.count, &count) }
    return (code, count)
  }

  /// Whether closing the connection discards unsent bytes.
  var discardsUnsentBytes: Bool {
    get { unsafe connections.pointee.is_busy }
    set { unsafe connections.pointee.is_busy = newValue }
  }

  enum TransferStatus {
    /// Waits for the network or a descriptor of the exchange.
    case waits
    /// libcurl's result; nil if the exchange ended the transfer, which makes the handle unusable.
    case ended(CURLcode?)
  }

  /// Performs the transfer to its end. Returns `waits` if another thread continues it.
  private func transfer(_ exchange: any RunningExchange) -> TransferStatus {
    guard begin() else { return .ended(CURLE_FAILED_INIT) }
    while true {
      if case .ended(let result) = advance(exchange) { return .ended(result) }
      if exchange.continuesOnOtherThread() { return .waits }
      guard wait(for: exchange.awaitedDescriptors, atMost: exchange.longestWait) else {
        return .ended(CURLE_FAILED_INIT)
      }
    }
  }

  /// Continues the transfer without blocking.
  func advance(_ exchange: any RunningExchange) -> TransferStatus {
    if let pause = exchange.remainingPauseFlags() { _ = unsafe curl_easy_pause(easy, pause) }
    var running: Int32 = 0
    guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else { return .ended(CURLE_FAILED_INIT) }
    exchange.noteProgress()
    exchange.progress.checkKeptConnection()
    var result = CURLE_OK
    if unsafe agent_curl_take_result(multi, &result) != 0 {
      if result == CURLE_OK { unsafe connections.pointee.is_busy = false }
      return .ended(result)
    }
    return exchange.reasonToStop == nil && !exchange.progress.isUnreachable ? .waits : .ended(nil)
  }

  /// Abandons a transfer that may have ended.
  func abandonTransfer() {
    _ = unsafe curl_multi_remove_handle(multi, easy)
    reset()
  }

  /// Ends a transfer after ``TransferStatus/ended(_:)``. Throws its error, if any.
  func end(_ exchange: any RunningExchange, after result: CURLcode?) throws(HTTPFailure) {
    _ = unsafe curl_multi_remove_handle(multi, easy)
    if let failure = exchange.failure(after: result) { throw failure }
    exchange.noteCompletion()
  }

  /// Runs `body`. Cancellation interrupts its waits.
  func runInterruptibly<Result, Problem: Error>(
    by cancellation: Cancellation?, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    guard let cancellation else { return try body() }
    return try cancellation.withWaker({ [self] in _ = unsafe curl_multi_wakeup(multi) }, during: body)
  }

  /// Waits for network and descriptors. Returns false on failure.
  func wait(for descriptors: [(descriptor: Int32, isWriting: Bool)], atMost timeout: Duration) -> Bool {
    var entries = descriptors.map { entry in
      curl_waitfd(
        fd: entry.descriptor, events: Int16(entry.isWriting ? CURL_WAIT_POLLOUT : CURL_WAIT_POLLIN), revents: 0)
    }
    let result = unsafe entries.withUnsafeMutableBufferPointer { entries in
      unsafe curl_multi_poll(multi, entries.baseAddress, UInt32(entries.count), Int32(timeout.wholeMilliseconds), nil)
    }
    return result == CURLM_OK
  }

  /// Begins the prepared transfer. Until it succeeds, closing its connection discards unsent bytes. Otherwise, a
  /// refresh token could arrive after the next attempt and seem stolen (RFC 9700 section 4.14.2).
  private func begin() -> Bool {
    unsafe connections.pointee.is_busy = true
    return unsafe curl_multi_add_handle(multi, easy) == CURLM_OK
  }

  /// Makes new connections discard unsent bytes when closed; see ``begin()``.
  func watchClosing() throws(HTTPFailure) { try check(unsafe agent_curl_watch_closing(easy, connections)) }

  /// The number of request bytes sent, without the request to a proxy.
  var sentBytes: Int {
    time(CURLINFO_PRETRANSFER_TIME_T) > 0 ? number(CURLINFO_REQUEST_SIZE) : 0
  }

  /// Whether OpenSSL reports that the server answered in plain text.
  var hasReceivedPlainText: Bool {
    let text = unsafe String(cString: errorBuffer)
    return ["wrong version number", "packet length too long", "http request"].contains { text.hasPart($0) }
  }

  /// The only connection's socket, otherwise nil. Available only after a transfer's end.
  var socket: Int32? {
    let connections = unsafe connections.pointee
    return connections.open == 1 ? Int32(connections.sum) : nil
  }

  /// Whether neither data nor the connection's end has arrived since the latest transfer.
  var hasNoPendingInput: Bool { unsafe agent_curl_is_quiet(connections) }

  var isConnected: Bool { unsafe connections.pointee.open > 0 }

  /// Whether a new connection would have the open one's local address.
  var wouldKeepLocalAddress: Bool { unsafe agent_curl_has_local_address(connections) }

  /// Whether sent bytes have had no TCP acknowledgment for `duration`.
  func isUnacknowledged(for duration: Duration) -> Bool {
    unsafe agent_curl_is_unacknowledged(connections, UInt32(duration.wholeMilliseconds))
  }

  /// The time until ``advance(_:)`` is due even if nothing arrives. Nil for no limit.
  var timeUntilNeeded: Duration? {
    var milliseconds = -1
    guard unsafe curl_multi_timeout(multi, &milliseconds) == CURLM_OK, milliseconds >= 0 else { return nil }
    return .milliseconds(milliseconds)
  }

  /// Transfer information from libcurl, or 0 if unavailable.
  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe agent_curl_get_number(easy, info, &value) == CURLE_OK ? value : 0
  }

  /// Microseconds from the transfer's start to an event, or 0 if it has not occurred.
  func time(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return unsafe agent_curl_get_time(easy, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe agent_curl_get_text(easy, info, &value) == CURLE_OK, let value = unsafe value else { return nil }
    return unsafe String(cString: value)
  }
}
