package import Crypto

/// Sends HTTP requests. OAuth owns this protocol so that every flow can be tested without a network.
///
/// The call blocks until the whole response is there, so it belongs on a worker thread. An implementation
/// keeps every promise of ``HTTPRequest`` and ``Transport``, and answers each status as a response: only a
/// failure to get a response at all is thrown.
package protocol HTTPClient: Sendable {
  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse

  /// Makes a request to a resource, whose content in both directions is of any size.
  ///
  /// - Parameters:
  ///   - authorization: Fields whose values are secret.
  ///   - content: The content to send; nil for none.
  ///   - receiver: Gets the head of the answer and, if it wants it, the content.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse
}

/// A whole response. The body may hold tokens, so it stays in secret memory.
package final class HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: SecretBytes
  /// Why the message is not to be trusted beyond a new refresh token in its body; only after ``HTTPRequest/spends``.
  package let defect: HTTPFailure?

  package init(status: Int, headers: HTTPHeaders, body: consuming SecretBytes, defect: HTTPFailure? = nil) {
    self.defect = defect
    self.status = status
    self.headers = headers
    self.body = body
  }
}
