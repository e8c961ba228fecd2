internal import CCurl
internal import OAuth

/// A running request to a resource. Only the thread that runs the transfer uses it, including the library's callbacks.
///
/// Content is passed on in pieces: the library pauses if the receiver has no room or the content to send is not there
/// yet, so memory does not depend on the size.
final class ResourceExchange {
  /// The largest unwanted content that is read so that the connection can be used again, in bytes.
  private static let mostUnwantedBytes = 65_536

  let cancellation: Cancellation
  private let handle: CurlHandle
  private let isRepeatable: Bool
  private let isHead: Bool
  private let usesProxy: Bool
  private let stall: Duration
  private let content: (any ResourceContent)?
  private let receiver: any ResourceReceiver

  private var headers = HeaderCollector(keepsCookies: true)
  private var head: ResourceHead?
  private var isWanted = false
  private var unwantedBytes = 0
  private var takenBytes = 0
  private var sentContent = 0

  /// The bytes that the receiver had no room for, from `pendingStart` on.
  private var pending: [UInt8] = []
  private var pendingStart = 0
  private var isReceivingPaused = false
  private var isSendingPaused = false

  /// The reason why a callback ended the transfer.
  private var refusal: HTTPFailure.Code?
  private var hasSeenEnough = false
  private var requestStarted = false
  private var responseStarted = false
  private var lastProgress = ContinuousClock.now

  init(
    over handle: CurlHandle, _ request: ResourceRequest, isRepeatable: Bool, usesProxy: Bool,
    content: (any ResourceContent)?, receiver: any ResourceReceiver
  ) {
    self.handle = handle
    self.isRepeatable = isRepeatable
    self.usesProxy = usesProxy
    self.content = content
    self.receiver = receiver
    isHead = request.method.isHead
    cancellation = request.cancellation
    stall = .seconds(max(1, request.stallSeconds))
  }

  deinit { wipePending() }
}

// The callbacks during the transfer.
extension ResourceExchange {
  /// The result for a piece of content.
  enum Taking { case taken, pause, stop }

  /// Receives a line of the header. False ends the transfer.
  func receive(headerLine line: Span<UInt8>) -> Bool {
    responseStarted = true
    noteProgress()
    guard let code = headers.receive(line) else { return true }
    return refuse(code)
  }

  /// Receives a piece of the response's content, all of it or nothing.
  func receive(body bytes: Span<UInt8>) -> Taking {
    noteProgress()
    beginIfReady()
    guard isWanted else {
      unwantedBytes += bytes.count
      hasSeenEnough = unwantedBytes > Self.mostUnwantedBytes
      return hasSeenEnough ? .stop : .taken
    }
    guard flush() else { return .stop }
    guard pending.isEmpty else {
      isReceivingPaused = true
      return .pause
    }
    guard let count = receiver.take(bytes) else {
      refusal = .cancelled
      return .stop
    }
    takenBytes += bytes.count
    for index in count..<bytes.count { pending.append(bytes[index]) }
    return .taken
  }

  /// Reads content to send into the library's buffer.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart {
    guard let content else { return .end }
    let part = content.read(into: &space)
    switch part {
    case .bytes(let count):
      sentContent += count
      noteProgress()
    case .later: isSendingPaused = true
    case .end:
      if let length = content.length, sentContent != length { return read(failing: .content) }
    case .failed: return read(failing: .content)
    }
    return part
  }

  private func read(failing code: HTTPFailure.Code) -> ResourceContentPart {
    refusal = code
    return .failed
  }

  /// Decides whether the library may make a new connection; see ``Exchange/mayConnect()``.
  func mayConnect() -> Bool {
    isRepeatable || handle.sentBytes == 0 || refuse(.receive)
  }

  private func refuse(_ code: HTTPFailure.Code) -> Bool {
    refusal = code
    return false
  }

  private func noteProgress() { lastProgress = .now }
}

// The questions of the thread that runs the transfer.
extension ResourceExchange {
  /// The descriptors to wait for besides the network, and whether for writing.
  var waits: [(descriptor: Int32, isWriting: Bool)] {
    var waits: [(descriptor: Int32, isWriting: Bool)] = []
    if !pending.isEmpty { waits.append((receiver.descriptor, true)) }
    if isSendingPaused, let content { waits.append((content.descriptor, false)) }
    return waits
  }

  /// The library's flags for the directions that stay paused, if one can continue; nil if none can.
  func nextPause() -> Int32? {
    // A wait for the caller of this program does not count as a stall of the server.
    if isSendingPaused || !pending.isEmpty { noteProgress() }
    guard flush() else { return nil }
    guard isSendingPaused || (isReceivingPaused && pending.isEmpty) else { return nil }
    isSendingPaused = false
    isReceivingPaused = isReceivingPaused && !pending.isEmpty
    return isReceivingPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT
  }

  /// Passes the head to the receiver as soon as it is complete, which may be long before the first content.
  func update() {
    requestStarted = handle.sentBytes > 0
    beginIfReady()
  }

  /// The reason to stop now, if there is one.
  var reasonToStop: HTTPFailure.Code? {
    if let refusal { return refusal }
    if cancellation.isCancelled { return .cancelled }
    return ContinuousClock.now - lastProgress >= stall ? .timeout : nil
  }

  private func beginIfReady() {
    guard head == nil, headers.isFinished else { return }
    let status = handle.number(CURLINFO_RESPONSE_CODE)
    // A lower status is interim (RFC 9110 section 15.2).
    guard status >= 200 else { return }
    let head = ResourceHead(status: status, headers: HTTPHeaders(headers.fields))
    self.head = head
    isWanted = receiver.begin(head)
  }

  /// Passes pending bytes to the receiver, as far as there is room. False if the receiver is closed.
  private func flush() -> Bool {
    while !pending.isEmpty {
      guard let count = receiver.take(pending.span.extracting(pendingStart...)) else { return refuse(.cancelled) }
      if count == 0 { return true }
      pendingStart += count
      if pendingStart == pending.count { wipePending() }
    }
    return true
  }

  /// Content may be as secret as a token.
  private func wipePending() {
    for index in pending.indices { pending[index] = 0 }
    pending.removeAll(keepingCapacity: true)
    pendingStart = 0
  }
}

// The end.
extension ResourceExchange {
  /// The failure of a transfer that ended with `code`, if any. A nil code means that this program ended it.
  func failure(after code: CURLcode?) -> HTTPFailure? {
    if hasSeenEnough { return nil }
    if code == CURLE_OK { return headers.isFinished && !isCutShort ? nil : failure(.receive) }
    if let refusal { return failure(refusal) }
    guard let code else { return failure(reasonToStop ?? .setup) }
    if code == CURLE_OUT_OF_MEMORY, requestStarted, !headers.isFinished { return failure(.tooLarge) }
    return failure(
      HTTPFailure.Code(
        code, beforeRequest: !requestStarted, overProxy: usesProxy,
        certificate: handle.number(CURLINFO_SSL_VERIFYRESULT)))
  }

  /// Only the reader knows the format of a resource's content, so content that may be truncated is always a failure.
  private var isCutShort: Bool { !isHead && handle.isCutShort(headers) }

  /// Passes the rest of the content to the receiver, waits for room, and returns the response.
  func finish() throws(HTTPFailure) -> ResourceResponse {
    while true {
      guard flush() else { throw failure(.cancelled) }
      if pending.isEmpty { break }
      if cancellation.isCancelled { throw failure(.cancelled) }
      guard handle.wait(for: waits) else { throw failure(.setup) }
    }
    guard let head else { throw failure(.receive) }
    return ResourceResponse(head: head, contentBytes: takenBytes)
  }

  /// Whether the connection can be used for the next request.
  var isConnectionIntact: Bool { !hasSeenEnough }

  private func failure(_ code: HTTPFailure.Code) -> HTTPFailure {
    let responseStarted = responseStarted || code == .malformed || code == .tooLarge
    return HTTPFailure(code, responseStarted: responseStarted, requestMayHaveArrived: requestStarted || responseStarted)
  }
}
