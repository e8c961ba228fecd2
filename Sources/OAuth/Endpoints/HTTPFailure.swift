/// Why a request has no usable response.
package struct HTTPFailure: Error, Hashable, Sendable {
  package enum Code: Sendable, CaseIterable {
    /// The host name could not be resolved.
    case resolve
    case connect
    /// A TLS handshake or record failed.
    case tls
    /// The device with the client certificate's key is unavailable.
    case clientKeyUnavailable
    /// The client certificate's key belongs to another device.
    case clientKeyForeign
    /// No trusted authority issued the server's certificate.
    case certificate
    /// The server's certificate has expired or is not valid yet.
    case certificateTime
    /// The server's certificate is not for this host.
    case certificateHost
    /// The server's public key matches none of the account's pins.
    case pin
    case timeout
    /// The body or the headers exceed the limit.
    case tooLarge
    case malformed
    /// A redirect to another origin, or too many redirects.
    case redirect
    case cancelled
    /// The connection broke while sending the request.
    case send
    /// The content to send could not be read.
    case content
    /// The connection broke while receiving the response.
    case receive
    case memory
    /// The HTTP library rejected an option of the request.
    case setup
    /// The proxy was unreachable or refused the request.
    case proxy
    /// The response repeats the access token to a receiver that may not see it.
    case tokenReturned
  }

  package var code: Code
  /// Whether part of the response was received.
  package var responseStarted: Bool
  /// Whether part of the request was sent, so that the server may have acted on it.
  package var requestMayHaveArrived: Bool

  /// The cause, if more specific than ``code``.
  package var problem: ConnectionProblem?

  /// The name servers that did not respond, separated by commas.
  package var nameServers: String?

  /// The timeout's duration, in whole seconds.
  package var waitedSeconds: Int?

  /// The target of a redirect that was not followed.
  package var redirectOrigin: String?

  package init(
    _ code: Code, _ problem: ConnectionProblem? = nil, responseStarted: Bool = false,
    requestMayHaveArrived: Bool = false
  ) {
    self.code = code
    self.problem = problem
    self.responseStarted = responseStarted
    self.requestMayHaveArrived = requestMayHaveArrived
  }
}
