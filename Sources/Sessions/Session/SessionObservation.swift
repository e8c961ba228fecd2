package import JOSE
package import OAuth
package import Vocabulary

/// An event in an operation, for its observer. It has no text of a server, a file or a peer but the URL of a request.
package enum SessionObservation: Sendable, Hashable {
  case step(SessionStep)
  case unanswered(RequestLine, HTTPFailure, milliseconds: Int)
  /// A fetched key set contains material that must not be published.
  case keySetWarned(JWKSet.Warning)
  /// The `auth_time` of a refreshed ID Token is not that of the first one (OpenID Connect Core, section 12.2).
  case authenticationTimeChanged
  /// The server's metadata name an endpoint at an origin that was not there at sign-in. It gets nothing.
  case endpointMoved
}

/// Receives the observations of an operation, on the thread that performs it.
package typealias SessionObserver = @Sendable (SessionObservation) -> Void
