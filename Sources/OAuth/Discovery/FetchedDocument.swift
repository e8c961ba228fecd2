/// A public document as it came, and what it says.
package struct FetchedDocument<Value: Sendable>: Sendable {
  package let value: Value
  /// The bytes received, for a cache.
  package let body: [UInt8]
  /// How long the server lets it be kept, in seconds; nil when it does not say.
  package let maxAgeSeconds: Int?
  /// By what the server knows this version (RFC 9110 section 8.8.3); nil when it does not say.
  package var entityTag: String?
}

/// The result of asking whether a cached document is current.
package enum Revalidation<Value: Sendable>: Sendable {
  /// It does (RFC 9110 section 15.4.5).
  case unchanged(maxAgeSeconds: Int?)
  case changed(FetchedDocument<Value>)
}
