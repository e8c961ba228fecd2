internal import Vocabulary

/// The state that a `Vault` keeps between calls.
struct VaultMemory: Sendable {
  /// The keys of the vault last opened.
  private var keys: [Protection: DataKey] = [:]
  /// Whether a passphrase or PIN opened the device's key.
  private(set) var isDeviceKeyLent = false
  /// The number of times that keys were wiped. A call that began before must not restore them.
  private(set) var wipes = 0
  /// The newest state of the vault that was read or written, to detect an older copy.
  private(set) var newest: (header: VaultHeader, generation: UInt64, epochs: KeyEpochs)?

  /// The key of a protection, if it belongs to this header and epoch.
  func key(of protection: Protection, header: VaultHeader, epoch: UInt64) -> DataKey? {
    keys[protection].flatMap { $0.header == header && $0.epoch == epoch ? $0 : nil }
  }

  /// Whether the key of a protection is in memory.
  func holds(_ protection: Protection) -> Bool { keys[protection] != nil }

  /// The lowest generation that a vault with this header can have now.
  func floor(for header: VaultHeader) -> UInt64 {
    newest.map { $0.header == header ? $0.generation : 0 } ?? 0
  }

  /// Remembers the generation of a file that was read or written, and its keys unless some were wiped meanwhile.
  ///
  /// Keys that a concurrent call remembered stay if the file still uses them.
  /// - Parameter isLent: Whether a passphrase or PIN opened the device's key.
  /// - Returns: Whether the keys are in memory now.
  @discardableResult
  mutating func remember(_ vault: OpenVault, since wipes: Int, isLent: Bool? = nil) -> Bool {
    let file = vault.file
    if file.generation >= floor(for: file.header) { newest = (file.header, file.generation, file.epochs) }
    guard wipes == self.wipes else { return false }
    for protection in Protection.allCases {
      // If another process has replaced the file since it was read, only the keys still in use are kept.
      let epoch = newest?.epochs[protection]
      if let key = vault.keys[protection], key.epoch == epoch {
        keys[protection] = key
      } else if let key = keys[protection], key.epoch != epoch || key.header != newest?.header {
        keys[protection] = nil
      }
    }
    if let isLent { isDeviceKeyLent = isLent }
    // No automatic slot would load it again.
    if !vault.file.slots.contains(where: \.isAutomatic) { isDeviceKeyLent = true }
    return true
  }

  /// Drops the keys that a passphrase or PIN opened.
  mutating func lock() {
    wipes += 1
    keys[.passphrase] = nil
    keys[.tpm2] = nil
    if isDeviceKeyLent { keys[.device] = nil }
    isDeviceKeyLent = false
  }

  /// Drops all keys. The generation is not secret and stays.
  mutating func forgetKeys() {
    wipes += 1
    keys = [:]
    isDeviceKeyLent = false
  }
}
