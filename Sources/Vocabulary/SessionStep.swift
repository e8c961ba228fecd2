/// A step of a session's work, for diagnosis. Its only text of another party is a request's URL.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock for this long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A cached document was used.
  case documentKept(EndpointRole, ageSeconds: Int)
  /// The cached keys do not verify a token, so they are fetched again.
  case keysDoubted
  /// The cached metadata contains an unusable endpoint, so it is fetched again.
  case metadataDoubted
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
