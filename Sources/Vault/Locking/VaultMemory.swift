/// What a `Vault` remembers between calls.
struct VaultMemory: Sendable {
  /// The keys of the vault last opened.
  private var keys: [Protection: DataKey] = [:]
  /// The device's key came from a slot that somebody had to open.
  private(set) var isDeviceKeyLent = false
  /// How often keys were wiped. A call that began before must not bring them back.
  private(set) var wipes = 0
  /// The newest state of the vault that was seen, so that an older copy is noticed.
  private(set) var newest: (header: VaultHeader, generation: UInt64, epochs: KeyEpochs)?

  /// The key of a protection in the vault with this header, if it is the one remembered.
  func key(of protection: Protection, header: VaultHeader, epoch: UInt64) -> DataKey? {
    keys[protection].flatMap { $0.header == header && $0.epoch == epoch ? $0 : nil }
  }

  /// Whether the key of a protection is here.
  func holds(_ protection: Protection) -> Bool { keys[protection] != nil }

  /// The lowest generation that a vault with this header can have by now.
  func floor(for header: VaultHeader) -> UInt64 {
    newest.map { $0.header == header ? $0.generation : 0 } ?? 0
  }

  /// Takes note of a file that was read or written, and of its keys unless some were wiped meanwhile.
  ///
  /// Others may have come to keys meanwhile that this call knows nothing of; those stay, as long as they are the
  /// file's.
  /// - Parameter isLent: The device's key came from a slot that somebody opened for it.
  /// - Returns: Whether the keys were kept.
  @discardableResult
  mutating func remember(_ vault: OpenVault, since wipes: Int, isLent: Bool? = nil) -> Bool {
    let file = vault.file
    if file.generation >= floor(for: file.header) { newest = (file.header, file.generation, file.epochs) }
    guard wipes == self.wipes else { return false }
    for protection in Protection.allCases {
      // Of a file that others have replaced since it was read, only keys count that are still in use.
      let epoch = newest?.epochs[protection]
      if let key = vault.keys[protection], key.epoch == epoch {
        keys[protection] = key
      } else if let key = keys[protection], key.epoch != epoch || key.header != newest?.header {
        keys[protection] = nil
      }
    }
    if let isLent { isDeviceKeyLent = isLent }
    // Nothing would bring it back by itself.
    if !vault.file.slots.contains(where: \.isAutomatic) { isDeviceKeyLent = true }
    return true
  }

  /// Drops the keys that somebody opened.
  mutating func lock() {
    wipes += 1
    keys[.passphrase] = nil
    keys[.tpm2] = nil
    if isDeviceKeyLent { keys[.device] = nil }
    isDeviceKeyLent = false
  }

  /// Drops all keys. What was seen is no secret and stays.
  mutating func forgetKeys() {
    wipes += 1
    keys = [:]
    isDeviceKeyLent = false
  }
}
