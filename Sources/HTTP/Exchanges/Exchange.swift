internal import CCurl
internal import Crypto
internal import OAuth

/// A request to an authorization server. Reserves memory for response and tokens before sending.
final class Exchange: RunningExchange {
  /// Reads after the time limit.
  private static let maximumLateReads = 64

  var progress: TransferProgress
  private var limits: ExchangeLimits
  private var lateReads = 0
  private var body: SecretBuffer
  private var status = 0
  /// The redirect target as an absolute URL, if any.
  private(set) var redirect: String?
  private(set) var usedKeptConnection = false

  init(_ progress: TransferProgress, limits: ExchangeLimits) throws(HTTPFailure) {
    self.progress = progress
    self.limits = limits
    do throws(CryptoError) {
      // All strings of a JSON text together are shorter than the text.
      let arena = try SecretArena(byteCount: max(1, 2 * limits.bodyBytes))
      body = try SecretBuffer(reserving: limits.bodyBytes, in: arena)
    } catch {
      throw HTTPFailure(.memory)
    }
  }

  func receive(headerLine line: Span<UInt8>) -> Bool { progress.receive(headerLine: line) }

  func receive(body bytes: Span<UInt8>) -> ContentReceipt {
    guard body.count + bytes.count <= limits.bodyBytes else {
      _ = progress.refuse(.tooLarge)
      return .stop
    }
    body.append(contentsOf: bytes)
    return .accepted
  }

  func noteProgress() { progress.noteProgress() }

  var time: TimeLimit { limits.time }

  /// The time limit applies only after available bytes were read.
  var reasonToStop: HTTPFailure.Code? {
    if progress.isResolving { return limits.reasonToCancel }
    let reason = limits.reasonToStop()
    guard reason == .timeout, !progress.handle.hasNoPendingInput, lateReads < Self.maximumLateReads else {
      return reason
    }
    lateReads += 1
    return nil
  }

  func noteResolved(after duration: Duration) { limits.time.exclude(duration) }

  var longestWait: Duration { lateReads > 0 ? .zero : CurlHandle.longestWait }
  var cancellation: Cancellation? { limits.cancellation }

  func failure(after code: CURLcode?) -> HTTPFailure? {
    // The parser detects partial content, but an empty response can be valid.
    var failure = progress.failure(
      after: code, isCutShort: body.count == 0 && progress.handle.isCutShort(progress.headers),
      reason: limits.reasonToStop())
    if code == nil, failure?.code == .timeout { failure?.waitedSeconds = limits.time.secondsWaited() }
    return failure
  }

  func noteCompletion() {
    status = progress.handle.number(CURLINFO_RESPONSE_CODE)
    usedKeptConnection = progress.handle.number(CURLINFO_NUM_CONNECTS) == 0
    redirect = progress.handle.text(CURLINFO_REDIRECT_URL)
  }

  /// Call once.
  func finish() throws(HTTPFailure) -> HTTPResponse {
    var taken = SecretBuffer(capacity: 0)
    swap(&taken, &body)
    do {
      return HTTPResponse(status: status, headers: HTTPHeaders(progress.headers.fields), body: try taken.finish())
    } catch {
      throw progress.failure(.memory)
    }
  }
}

/// The limits that end a request before its response.
struct ExchangeLimits: Sendable {
  /// The body's maximum size in bytes, without transfer coding.
  let bodyBytes: Int
  var time: TimeLimit
  let cancellation: Cancellation?

  init(of request: borrowing HTTPRequest, time: TimeLimit) {
    bodyBytes = max(0, min(request.responseLimit, SecretBytes.maximumAnswerCount))
    self.time = time
    cancellation = request.cancellation
  }

  /// `cancelled` after cancellation. Ignores the time limit, which excludes name resolution.
  var reasonToCancel: HTTPFailure.Code? { cancellation?.isCancelled == true ? .cancelled : nil }

  /// Why the request must end now; nil to continue.
  mutating func reasonToStop() -> HTTPFailure.Code? {
    if let reason = reasonToCancel { return reason }
    return time.checkHasPassed() ? .timeout : nil
  }
}
