internal import CCurl
internal import Crypto
internal import OAuth

/// One request under way and what has come back so far. The library's callbacks write into it.
struct Exchange: ~Copyable {
  let limits: ExchangeLimits
  private let handle: CurlHandle
  private let maySendTwice: Bool
  private let usesProxy: Bool

  private var headers = HeaderCollector()
  private var body: SecretBuffer
  private var status = 0
  /// Where the response redirects to, as an absolute URL.
  private(set) var redirect: String?

  /// Why a callback ended the transfer.
  private var refusal: HTTPFailure.Code?
  /// A byte of the request was handed to the system.
  private var requestStarted = false
  /// The first line of a response came. The library does not tell of less; without it there is no status.
  private var responseStarted = false

  /// - Parameters:
  ///   - handle: What runs the transfer.
  ///   - maySendTwice: Whether a request that was sent may be sent again over another connection when no
  ///     answer came.
  init(over handle: CurlHandle, limits: ExchangeLimits, maySendTwice: Bool, usesProxy: Bool) {
    self.handle = handle
    self.limits = limits
    self.maySendTwice = maySendTwice
    self.usesProxy = usesProxy
    body = SecretBuffer(capacity: 4096, limit: limits.bodyBytes)
  }
}

// What the library calls while the transfer goes on. False ends it.
extension Exchange {
  /// Takes a line of the header.
  mutating func receive(headerLine line: Span<UInt8>) -> Bool {
    responseStarted = true
    refusal = headers.receive(line)
    return refusal == nil
  }

  /// Takes a part of the body.
  mutating func receive(body bytes: Span<UInt8>) -> Bool {
    let expected = body.count + bytes.count
    guard expected <= limits.bodyBytes else { return refuse(.tooLarge) }
    body.append(contentsOf: bytes)
    // The only other failure of the buffer is a full secure heap.
    return body.count == expected || refuse(.setup)
  }

  /// Decides whether the library may make a new connection.
  ///
  /// It sends a request again when a kept connection breaks before the answer. A server may have acted on
  /// the first copy, so whether to try again with a refresh token is the caller's choice (RFC 9110 section
  /// 9.2.2).
  mutating func mayConnect() -> Bool {
    maySendTwice || handle.sentBytes == 0 || refuse(.receive)
  }

  private mutating func refuse(_ code: HTTPFailure.Code) -> Bool {
    refusal = code
    return false
  }
}

extension Exchange {
  /// Notes whether the request is on its way.
  mutating func update() {
    requestStarted = handle.sentBytes > 0
  }

  /// What went wrong, if anything, in a transfer that ended with `code`. Nil is the end by our own decision.
  func failure(after code: CURLcode?) -> HTTPFailure? {
    // The library takes a header that was cut off after its first line for a whole one.
    if code == CURLE_OK { return headers.isFinished && !isSilenced ? nil : failure(.receive) }
    if let refusal { return failure(refusal) }
    guard let code else { return failure(limits.reasonToStop ?? .setup) }
    return failure(meaning(of: code))
  }

  /// Whether content that was to come may have been kept away. What has come shows by itself whether it is whole,
  /// but an answer without any content says something too, of a refresh token for one.
  private var isSilenced: Bool { body.count == 0 && handle.isCutShort(headers) }

  private func meaning(of code: CURLcode) -> HTTPFailure.Code {
    // The library's buffer for a header line is smaller than its memory.
    if code == CURLE_OUT_OF_MEMORY, requestStarted, !headers.isFinished { return .tooLarge }
    return HTTPFailure.Code(
      code, beforeRequest: !requestStarted, overProxy: usesProxy, certificate: handle.number(CURLINFO_SSL_VERIFYRESULT))
  }

  private func failure(_ code: HTTPFailure.Code) -> HTTPFailure {
    // What is malformed or too large has come, even if no callback has seen it.
    let responseStarted = responseStarted || code == .malformed || code == .tooLarge
    return HTTPFailure(code, responseStarted: responseStarted, requestMayHaveArrived: requestStarted || responseStarted)
  }

  /// Takes what the library knows about the response at its end.
  mutating func complete(status: Int, redirect: String?) {
    self.status = status
    self.redirect = redirect
  }

  /// The response.
  consuming func finish() throws(HTTPFailure) -> HTTPResponse {
    let failure = failure(.setup)
    let status = status
    let fields = HTTPHeaders(headers.fields)
    do {
      return HTTPResponse(status: status, headers: fields, body: try body.finish())
    } catch {
      throw failure
    }
  }
}

/// What ends a request before its answer does.
struct ExchangeLimits: Sendable {
  /// The most bytes of body, after the transfer encoding is undone.
  let bodyBytes: Int
  /// When to give up at the latest. Unlike the library's own limit it counts suspend.
  let deadline: ContinuousClock.Instant
  let cancellation: Cancellation?

  init(of request: borrowing HTTPRequest, deadline: ContinuousClock.Instant) {
    bodyBytes = max(0, min(request.responseLimit, SecretBytes.maximumCount))
    self.deadline = deadline
    cancellation = request.cancellation
  }

  /// Why to stop now, if there is a reason.
  var reasonToStop: HTTPFailure.Code? {
    if cancellation?.isCancelled == true { return .cancelled }
    return ContinuousClock.now >= deadline ? .timeout : nil
  }
}
