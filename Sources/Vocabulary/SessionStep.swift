/// A step of a session's work, for diagnosis. Contains no text except a request's URL.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock for this long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// Cached metadata or keys of the server were used.
  case cachedDocumentUsed(EndpointRole, ageSeconds: Int)
  /// A token cannot be verified with the cached keys, so they are fetched again.
  case cachedKeysRejected
  /// The cached metadata contains an unusable endpoint, so it is fetched again.
  case cachedMetadataRejected
  /// A server responded to the request with this status.
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
