internal import CCurl
internal import Crypto
internal import OAuth

/// A request to an authorization server, whose response is kept in secret memory.
final class Exchange: RunningExchange {
  var progress: TransferProgress
  private let limits: ExchangeLimits
  private var body: SecretBuffer
  private var status = 0
  /// The redirect target of the response, as an absolute URL.
  private(set) var redirect: String?

  init(_ progress: TransferProgress, limits: ExchangeLimits) {
    self.progress = progress
    self.limits = limits
    body = SecretBuffer(capacity: 4096, limit: limits.bodyBytes)
  }

  func receive(headerLine line: Span<UInt8>) -> Bool { progress.receive(headerLine: line) }

  func receive(body bytes: Span<UInt8>) -> ContentReceipt {
    let expected = body.count + bytes.count
    guard expected <= limits.bodyBytes else { return refuse(.tooLarge) }
    body.append(contentsOf: bytes)
    // The only other failure of the buffer is a full secure heap.
    return body.count == expected ? .taken : refuse(.setup)
  }

  private func refuse(_ code: HTTPFailure.Code) -> ContentReceipt {
    _ = progress.refuse(code)
    return .stop
  }

  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart { .end }

  func update() { progress.update() }

  var reasonToStop: HTTPFailure.Code? { limits.reasonToStop }
  var cancellation: Cancellation? { limits.cancellation }
  var waits: [(descriptor: Int32, isWriting: Bool)] { [] }
  func nextPause() -> Int32? { nil }

  func failure(after code: CURLcode?) -> HTTPFailure? {
    // A partial content is detected by its parser, but an empty response can be valid too, for example to a revocation.
    progress.failure(
      after: code, isCutShort: body.count == 0 && progress.handle.isCutShort(progress.headers),
      reason: limits.reasonToStop)
  }

  func complete() {
    status = progress.handle.number(CURLINFO_RESPONSE_CODE)
    redirect = progress.handle.text(CURLINFO_REDIRECT_URL)
  }

  /// Returns the response, once.
  func finish() throws(HTTPFailure) -> HTTPResponse {
    var taken = SecretBuffer(capacity: 0)
    swap(&taken, &body)
    do {
      return HTTPResponse(status: status, headers: HTTPHeaders(progress.headers.fields), body: try taken.finish())
    } catch {
      throw progress.failure(.setup)
    }
  }
}

/// The limits that end a request before its response.
struct ExchangeLimits: Sendable {
  /// The largest body in bytes, after the transfer coding is removed.
  let bodyBytes: Int
  /// The end of the last attempt. Unlike the library's own limit it counts suspend.
  let deadline: ContinuousClock.Instant
  let cancellation: Cancellation?

  init(of request: borrowing HTTPRequest, deadline: ContinuousClock.Instant) {
    bodyBytes = max(0, min(request.responseLimit, SecretBytes.maximumCount))
    self.deadline = deadline
    cancellation = request.cancellation
  }

  /// The reason to stop now, if there is one.
  var reasonToStop: HTTPFailure.Code? {
    if cancellation?.isCancelled == true { return .cancelled }
    return ContinuousClock.now >= deadline ? .timeout : nil
  }
}
