package import JOSE
package import OAuth

/// What an operation does on its way, as a fact for those who ask why. It holds no text of a server, a
/// file or a peer.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account for so long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A public document was at hand; it was fetched so many seconds ago.
  case documentKept(EndpointRole, ageSeconds: Int)
  /// A signed token does not fit the keys at hand, which may be out of date.
  case keysDoubted
  /// The metadata at hand may be out of date: an endpoint is gone, or is where nothing secret may go.
  case metadataDoubted
  /// A key set that was fetched holds what must not be published.
  case keySetWarned(JWKSet.Warning)
  case answered(EndpointRole, status: Int, milliseconds: Int)
  case unanswered(EndpointRole, HTTPFailure.Code, milliseconds: Int)
  /// The `auth_time` of a refreshed ID Token is not that of the first one (OpenID Connect Core, section 12.2).
  case authenticationTimeChanged
  /// By the name of its algorithm, which is one of `JWSAlgorithm`.
  case idTokenVerified(algorithm: String)
}

/// Is told the steps of an operation, on the thread that takes them.
package typealias StepObserver = @Sendable (SessionStep) -> Void
