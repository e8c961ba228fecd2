package import Crypto

/// A whole response. The body may hold tokens, so it stays in secret memory.
package final class HTTPResponse: Sendable {
  package let status: Int
  package let headers: HTTPHeaders
  package let body: SecretBytes

  package init(status: Int, headers: HTTPHeaders, body: consuming SecretBytes) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
