/// A step of a session's operation, for those who ask why it failed or took long. It has no text of a server, a file or a
/// peer but the URL of a request.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock for this long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A document came from the cache.
  case documentKept(EndpointRole, ageSeconds: Int)
  /// The cached keys do not verify a signed token, so they are fetched again.
  case keysDoubted
  /// An endpoint is gone, or the cached metadata name one that is not allowed, so they are fetched again.
  case metadataDoubted
  /// The status is that of HTTP.
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
