package import Crypto

/// Sends HTTP requests. A protocol, for tests without a network. Calls block until the response is complete. They must
/// honor all of ``HTTPRequest`` and ``Transport``, return responses of any status, and throw only if there is no
/// response.
package protocol HTTPClient: Sendable {
  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse

  /// Sends a request to a resource. Streams content of any size both ways. `receiver` receives the response's head and,
  /// if it accepts the head, the content.
  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse
}

extension HTTPClient {
  /// Like ``send(_:)``, but converts the failure to an error for users.
  package func ask(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse {
    do { return try send(request) } catch { throw OAuthError(error, request) }
  }
}

/// A complete response, which may contain tokens.
package final class HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: SecretBytes
  /// Why the response is invalid. If set, trust only a new refresh token in the body. Always nil without
  /// ``HTTPRequest/spends``.
  package let defect: HTTPFailure?

  package init(status: Int, headers: HTTPHeaders, body: consuming SecretBytes, defect: HTTPFailure? = nil) {
    self.defect = defect
    self.status = status
    self.headers = headers
    self.body = body
  }
}
