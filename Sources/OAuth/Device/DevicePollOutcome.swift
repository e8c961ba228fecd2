/// What one poll of the token endpoint told us (RFC 8628 section 3.5). Everything else ends the sign-in and
/// is thrown.
package enum DevicePollOutcome: Sendable {
  case token(TokenEndpointAnswer)
  /// `authorization_pending`: the user has not decided yet.
  case pending
  /// `slow_down`, with the interval that some servers name, in seconds.
  case slowDown(interval: Int?)
  /// No answer, or a server in trouble. Poll again, less often.
  case transient(OAuthError)
}
