internal import Platform

/// The vault as it was when it was read: one read and one check of the file for as many records as are wanted. It holds
/// the keys that were in memory then, so it is not kept for longer than it takes to look.
package struct VaultSnapshot: Sendable {
  let vault: OpenVault
  let path: String

  /// How the record of each account opens, in byte order of the names. It needs the device's key only.
  package var protections: [(account: AccountName, protection: Protection)] {
    vault.file.records.map { ($0.name, $0.protection) }
  }

  /// Opens the record of one account, and no other; nil when there is none.
  ///
  /// - Throws: `locked` when the key of the account's protection was not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Vault.Record? {
    guard let record = vault.file.record(of: account) else { return nil }
    let content = try located(at: path) { () throws(VaultError.Code) in
      try vault.key(of: record.protection).open(record)
    }
    return Vault.Record(generation: record.generation, content: content)
  }
}

extension Vault {
  /// The vault as it is now; nil when nobody ever wrote one here.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func snapshot() throws(VaultError) -> VaultSnapshot? {
    guard let vault = try loadForReading() else { return nil }
    return VaultSnapshot(vault: vault, path: try place().path)
  }
}
