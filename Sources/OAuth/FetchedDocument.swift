/// A public document as it came, and what it says.
package struct FetchedDocument<Value: Sendable>: Sendable {
  package let value: Value
  /// The bytes received, for a cache.
  package let body: [UInt8]
  /// How long the server lets it be kept, in seconds; nil when it does not say.
  package let maxAgeSeconds: Int?
}
