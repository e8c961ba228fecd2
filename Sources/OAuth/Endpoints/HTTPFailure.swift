package import Vocabulary

/// Why no usable response came.
package struct HTTPFailure: Error, Hashable, Sendable {
  package enum Code: Sendable, CaseIterable {
    /// The host name could not be resolved.
    case resolve
    /// No connection to the host.
    case connect
    /// The TLS handshake or a TLS record failed.
    case tls
    /// The device that holds the key of the client certificate cannot be used now.
    case clientKeyUnavailable
    /// The key of the client certificate is another device's.
    case clientKeyForeign
    /// No trusted authority issued the server's certificate.
    case certificate
    /// The server's certificate has expired or is not valid yet.
    case certificateTime
    /// The server's certificate is not for this host.
    case certificateHost
    /// The server's public key is none of the account's pins.
    case pin
    case timeout
    /// The body or the headers are larger than the limit.
    case tooLarge
    /// The answer is not HTTP.
    case malformed
    /// A redirect to another origin, or too many of them.
    case redirect
    /// Ended by ``Cancellation``.
    case cancelled
    /// The connection broke while the request was sent.
    case send
    /// The content to send could not be read on this machine.
    case content
    /// The connection broke while the response was received.
    case receive
    /// This machine has no memory for the request or its response.
    case memory
    /// The request could not be set up on this machine: the library refuses a setting.
    case setup
    /// The proxy could not be reached or refused.
    case proxy
    /// The answer contains the access token, which its receiver must not get.
    case tokenReturned
  }

  package var code: Code
  /// A byte of a response was seen, so the server did answer.
  package var responseStarted: Bool
  /// A byte of the request left this machine, so the server may have acted on it.
  package var requestMayHaveArrived: Bool

  package var problem: ConnectionProblem?

  /// For a timeout: how long was waited, in whole seconds.
  package var waitedSeconds: Int?

  /// Where a redirect led that was not followed: scheme, host and port.
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
