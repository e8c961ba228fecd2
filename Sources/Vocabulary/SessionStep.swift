/// A step of a session's work, for diagnosis. Contains no foreign text except the URL of a request.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock for this long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  case documentKept(EndpointRole, ageSeconds: Int)
  /// The cached keys do not verify a token and are fetched again.
  case keysDoubted
  /// The cached metadata contain an endpoint that is gone or not allowed, and are fetched again.
  case metadataDoubted
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
