internal import CCurl
internal import Crypto
internal import OAuth

/// One running request and the response so far. The library's callbacks write to it.
struct Exchange: ~Copyable {
  let limits: ExchangeLimits
  private let handle: CurlHandle
  private let maySendTwice: Bool
  private let usesProxy: Bool

  private var headers = HeaderCollector()
  private var body: SecretBuffer
  private var status = 0
  /// The redirect target of the response, as an absolute URL.
  private(set) var redirect: String?

  /// The reason why a callback ended the transfer.
  private var refusal: HTTPFailure.Code?
  /// Whether a byte of the request was sent.
  private var requestStarted = false
  /// Whether the first line of a response was received. The library reports nothing before it.
  private var responseStarted = false

  /// - Parameters:
  ///   - handle: The handle that runs the transfer.
  ///   - maySendTwice: Whether a sent request may be sent again over another connection if no response came.
  init(over handle: CurlHandle, limits: ExchangeLimits, maySendTwice: Bool, usesProxy: Bool) {
    self.handle = handle
    self.limits = limits
    self.maySendTwice = maySendTwice
    self.usesProxy = usesProxy
    body = SecretBuffer(capacity: 4096, limit: limits.bodyBytes)
  }
}

// The callbacks during the transfer. False ends it.
extension Exchange {
  /// Receives a line of the header.
  mutating func receive(headerLine line: Span<UInt8>) -> Bool {
    responseStarted = true
    refusal = headers.receive(line)
    return refusal == nil
  }

  /// Receives a part of the body.
  mutating func receive(body bytes: Span<UInt8>) -> Bool {
    let expected = body.count + bytes.count
    guard expected <= limits.bodyBytes else { return refuse(.tooLarge) }
    body.append(contentsOf: bytes)
    // The only other failure of the buffer is a full secure heap.
    return body.count == expected || refuse(.setup)
  }

  /// Decides whether the library may make a new connection.
  ///
  /// The library repeats a request if a kept connection breaks before the response. A server may have processed the
  /// first copy, so the caller decides about a retry with a refresh token (RFC 9110 section 9.2.2).
  mutating func mayConnect() -> Bool {
    maySendTwice || handle.sentBytes == 0 || refuse(.receive)
  }

  private mutating func refuse(_ code: HTTPFailure.Code) -> Bool {
    refusal = code
    return false
  }
}

extension Exchange {
  /// Updates whether a byte of the request was sent.
  mutating func update() {
    requestStarted = handle.sentBytes > 0
  }

  /// The failure of a transfer that ended with `code`, if any. A nil code means that this program ended it.
  func failure(after code: CURLcode?) -> HTTPFailure? {
    // The library accepts a header that is cut off after its first line.
    if code == CURLE_OK { return headers.isFinished && !isSilenced ? nil : failure(.receive) }
    if let refusal { return failure(refusal) }
    guard let code else { return failure(limits.reasonToStop ?? .setup) }
    return failure(meaning(of: code))
  }

  /// Whether the whole content may be missing. A partial content is detected by its parser, but an empty response can
  /// be valid too, for example to a revocation.
  private var isSilenced: Bool { body.count == 0 && handle.isCutShort(headers) }

  private func meaning(of code: CURLcode) -> HTTPFailure.Code {
    // The library reports a header line that exceeds its buffer as lack of memory.
    if code == CURLE_OUT_OF_MEMORY, requestStarted, !headers.isFinished { return .tooLarge }
    return HTTPFailure.Code(
      code, beforeRequest: !requestStarted, overProxy: usesProxy, certificate: handle.number(CURLINFO_SSL_VERIFYRESULT))
  }

  private func failure(_ code: HTTPFailure.Code) -> HTTPFailure {
    // A malformed or too large response was received, even if no callback got it.
    let responseStarted = responseStarted || code == .malformed || code == .tooLarge
    return HTTPFailure(code, responseStarted: responseStarted, requestMayHaveArrived: requestStarted || responseStarted)
  }

  /// Stores the status and the redirect target at the end of the response.
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
