internal import Encoding
package import OAuth

/// Sends requests with libcurl. Thread-safe. The process must ignore `SIGPIPE`, since OpenSSL writes to closed
/// connections.
///
/// Verifies certificate chain and host name, and requires TLS 1.2 (RFC 9325 section 3.1.1). Uses no cookies, `.netrc`,
/// environment proxy or compression, and sends a POST at most once. Reuses connections for requests of equal origin and
/// trust.
package final class CurlClient: HTTPClient {
  static let maximumRedirects = 3

  let userAgent: String
  let pool = HandlePool()
  let pendingResponses = PendingResponses()

  package init(userAgent: String) {
    self.userAgent = userAgent
  }

  package func closeIdle(after duration: Duration = HandlePool.idleTime) {
    pool.close(idleFor: duration)
  }

  /// The number of idle connections.
  package var idleCount: Int { pool.count }

  package func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    if request.cancellation?.isCancelled == true { throw HTTPFailure(.cancelled) }
    let route = try Route(to: request.endpoint, by: request.transport)
    var time = TimeLimit(.seconds(max(0, request.transport.totalTimeoutSeconds)))
    if request.spends { return try sendSpending(request, over: route, within: time) }
    var endpoint = request.endpoint
    for _ in 0...Self.maximumRedirects {
      let answer = try sendOnce(request, to: endpoint, over: route, within: &time)
      guard request.followsRedirects, request.method == .get, let target = answer.redirect else {
        return answer.response
      }
      guard answer.response.headers.location != nil, let next = Self.sameOrigin(target, as: endpoint) else {
        throw Self.refusedRedirect(to: target, from: endpoint)
      }
      endpoint = next
      if time.checkHasPassed() {
        var failure = HTTPFailure(.timeout, responseStarted: true, requestMayHaveArrived: true)
        failure.waitedSeconds = time.secondsWaited()
        throw failure
      }
    }
    throw Self.refusedRedirect(to: endpoint.uri.text, from: endpoint)
  }

  private static func refusedRedirect(to target: String, from endpoint: Endpoint) -> HTTPFailure {
    var failure = HTTPFailure(.redirect, responseStarted: true, requestMayHaveArrived: true)
    let origin = (try? URI(target))?.origin
    failure.redirectOrigin = origin == endpoint.uri.origin ? nil : origin
    return failure
  }

  /// Nil unless the target has the endpoint's origin.
  private static func sameOrigin(_ target: String, as endpoint: Endpoint) -> Endpoint? {
    guard let next = try? Endpoint(target, allowHTTPLoopback: endpoint.uri.isHTTPLoopback) else { return nil }
    return next.uri.origin == endpoint.uri.origin ? next : nil
  }

  /// Returns a redirect's target instead of following it.
  private func sendOnce(
    _ request: borrowing HTTPRequest, to endpoint: Endpoint, over route: Route, within time: inout TimeLimit
  ) throws(HTTPFailure) -> (response: HTTPResponse, redirect: String?) {
    let isRepeatable = request.method == .get && request.proof == nil
    var kept = pool.takeHandle(for: route, isUnrepeatable: !isRepeatable)
    while true {
      // After a failed request, the handle is not returned to the pool.
      let handle = if let kept { kept } else { try CurlHandle() }
      let exchange = try Exchange(
        TransferProgress(
          over: handle, isRepeatable: isRepeatable, usesProxy: route.proxy != nil,
          connectTimeoutSeconds: request.transport.connectTimeoutSeconds),
        limits: ExchangeLimits(of: request, time: time))
      try handle.prepare(endpoint, over: route, userAgent: userAgent, transport: request.transport)
      do { try handle.send(request, exchange) } catch {
        // Happens once: on a new connection, mayRepeat is false.
        guard exchange.progress.mayRepeat else { throw error }
        kept = nil
        continue
      }
      time = exchange.time
      pool.add(handle, for: route, wasReused: exchange.usedKeptConnection)
      return (try exchange.finish(), exchange.redirect)
    }
  }

  private func sendSpending(
    _ request: borrowing HTTPRequest, over route: Route, within time: TimeLimit
  ) throws(HTTPFailure) -> HTTPResponse {
    let message = try RequestMessage.bytes(of: request, userAgent: userAgent)
    let handle = try CurlHandle()
    let exchange = try SpendingExchange(
      TransferProgress(
        over: handle, isRepeatable: false, usesProxy: route.proxy != nil,
        connectTimeoutSeconds: request.transport.connectTimeoutSeconds),
      limits: ExchangeLimits(of: request, time: time),
      responseTimeout: .seconds(max(0, request.transport.spendingTimeoutSeconds)))
    try handle.prepare(request.endpoint, over: route, userAgent: userAgent, transport: request.transport)
    return try exchange.run(message)
  }
}
