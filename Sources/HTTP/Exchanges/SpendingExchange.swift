internal import CCurl
internal import Crypto
internal import OAuth
internal import Platform

/// Spends a single-use value over a new connection, which libcurl only establishes. Parses the response itself: libcurl
/// would drop a message with invalid head or framing, and with it the only copy of a token. Reserves memory first.
final class SpendingExchange: RunningExchange {
  /// The maximum response size in bytes, including the head.
  private static let maximumBytes = 4 << 20
  /// The wait for the message's end after a complete JSON object.
  private static let waitAfterObject = Duration.seconds(5)
  /// The wait for more content after an apparently incomplete message.
  private static let waitAfterEarlyEnd = Duration.seconds(1)

  var progress: TransferProgress
  private var limits: ExchangeLimits
  private let responseTimeout: Duration
  private let arena: SecretArena
  private var reader: ResponseReader
  private var input: SecretBytes

  /// - Parameter responseTimeout: From the request's first byte.
  init(_ progress: TransferProgress, limits: ExchangeLimits, responseTimeout: Duration) throws(HTTPFailure) {
    self.progress = progress
    self.limits = limits
    self.responseTimeout = responseTimeout
    do throws(CryptoError) {
      // Space for the body, the decoded body, and all strings of its JSON.
      arena = try SecretArena(byteCount: max(1, 3 * limits.bodyBytes))
      reader = ResponseReader(into: try SecretBuffer(reserving: limits.bodyBytes, in: arena), limit: limits.bodyBytes)
      input = try SecretBytes(zeroed: 16_384)
    } catch {
      throw HTTPFailure(.memory)
    }
  }

  var reasonToStop: HTTPFailure.Code? { progress.isResolving ? limits.reasonToCancel : limits.reasonToStop() }
  func noteResolved(after duration: Duration) { limits.time.exclude(duration) }
  var cancellation: Cancellation? { limits.cancellation }
  func noteProgress() {}
  func noteCompletion() {}
  // libcurl itself sends and receives nothing.
  func receive(headerLine line: Span<UInt8>) -> Bool { true }
  func receive(body bytes: Span<UInt8>) -> ContentReceipt { .accepted }

  func failure(after code: CURLcode?) -> HTTPFailure? {
    var failure = progress.failure(after: code, isCutShort: false, reason: limits.reasonToStop())
    if code == nil, failure?.code == .timeout { failure?.waitedSeconds = limits.time.secondsWaited() }
    return failure
  }

  /// Connects, sends the request, and waits for the response.
  func run(_ message: borrowing SecretBytes) throws(HTTPFailure) -> HTTPResponse {
    let handle = progress.handle
    try handle.connect(self)
    defer { handle.abandonTransfer() }
    // A byte may be sent from now on.
    if limits.cancellation?.beginSpending() == false { throw progress.failure(.cancelled) }
    progress.note(sent: true)
    limits.time = TimeLimit(responseTimeout)
    let problem = handle.runInterruptibly(by: limits.cancellation) { send(message) ?? receive() }
    progress.note(received: reader.hasBegun)
    if problem == nil { handle.discardsUnsentBytes = false }
    return try response(problem)
  }

  /// If sending fails, reads a response nevertheless. Returns an error unless everything was sent.
  private func send(_ message: borrowing SecretBytes) -> HTTPFailure? {
    message.withBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let (code, count) = progress.handle.send(bytes.extracting(sent...))
        sent += count
        switch code {
        case CURLE_OK: break
        case CURLE_AGAIN: if let failure = wait(isWriting: true, atMost: CurlHandle.longestWait) { return failure }
        default: return receive() ?? failure(after: code)
        }
      }
      return nil
    }
  }

  /// Limits apply only once no bytes are available. Returns an error if the response is incomplete.
  private func receive() -> HTTPFailure? {
    var total = 0
    var quiet = Instant.now
    while !reader.isComplete {
      let (code, count) = input.withMutableBytes { progress.handle.receive(into: &$0) }
      switch code {
      case CURLE_OK where count > 0:
        input.withBytes { reader.read($0.extracting(..<count)) }
        (total, quiet) = (total + count, .now)
        if total > Self.maximumBytes { return progress.failure(.tooLarge) }
      case CURLE_OK:
        reader.end(isAnnounced: !progress.handle.isCloseNotifyMissing)
        return reader.hasBegun ? nil : progress.failure(.receive)
      case CURLE_AGAIN:
        let silence = quiet.duration(to: .now)
        if reader.hasFramedEnd, silence >= Self.waitAfterEarlyEnd { return nil }
        if reader.hasCompleteObject, silence >= Self.waitAfterObject { return progress.failure(.receive) }
        if let failure = wait(isWriting: false, atMost: .milliseconds(reader.hasFramedEnd ? 200 : 1000)) {
          return failure
        }
      default: return reader.hasFramedEnd ? nil : failure(after: code)
      }
    }
    return nil
  }

  /// Returns an error if the exchange must end.
  private func wait(isWriting: Bool, atMost longest: Duration) -> HTTPFailure? {
    if let reason = limits.reasonToStop() {
      var failure = progress.failure(reason)
      if reason == .timeout { failure.waitedSeconds = limits.time.secondsWaited() }
      return failure
    }
    guard let socket = progress.handle.socket,
      progress.handle.wait(for: [(socket, isWriting)], atMost: longest)
    else { return progress.failure(.setup) }
    return nil
  }

  private func response(_ problem: HTTPFailure?) throws(HTTPFailure) -> HTTPResponse {
    var failure = problem ?? reader.problem.map { progress.failure($0) }
    if reader.status == nil { failure = failure ?? progress.failure(reader.hasBegun ? .malformed : .receive) }
    // The failure may predate the first received byte.
    failure?.responseStarted = reader.hasBegun
    let body = decoded(reader.takeBody())
    if let failure, body.count == 0 { throw failure }
    do throws(CryptoError) {
      return HTTPResponse(
        status: reader.status ?? 200, headers: HTTPHeaders(reader.headers.fields), body: try body.finish(),
        defect: failure)
    } catch {
      throw progress.failure(.memory)
    }
  }

  /// Keeps a body that cannot be decoded.
  private func decoded(_ body: consuming SecretBuffer) -> SecretBuffer {
    guard let plain = body.withBytes({ Inflate.decode($0, limit: limits.bodyBytes, in: arena) }) else { return body }
    return plain
  }
}
