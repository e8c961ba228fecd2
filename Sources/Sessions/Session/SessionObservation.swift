package import Crypto
package import OAuth

/// A loggable event of an operation. Contains no external text except request URLs.
package enum SessionObservation: Sendable, Hashable {
  case step(SessionStep)
  /// A request got no usable response after this time.
  case unanswered(RequestLine, HTTPFailure, milliseconds: Int)
  /// A fetched key set contains keys that must not be published.
  case keySetWarned(JWKSet.Warning)
  /// A fetched key set contains unusable keys, apart from those for encryption.
  case keysUnusable
  /// The `auth_time` of a refreshed ID Token has changed (OpenID Connect Core section 12.2).
  case authenticationTimeChanged
  /// The metadata contains an origin unknown at sign-in. Nothing is sent there.
  case endpointMoved
}

/// Called on the operation's thread.
package typealias SessionObserver = @Sendable (SessionObservation) -> Void
