package import OAuth

extension CurlClient {
  /// Sends a request to a resource. Follows no redirects.
  ///
  /// A request with an unsafe method (RFC 9110 section 9.2.1), content or a single-use DPoP proof (RFC 9449 section
  /// 11.1) is repeated only if no byte of it was sent. It uses a kept connection only if the server is unlikely to be
  /// closing it.
  package func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    if request.cancellation.isCancelled { throw HTTPFailure(.cancelled) }
    let route = try Route(to: request.endpoint, by: request.transport)
    let hasProof = authorization.contains { $0.name == "DPoP" }
    let isRepeatable = request.method.isSafe && content == nil && !hasProof
    var kept = pool.takeHandle(for: route, isUnrepeatable: !isRepeatable)
    while true {
      let handle = if let kept { kept } else { try CurlHandle() }
      let exchange = try ResourceExchange(
        TransferProgress(
          over: handle, isRepeatable: isRepeatable, usesProxy: route.proxy != nil, keepsCookies: true,
          connectTimeoutSeconds: request.transport.connectTimeoutSeconds),
        request, content: content, receiver: receiver, pendingResponses: pendingResponses)
      try handle.prepare(request.endpoint, over: route, userAgent: userAgent, transport: request.transport)
      do { try handle.send(request, authorization: authorization, content: content, exchange) } catch {
        guard exchange.progress.mayRepeat else { throw error }
        kept = nil
        continue
      }
      return try response(to: request, hasContent: content != nil, over: handle, route, exchange)
    }
  }

  /// Keeps the connection once the content was received.
  private func response(
    to request: ResourceRequest, hasContent: Bool, over handle: CurlHandle, _ route: Route, _ exchange: ResourceExchange
  ) throws(HTTPFailure) -> ResourceResponse {
    let end = { [pool] in
      let mayKeep = exchange.usedHTTP2 || request.mayKeepConnection(hasContent: hasContent)
      if mayKeep, exchange.isConnectionIntact {
        pool.add(handle, for: route, wasReused: exchange.usedKeptConnection)
      }
    }
    if exchange.continuesElsewhere {
      return try exchange.response(PendingResponse(handle, exchange, pendingResponses, then: end))
    }
    let response = try exchange.finish()
    end()
    return response
  }
}
