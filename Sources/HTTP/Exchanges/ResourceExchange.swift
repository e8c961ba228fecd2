internal import CCurl
internal import Crypto
internal import OAuth
internal import Platform

/// A request to a resource. Streams the content: libcurl pauses while the receiver accepts nothing or there is nothing
/// to send.
final class ResourceExchange: RunningExchange {
  /// Up to this many unwanted bytes are read to reuse the connection.
  private static let maximumUnwantedBytes = 65_536

  /// How often a stream without a time limit is checked.
  private static let quietWait = Duration.seconds(3600)

  /// Continues a slow exchange on another thread. Nil once attempted.
  private var pendingResponses: PendingResponses?
  /// Whether the sending thread returned before the content's end.
  private(set) var continuesElsewhere = false

  var progress: TransferProgress
  let cancellation: Cancellation?
  private let isHead: Bool
  /// The timeout until the content begins.
  private let stallTimeout: Duration
  /// The timeout without progress during the content; nil for no limit.
  private let idleTimeout: Duration?
  private var lastProgress = Instant.now
  private let content: SentContent?
  private let body: ReceivedContent
  /// Nil if the receiver may see the token.
  private let screen: TokenScreen?
  private var head: ResourceHead?
  private var receiverWantsContent = false
  private var unwantedBytes = 0
  private(set) var usedKeptConnection = false
  private(set) var usedHTTP2 = false
  /// Why the content is incomplete, if so. The receiver gets the received part.
  private var truncation: HTTPFailure?
  var isConnectionIntact: Bool { unwantedBytes <= Self.maximumUnwantedBytes }

  init(
    _ progress: TransferProgress, _ request: ResourceRequest, content: (any ResourceContent)?,
    receiver: any ResourceReceiver, pendingResponses: PendingResponses
  ) throws(HTTPFailure) {
    do { screen = try request.tokenToWithhold.map { (token) throws(CryptoError) in try TokenScreen(token) } } catch {
      throw HTTPFailure(.memory)
    }
    self.progress = progress
    self.pendingResponses = pendingResponses
    self.content = content.map { SentContent($0) }
    body = ReceivedContent(receiver, screen)
    isHead = request.method.isHead
    cancellation = request.cancellation
    stallTimeout = .seconds(max(1, request.stallSeconds))
    idleTimeout =
      switch request.idleSeconds {
      case nil: stallTimeout
      case 0: nil
      case .some(let seconds): .seconds(seconds)
      }
  }

  func receive(headerLine line: Span<UInt8>) -> Bool {
    lastProgress = .now
    return progress.receive(headerLine: line)
  }

  func receive(body bytes: Span<UInt8>) -> ContentReceipt {
    lastProgress = .now
    beginIfReady()
    if progress.refusal != nil { return .stop }
    guard receiverWantsContent else {
      unwantedBytes += bytes.count
      return isConnectionIntact ? .accepted : .stop
    }
    let receipt = body.accept(bytes)
    if receipt == .stop { refuseBody() }
    return receipt
  }

  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart {
    guard let content else { return .end }
    let part = content.read(into: &space)
    switch part {
    case .bytes: lastProgress = .now
    case .failed: _ = progress.refuse(.content)
    case .later, .end: break
    }
    return part
  }

  var awaitedDescriptors: [(descriptor: Int32, isWriting: Bool)] {
    body.awaitedDescriptors + (content?.awaitedDescriptors ?? [])
  }

  func remainingPauseFlags() -> Int32? {
    // Waiting for this program's caller is not a server stall.
    if !awaitedDescriptors.isEmpty { lastProgress = .now }
    guard body.flush() else {
      refuseBody()
      return nil
    }
    let sends = content?.resume() ?? false
    guard body.resume() || sends else { return nil }
    return body.isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT
  }

  func noteProgress() {
    progress.noteProgress()
    beginIfReady()
  }

  var reasonToStop: HTTPFailure.Code? {
    if let refusal = progress.refusal { return refusal }
    if isCancelled { return .cancelled }
    guard let limit = receiverWantsContent ? idleTimeout : stallTimeout else { return nil }
    return lastProgress.duration(to: .now) >= limit ? .timeout : nil
  }

  /// Long without a time limit, so that an idle event stream costs nothing.
  var longestWait: Duration {
    guard receiverWantsContent, awaitedDescriptors.isEmpty, pendingResponses == nil else {
      return CurlHandle.longestWait
    }
    guard let idleTimeout else { return Self.quietWait }
    return min(max(idleTimeout - lastProgress.duration(to: .now), CurlHandle.longestWait), .seconds(30))
  }

  func continuesOnOtherThread() -> Bool {
    guard receiverWantsContent, isRequestSent, awaitedDescriptors.isEmpty, let pendingResponses else { return false }
    guard lastProgress.duration(to: .now) >= CurlHandle.longestWait else { return false }
    self.pendingResponses = nil
    continuesElsewhere = progress.handle.socket != nil && pendingResponses.reserve()
    return continuesElsewhere
  }

  private var isRequestSent: Bool {
    guard let content else { return true }
    return content.length.map { $0 <= progress.handle.time(CURLINFO_SIZE_UPLOAD_T) } ?? false
  }

  /// Passes a complete head to the receiver, once.
  private func beginIfReady() {
    guard head == nil, progress.headers.isFinished else { return }
    let status = progress.handle.number(CURLINFO_RESPONSE_CODE)
    // A lower status is interim (RFC 9110 section 15.2).
    guard status >= 200 else { return }
    let head = ResourceHead(status: status, headers: HTTPHeaders(progress.headers.fields))
    self.head = head
    guard screen.map({ $0.isFound(in: head.headers) }) != true else {
      _ = progress.refuse(.tokenReturned)
      return
    }
    receiverWantsContent = body.begin(head)
  }

  /// Ends the transfer: the receiver accepts no more, or the content contains the token.
  private func refuseBody() { _ = progress.refuse(body.hasFoundToken ? .tokenReturned : .cancelled) }

  func failure(after code: CURLcode?) -> HTTPFailure? {
    if progress.refusal == .tokenReturned { return progress.failure(.tokenReturned) }
    if !isConnectionIntact { return nil }
    // Only the receiver knows the format, so possibly truncated content is always a failure.
    let failure = progress.failure(
      after: code, isCutShort: !isHead && progress.handle.isCutShort(progress.headers), reason: reasonToStop)
    guard receiverWantsContent, failure?.code != .cancelled else { return failure }
    truncation = failure
    return nil
  }

  func noteCompletion() {
    usedKeptConnection = progress.handle.number(CURLINFO_NUM_CONNECTS) == 0
    usedHTTP2 = progress.handle.number(CURLINFO_HTTP_VERSION) >= Int(CURL_HTTP_VERSION_2_0)
    body.end()
  }

  /// Passes the rest of the content to the receiver, waiting if necessary.
  func finish() throws(HTTPFailure) -> ResourceResponse {
    try progress.handle.runInterruptibly(by: cancellation) { () throws(HTTPFailure) in
      while try !passRest() {
        guard progress.handle.wait(for: body.awaitedDescriptors, atMost: CurlHandle.longestWait) else {
          throw progress.failure(.setup)
        }
      }
    }
    return try response()
  }

  /// Passes more content to the receiver. Returns whether all was accepted.
  func passRest() throws(HTTPFailure) -> Bool {
    guard body.flush() else { throw progress.failure(.cancelled) }
    if body.awaitedDescriptors.isEmpty { return true }
    if isCancelled { throw progress.failure(.cancelled) }
    return false
  }

  /// Returns the response, or throws the error that truncated it.
  func response(_ pending: (any PendingContent)? = nil) throws(HTTPFailure) -> ResourceResponse {
    if let truncation { throw truncation }
    guard let head else { throw progress.failure(.receive) }
    return ResourceResponse(head: head, contentBytes: body.acceptedBytes, pending: pending)
  }

  var isCancelled: Bool { cancellation?.isCancelled ?? false }
}
