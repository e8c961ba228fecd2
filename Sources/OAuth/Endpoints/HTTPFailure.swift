/// Why a request has no usable response.
package struct HTTPFailure: Error, Hashable, Sendable {
  package enum Code: Sendable, CaseIterable {
    case resolve
    case connect
    case tls
    /// The device with the client's key is unavailable.
    case clientKeyUnavailable
    /// The client's key belongs to another device.
    case clientKeyForeign
    /// The certificate is untrusted.
    case certificate
    /// The certificate is expired or not valid yet.
    case certificateTime
    /// The certificate is not for this host.
    case certificateHost
    /// The server's key matches no pin.
    case pin
    case timeout
    /// Body or headers exceed the limit.
    case tooLarge
    case malformed
    /// A redirect to another origin, or too many.
    case redirect
    case cancelled
    /// The connection broke during sending.
    case send
    /// The request's content could not be read.
    case content
    /// The connection broke during receiving.
    case receive
    case memory
    /// The HTTP library rejected an option.
    case setup
    /// The proxy was unreachable or refused the request.
    case proxy
    /// The response repeats the access token, which the receiver may not see.
    case tokenReturned
  }

  package var code: Code
  package var responseStarted: Bool
  /// Whether any part was sent. The server may have acted on it.
  package var requestMayHaveArrived: Bool

  /// The cause, if more specific than ``code``.
  package var problem: ConnectionProblem?

  /// Name servers that did not respond, separated by commas.
  package var nameServers: String?

  /// The timeout, in whole seconds.
  package var waitedSeconds: Int?

  /// Where an unfollowed redirect leads.
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
