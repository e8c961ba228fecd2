/// The vault at one time. Contains keys, so do not keep it.
package struct VaultSnapshot: Sendable {
  let vault: OpenVault
  let path: String

  /// Each account's protection level, in byte order of the names. Needs only the device key.
  package var protections: [(account: AccountName, protection: Protection)] {
    vault.file.records.map { ($0.name, $0.protection) }
  }

  /// The label of an account's user, if any. Needs only the device key. Throws `damaged` if modified.
  package func label(of account: AccountName) throws(VaultError) -> PersonLabel? {
    guard let record = vault.file.record(of: account) else { return nil }
    return try addingPath(path) { () throws(VaultError) in try vault.deviceKey.openLabel(of: record) }
  }

  /// Decrypts an account's record, if any. Throws `locked` if the key of its level was not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Vault.Record? {
    guard let record = vault.file.record(of: account) else { return nil }
    let content = try addingPath(path) { () throws(VaultError) in
      try vault.key(of: record.protection).open(record)
    }
    return Vault.Record(generation: record.generation, content: content)
  }
}

extension Vault {
  /// Nil if no machine has a vault here. Throws `otherMachinesOnly` if only other machines have one.
  package func snapshot() throws(VaultError) -> VaultSnapshot? {
    guard let vault = try loadForReading() else { return nil }
    return VaultSnapshot(vault: vault, path: try location().path)
  }
}
