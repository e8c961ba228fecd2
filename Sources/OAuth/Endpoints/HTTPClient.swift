package import Crypto

/// Sends HTTP requests. Blocks until the response is complete. Must honor all of ``HTTPRequest`` and ``Transport``, and
/// throw only without a response.
package protocol HTTPClient: Sendable {
  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse

  /// Sends a resource request. Streams content both ways, to `receiver` only if it accepts the head.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse
}

extension HTTPClient {
  /// Like ``send(_:)``, but throws an error for users.
  package func ask(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse {
    do { return try send(request) } catch { throw OAuthError(error, request) }
  }
}

/// A complete response. May contain tokens.
package final class HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: SecretBytes
  /// Why only a new refresh token in the body is usable. Nil without ``HTTPRequest/spends``.
  package let defect: HTTPFailure?

  package init(status: Int, headers: HTTPHeaders, body: consuming SecretBytes, defect: HTTPFailure? = nil) {
    self.defect = defect
    self.status = status
    self.headers = headers
    self.body = body
  }
}
