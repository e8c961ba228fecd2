/// The result of one poll of the token endpoint (RFC 8628 section 3.5). All other results end the sign-in and are
/// thrown.
package enum DevicePollOutcome: Sendable {
  case token(TokenEndpointAnswer)
  /// `authorization_pending`: the user has not decided yet.
  case pending
  /// `slow_down`, with the interval that some servers name, in seconds.
  case slowDown(interval: Int?)
  /// No answer, or a server in trouble. Poll again, less often.
  case transient(OAuthError)
}
