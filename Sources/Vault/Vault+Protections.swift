internal import Platform

extension Vault {
  /// How the record of each account opens, in byte order of the names. It needs the device's key only.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func protections() throws(VaultError) -> [(account: AccountName, protection: Protection)] {
    try snapshot()?.protections ?? []
  }

  /// What ``lock()`` would take away if it were called now: the keys that somebody opened, and those that could
  /// be opened meanwhile.
  package var levelsToLock: Set<Protection> {
    memory.withLock { $0.isDeviceKeyLent } ? [.device, .passphrase, .tpm2] : [.passphrase, .tpm2]
  }
}
