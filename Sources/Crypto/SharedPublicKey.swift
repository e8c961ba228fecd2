/// A public key with several owners, for values that must be copyable.
package final class SharedPublicKey: Sendable {
  /// The key.
  package let key: PublicKey

  /// Takes over a key.
  package init(_ key: consuming PublicKey) {
    self.key = key
  }
}
