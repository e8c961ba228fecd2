internal import Crypto
internal import OAuth

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
