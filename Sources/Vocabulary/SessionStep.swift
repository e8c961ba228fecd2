/// A step of a session's operation, for diagnosing failures and delays. Contains no text of a server, file or peer
/// except the URL of a request.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock for this long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A cached document was used.
  case documentKept(EndpointRole, ageSeconds: Int)
  /// The cached keys do not verify a signed token, so they are fetched again.
  case keysDoubted
  /// An endpoint no longer exists, or the cached metadata contain a disallowed one, so they are fetched again.
  case metadataDoubted
  /// With the HTTP status.
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
