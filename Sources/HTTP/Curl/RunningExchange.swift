internal import CCurl
internal import OAuth
internal import Vocabulary

/// A request that a handle runs: the handler of the library's callbacks, and the settings of the transfer.
///
/// Used only by the thread that runs the transfer.
protocol RunningExchange: AnyObject {
  var progress: TransferProgress { get set }
  /// Ends the transfer immediately, if set.
  var cancellation: Cancellation? { get }
  /// Receives a line of the header. Returns false to end the transfer.
  func receive(headerLine line: Span<UInt8>) -> Bool
  /// Receives a piece of the body, all of it or nothing.
  func receive(body bytes: Span<UInt8>) -> ContentReceipt
  /// Reads content to send into the library's buffer.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  /// Called when something may have been sent or received.
  func update()
  /// The reason to stop now, if any.
  var reasonToStop: HTTPFailure.Code? { get }
  /// How long to wait before checking ``reasonToStop`` again.
  var longestWait: Duration { get }
  /// The descriptors to wait for in addition to the network, and whether for writing.
  var waits: [(descriptor: Int32, isWriting: Bool)] { get }
  /// Nil if no direction can continue; otherwise the library's flags for those that stay paused.
  func nextPause() -> Int32?
  /// Whether the waiting thread must return, because another one continues the transfer.
  func leavesThread() -> Bool
  /// The failure of a transfer, if any. A nil `code` means that this program ended it.
  func failure(after code: CURLcode?) -> HTTPFailure?
  /// Called when the name of the server or proxy was resolved. Time limits exclude `duration`.
  func noteResolved(after duration: Duration)
  /// Called when the response is complete.
  func complete()
}

extension RunningExchange {
  /// Short, since waits do not include suspend but limits do.
  var longestWait: Duration { CurlHandle.longestWait }
  func leavesThread() -> Bool { false }
  func noteResolved(after duration: Duration) {}
}

/// What became of a piece of a body.
enum ContentReceipt { case taken, pause, stop }

/// The progress of a transfer, and why it ended.
struct TransferProgress {
  let handle: CurlHandle
  /// Whether the request may be sent again on another connection if there was no response.
  let isRepeatable: Bool
  let usesProxy: Bool
  var headers: HeaderCollector
  /// The reason why a callback ended the transfer.
  private(set) var refusal: HTTPFailure.Code?
  /// Whether a byte of the request was sent.
  private var requestStarted = false
  /// Whether the first line of a response was received. The library reports nothing before it.
  private var responseStarted = false
  /// Whether the request uses a kept connection.
  private var isKept: Bool
  /// Whether the kept connection no longer reaches the server, though nothing has closed it.
  private(set) var isUnreachable = false
  private let begun = ContinuousClock.now
  private let connectSeconds: Int
  /// Whether connecting has not started yet, so that only the name servers were contacted.
  private(set) var isResolving: Bool

  /// After this time without an acknowledgement, a repeatable request considers a kept connection dead. Others wait
  /// longer, in case the network comes back.
  static let silence = Duration.seconds(2)
  static let finalSilence = Duration.seconds(15)
  /// A failure to resolve after this time means that no name server answered: unknown names are reported sooner.
  static let nameServerSilence = Duration.milliseconds(4500)

  init(
    over handle: CurlHandle, isRepeatable: Bool, usesProxy: Bool, keepsCookies: Bool = false,
    connectSeconds: Int = Transport().connectTimeoutSeconds
  ) {
    self.handle = handle
    (isKept, isResolving) = (handle.isConnected, !handle.isConnected)
    self.connectSeconds = connectSeconds
    self.isRepeatable = isRepeatable
    self.usesProxy = usesProxy
    headers = HeaderCollector(keepsCookies: keepsCookies)
  }

  mutating func receive(headerLine line: Span<UInt8>) -> Bool {
    responseStarted = true
    guard let code = headers.receive(line) else { return true }
    return refuse(code)
  }

  /// Decides whether the library may open a new connection.
  ///
  /// The library repeats a request if a reused connection breaks before the response. A server may have processed the
  /// first copy, so the caller decides whether to retry with a refresh token (RFC 9110 section 9.2.2).
  mutating func mayConnect() -> Bool {
    isRepeatable || handle.sentBytes == 0 || refuse(.receive)
  }

  /// Sets the limit for connecting, now that the name is resolved. Resolving has another limit.
  ///
  /// - Returns: The duration of resolving, at the first connection of the request.
  mutating func beginConnecting() -> Duration? {
    isKept = false
    let passed = begun.duration(to: .now)
    // The library keeps its present limit if it rejects this one.
    try? handle.set(CURLOPT_CONNECTTIMEOUT_MS, (passed + .seconds(connectSeconds)).wholeMilliseconds)
    guard isResolving else { return nil }
    isResolving = false
    return passed
  }

  /// Detects a kept connection whose packets are dropped, such as after a change of the network. A request there would
  /// wait for its time limit, although a new connection would work.
  mutating func checkKeptConnection() {
    guard isKept, !responseStarted else { return }
    isUnreachable = handle.isUnacknowledged(for: isRepeatable ? Self.silence : Self.finalSilence)
  }

  /// Whether the request can be sent again over a new connection.
  var mayRepeat: Bool { isUnreachable && isRepeatable && !responseStarted }

  /// - Returns: False, which ends the transfer.
  mutating func refuse(_ code: HTTPFailure.Code) -> Bool {
    refusal = code
    return false
  }

  mutating func update() { requestStarted = handle.sentBytes > 0 }

  /// Records bytes that were sent or received outside the library's own request.
  mutating func note(sent: Bool = false, received: Bool = false) {
    requestStarted = requestStarted || sent
    responseStarted = responseStarted || received
  }

  /// The failure of a transfer that ended with `code`, if any.
  ///
  /// - Parameters:
  ///   - code: Nil if this program ended it.
  ///   - isCutShort: Whether content is missing although the library noticed nothing.
  ///   - reason: Why this program ended it.
  func failure(
    after code: CURLcode?, isCutShort: @autoclosure () -> Bool, reason: @autoclosure () -> HTTPFailure.Code?
  ) -> HTTPFailure? {
    // The library accepts a header that is truncated after its first line.
    if code == CURLE_OK { return headers.isFinished && !isCutShort() ? nil : failure(.receive) }
    if let refusal { return failure(refusal) }
    if isUnreachable { return failure(.receive) }
    if let (code, problem) = handle.shown.failure { return failure(code, problem) }
    guard let code else { return failure(reason() ?? .setup) }
    if isResolving, isSilence(code) {
      var failure = failure(usesProxy ? .proxy : .resolve, .nameServerSilent)
      failure.nameServers = NameServers.list
      return failure
    }
    // The library reports a header line that exceeds its buffer as lack of memory.
    if code == CURLE_OUT_OF_MEMORY, requestStarted, !headers.isFinished { return failure(.tooLarge) }
    let failed = HTTPFailure.Code(
      code, beforeRequest: !requestStarted, overProxy: usesProxy, certificate: handle.number(CURLINFO_SSL_VERIFYRESULT))
    var failure = failure(failed, ConnectionProblem(failed, code, of: handle))
    if failed == .timeout { failure.waitedSeconds = Int((handle.time(CURLINFO_TOTAL_TIME_T) + 500_000) / 1_000_000) }
    return failure
  }

  /// Whether a failure to resolve means that no name server answered.
  private func isSilence(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: true
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: begun.duration(to: .now) >= Self.nameServerSilence
    default: false
    }
  }

  func failure(_ code: HTTPFailure.Code, _ problem: ConnectionProblem? = nil) -> HTTPFailure {
    // A malformed or oversized response was received, even if no callback got it.
    let responseStarted = responseStarted || code == .malformed || code == .tooLarge
    return HTTPFailure(
      code, problem, responseStarted: responseStarted, requestMayHaveArrived: requestStarted || responseStarted)
  }
}
