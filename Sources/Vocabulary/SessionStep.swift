/// A step of a session's work, for diagnosis. Contains no text except a request's method and URL.
package enum SessionStep: Sendable, Hashable {
  /// Another process held the account's lock.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// Metadata or keys.
  case cachedDocumentUsed(EndpointRole, ageSeconds: Int)
  /// The cached keys do not verify a token, so they are fetched again.
  case cachedKeysRejected
  /// The cached metadata has an unusable endpoint, so it is fetched again.
  case cachedMetadataRejected
  case answered(RequestLine, status: Int, milliseconds: Int)
  case idTokenVerified(SigningAlgorithm)
}
