internal import Platform
package import Vocabulary

/// The vault at one moment: one read and one verification of the file for any number of records. It holds the keys that
/// were in memory then, so the caller must not keep it.
package struct VaultSnapshot: Sendable {
  let vault: OpenVault
  let path: String

  /// The protection of each account's record, in byte order of the names. It needs the device's key only.
  package var protections: [(account: AccountName, protection: Protection)] {
    vault.file.records.map { ($0.name, $0.protection) }
  }

  /// The person of an account; nil when its record has no label. It needs the device's key only.
  ///
  /// - Throws: `damaged`.
  package func label(of account: AccountName) throws(VaultError) -> PersonLabel? {
    guard let record = vault.file.record(of: account) else { return nil }
    return try located(at: path) { () throws(VaultError) in try vault.deviceKey.openLabel(of: record) }
  }

  /// Opens the record of one account, and no other; nil when there is none.
  ///
  /// - Throws: `locked` if the key of the account's protection was not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Vault.Record? {
    guard let record = vault.file.record(of: account) else { return nil }
    let content = try located(at: path) { () throws(VaultError) in
      try vault.key(of: record.protection).open(record)
    }
    return Vault.Record(generation: record.generation, content: content)
  }
}

extension Vault {
  /// The current vault; nil if the directory has no vault of any machine.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func snapshot() throws(VaultError) -> VaultSnapshot? {
    guard let vault = try loadForReading() else { return nil }
    return VaultSnapshot(vault: vault, path: try place().path)
  }
}
