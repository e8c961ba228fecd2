/// What a `Vault` remembers between calls.
struct VaultMemory: Sendable {
  /// The key of the vault last opened.
  private var key: DataKey?
  /// The newest state of the vault that was seen, so that an older copy is noticed.
  private(set) var newest: (header: VaultHeader, generation: UInt64)?

  /// The key of the vault with this header, if it is the one remembered.
  func key(for header: VaultHeader) -> DataKey? {
    key.flatMap { $0.header == header ? $0 : nil }
  }

  /// The lowest generation that a vault with this header can have by now.
  func floor(for header: VaultHeader) -> UInt64 {
    newest.map { $0.header == header ? $0.generation : 0 } ?? 0
  }

  /// Takes note of a file that was read or written.
  mutating func remember(_ file: VaultFile, key: DataKey) {
    self.key = key
    newest = (file.header, max(file.generation, floor(for: file.header)))
  }

  /// Drops the key. What was seen is no secret and stays.
  mutating func forgetKey() {
    key = nil
  }
}
