internal import CCurl
internal import OAuth
internal import Platform

/// A request in progress. Handles libcurl's callbacks. Used only by the transfer's thread.
protocol RunningExchange: AnyObject {
  var progress: TransferProgress { get set }
  /// Cancelling this ends the transfer immediately.
  var cancellation: Cancellation? { get }
  /// Returns false to end the transfer.
  func receive(headerLine line: Span<UInt8>) -> Bool
  /// Accepts a piece of the body entirely or not at all.
  func receive(body bytes: Span<UInt8>) -> ContentReceipt
  /// Reads content to send.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  /// Called when something may have been sent or received.
  func noteProgress()
  /// Why the transfer must end now; nil to continue.
  var reasonToStop: HTTPFailure.Code? { get }
  /// The maximum time until ``reasonToStop`` is checked again.
  var longestWait: Duration { get }
  /// The descriptors to wait for besides the network.
  var awaitedDescriptors: [(descriptor: Int32, isWriting: Bool)] { get }
  /// libcurl's flags for directions that stay paused. Nil if none can continue.
  func remainingPauseFlags() -> Int32?
  /// Whether the waiting thread must return because another thread continues the transfer.
  func continuesOnOtherThread() -> Bool
  /// An ended transfer's error, if any. `code` is libcurl's result; nil if this program ended the transfer.
  func failure(after code: CURLcode?) -> HTTPFailure?
  /// Called when the host was resolved. Time limits exclude this duration.
  func noteResolved(after duration: Duration)
  /// Called after a successful transfer.
  func noteCompletion()
}

extension RunningExchange {
  /// Short, since time while the system is suspended counts for limits, but not for waits.
  var longestWait: Duration { CurlHandle.longestWait }
  var awaitedDescriptors: [(descriptor: Int32, isWriting: Bool)] { [] }
  /// Provides no content. Only ``ResourceExchange`` does.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart { .end }
  func remainingPauseFlags() -> Int32? { nil }
  func continuesOnOtherThread() -> Bool { false }
  func noteResolved(after duration: Duration) {}
}

/// Whether a piece of a body was accepted, must be passed again after a pause, or ends the transfer.
enum ContentReceipt { case accepted, pause, stop }

/// A transfer's state, as seen by libcurl's callbacks.
struct TransferProgress {
  let handle: CurlHandle
  /// Whether to resend the request on another connection if unanswered.
  let isRepeatable: Bool
  let usesProxy: Bool
  var headers: HeaderCollector
  /// Why a callback ended the transfer.
  private(set) var refusal: HTTPFailure.Code?
  private var requestStarted = false
  /// Whether the response's first complete line has arrived.
  private var responseStarted = false
  private var usesKeptConnection: Bool
  /// Whether the kept connection loses packets.
  private(set) var isUnreachable = false
  private let startTime = Instant.now
  private let connectTimeoutSeconds: Int
  /// Whether only name servers have been contacted so far.
  private(set) var isResolving: Bool

  /// How long a kept connection may acknowledge nothing before a repeatable request is resent.
  static let silenceBeforeRepeat = Duration.seconds(2)
  /// How long a kept connection may acknowledge nothing before an unrepeatable request fails.
  static let silenceBeforeFailure = Duration.seconds(15)
  /// If resolving fails only after this time, no name server responded. Unknown names fail sooner.
  static let nameServerSilence = Duration.milliseconds(4500)

  init(
    over handle: CurlHandle, isRepeatable: Bool, usesProxy: Bool, keepsCookies: Bool = false,
    connectTimeoutSeconds: Int = Transport().connectTimeoutSeconds
  ) {
    self.handle = handle
    (usesKeptConnection, isResolving) = (handle.isConnected, !handle.isConnected)
    self.connectTimeoutSeconds = connectTimeoutSeconds
    self.isRepeatable = isRepeatable
    self.usesProxy = usesProxy
    headers = HeaderCollector(keepsCookies: keepsCookies)
  }

  mutating func receive(headerLine line: Span<UInt8>) -> Bool {
    responseStarted = true
    guard let code = headers.receive(line) else { return true }
    return refuse(code)
  }

  /// Whether libcurl may open a connection. It does so to repeat a request after a reused one breaks, but a server may
  /// have processed the first copy (RFC 9110 section 9.2.2).
  mutating func allowConnection() -> Bool {
    isRepeatable || handle.sentBytes == 0 || refuse(.receive)
  }

  /// Starts the connect time limit. Returns the duration of resolving at the request's first connection, otherwise nil.
  mutating func beginConnecting() -> Duration? {
    usesKeptConnection = false
    let passed = startTime.duration(to: .now)
    // If libcurl rejects this limit, it keeps the present one.
    try? handle.set(CURLOPT_CONNECTTIMEOUT_MS, (passed + .seconds(connectTimeoutSeconds)).wholeMilliseconds)
    guard isResolving else { return nil }
    isResolving = false
    return passed
  }

  /// Detects a kept connection that loses packets.
  mutating func checkKeptConnection() {
    guard usesKeptConnection, !responseStarted else { return }
    isUnreachable = handle.isUnacknowledged(for: isRepeatable ? Self.silenceBeforeRepeat : Self.silenceBeforeFailure)
  }

  /// Whether to resend on a new connection.
  var mayRepeat: Bool { isUnreachable && isRepeatable && !responseStarted }

  /// Records the error that ends the transfer. Returns false, for callbacks.
  mutating func refuse(_ code: HTTPFailure.Code) -> Bool {
    refusal = code
    return false
  }

  mutating func noteProgress() { requestStarted = handle.sentBytes > 0 }

  /// Records that this program, not libcurl, sent or received bytes.
  mutating func note(sent: Bool = false, received: Bool = false) {
    requestStarted = requestStarted || sent
    responseStarted = responseStarted || received
  }

  /// The error of an ended transfer, if any. `code`: nil if this program ended it because of `reason`. `isCutShort`:
  /// whether content may be missing although libcurl reports success.
  func failure(
    after code: CURLcode?, isCutShort: @autoclosure () -> Bool, reason: @autoclosure () -> HTTPFailure.Code?
  ) -> HTTPFailure? {
    // libcurl accepts a header truncated after its first line.
    if code == CURLE_OK { return headers.isFinished && !isCutShort() ? nil : failure(.receive) }
    if let refusal { return failure(refusal) }
    if isUnreachable { return failure(.receive) }
    if let (code, problem) = handle.presentedCertificate.failure { return failure(code, problem) }
    guard let code else { return failure(reason() ?? .setup) }
    if isResolving, isNameServerTimeout(code) {
      var failure = failure(usesProxy ? .proxy : .resolve, .nameServerSilent)
      failure.nameServers = NameServers.list
      return failure
    }
    // libcurl reports too long a header line as lack of memory.
    if code == CURLE_OUT_OF_MEMORY, requestStarted, !headers.isFinished { return failure(.tooLarge) }
    let failed = HTTPFailure.Code(
      code, beforeRequest: !requestStarted, overProxy: usesProxy, certificate: handle.number(CURLINFO_SSL_VERIFYRESULT))
    var failure = failure(failed, ConnectionProblem(failed, code, of: handle))
    if failed == .timeout { failure.waitedSeconds = Int((handle.time(CURLINFO_TOTAL_TIME_T) + 500_000) / 1_000_000) }
    return failure
  }

  /// Whether a resolving failure means that no name server responded.
  private func isNameServerTimeout(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: true
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: startTime.duration(to: .now) >= Self.nameServerSilence
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
