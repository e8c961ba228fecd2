package import Crypto

/// Sends HTTP requests. OAuth defines this protocol so that every flow can be tested without a network.
///
/// Calls block until the response is complete, so use a worker thread. Implementations must honor all of
/// ``HTTPRequest`` and ``Transport``, return a response for every status, and throw only without a response.
package protocol HTTPClient: Sendable {
  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse

  /// Sends a request to a resource. Content is streamed in both directions and may be of any size.
  ///
  /// - Parameters:
  ///   - authorization: Header fields with secret values.
  ///   - content: The content to send, if any.
  ///   - receiver: Receives the head of the response and, if it wants, the content.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse
}

/// A complete response. The body may contain tokens, so it is in secret memory.
package final class HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: SecretBytes
  /// A defect of the message: trust only a new refresh token in the body. Always nil without ``HTTPRequest/spends``.
  package let defect: HTTPFailure?

  package init(status: Int, headers: HTTPHeaders, body: consuming SecretBytes, defect: HTTPFailure? = nil) {
    self.defect = defect
    self.status = status
    self.headers = headers
    self.body = body
  }
}
