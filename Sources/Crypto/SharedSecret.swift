/// A secret with several owners, for values that must be copyable. It is wiped when the last one goes.
package final class SharedSecret: Sendable, CustomReflectable {
  /// The secret.
  package let bytes: SecretBytes

  /// Takes over a secret.
  package init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }

  /// Empty, so that `dump` of an owner shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
