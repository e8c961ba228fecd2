internal import CCurl
internal import Crypto
package import OAuth

extension CurlClient {
  /// A request that may have an effect gets a new connection: on one that the server has just closed it would fail, and
  /// could not be sent again (RFC 9110 section 9.2.2). So does a request with a DPoP proof, which is valid once (RFC
  /// 9449 section 11.1). No redirect is followed.
  package func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    if request.cancellation.isCancelled { throw HTTPFailure(.cancelled) }
    let route = try Route(to: request.endpoint, by: request.transport)
    let hasProof = authorization.contains { $0.name.utf8.elementsEqual("DPoP".utf8) }
    let isRepeatable = request.method.isSafe && content == nil && !hasProof
    let handle = if isRepeatable, let kept = pool.take(for: route) { kept } else { try CurlHandle() }
    let exchange = ResourceExchange(
      TransferProgress(
        over: handle, isRepeatable: isRepeatable, usesProxy: route.proxy != nil, keepsCookies: true),
      request, content: content, receiver: receiver)
    try handle.prepare(request.endpoint, over: route, userAgent: userAgent, transport: request.transport)
    try handle.send(request, authorization: authorization, content: content, exchange)
    let response = try exchange.finish()
    if exchange.isConnectionIntact { pool.give(handle, for: route) }
    return response
  }
}
