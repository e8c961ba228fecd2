package import JOSE
package import OAuth
package import Vocabulary

/// A step of an operation, for those who ask why it failed or took long. It holds no text of a server, a file or a
/// peer but the URL of a request.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account for so long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A public document was cached; it was fetched this many seconds ago.
  case documentKept(EndpointRole, ageSeconds: Int)
  /// A signed token does not fit the cached keys, which may be out of date.
  case keysDoubted
  /// The cached metadata may be out of date: an endpoint is gone, or is at an origin that may get no secret.
  case metadataDoubted
  /// A fetched key set contains material that must not be published.
  case keySetWarned(JWKSet.Warning)
  case answered(RequestLine, status: Int, milliseconds: Int)
  case unanswered(RequestLine, HTTPFailure, milliseconds: Int)
  /// The `auth_time` of a refreshed ID Token is not that of the first one (OpenID Connect Core, section 12.2).
  case authenticationTimeChanged
  /// By the name of its algorithm, which is one of `JWSAlgorithm`.
  case idTokenVerified(algorithm: String)
}

/// Receives the steps of an operation, on the thread that performs them.
package typealias StepObserver = @Sendable (SessionStep) -> Void
