internal import Platform
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
  /// The newest state as it is on disk, still sealed, and the file that it was read from or written to. It goes with the
  /// keys.
  private var known: (content: VaultFile, file: KnownFile)?
  /// Whether this process wrote the file before.
  private(set) var isWriter = false

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

  /// The vault that was read or written last, if its file is still at this place and its key in memory: it needs no
  /// reading then.
  func vault(at place: VaultPlace) -> OpenVault? {
    guard let known, known.file.isStill(at: place.path),
      let key = key(of: .device, header: known.content.header, epoch: known.content.epochs[.device])
    else { return nil }
    return OpenVault(file: known.content, deviceKey: key, otherKeys: otherKeys(of: known.content))
  }

  /// The keys in memory of the protections besides the device's.
  func otherKeys(of file: VaultFile) -> [Protection: DataKey] {
    var keys: [Protection: DataKey] = [:]
    for protection in [Protection.passphrase, .tpm2] {
      keys[protection] = key(of: protection, header: file.header, epoch: file.epochs[protection])
    }
    return keys
  }

  /// The generation of an account's record in the file with this stamp; nil if there is none, if its key is not in
  /// memory, or if the file is not the one read or written last.
  func generation(of account: AccountName, inFileWith stamp: FileStamp) -> UInt64? {
    guard let known, known.file.stamp == stamp, let record = known.content.record(of: account),
      key(of: record.protection, header: known.content.header, epoch: known.content.epochs[record.protection]) != nil
    else { return nil }
    return record.generation
  }

  /// Remembers the generation of a file that was read or written, and its keys and content unless some were wiped
  /// meanwhile.
  ///
  /// Keys that a concurrent call remembered stay if the file still uses them.
  /// - Parameters:
  ///   - isLent: Whether a passphrase or PIN opened the device's key.
  ///   - known: The file; nil if there is no hold of it.
  ///   - isWritten: Whether this process has just written it.
  /// - Returns: Whether the keys are in memory now.
  @discardableResult
  mutating func remember(
    _ vault: OpenVault, since wipes: Int, isLent: Bool? = nil, as known: KnownFile? = nil, isWritten: Bool = false
  ) -> Bool {
    let file = vault.file
    let isNewest = file.generation >= floor(for: file.header)
    if isNewest { newest = (file.header, file.generation, file.epochs) }
    if isWritten { isWriter = true }
    guard wipes == self.wipes else { return false }
    if isNewest { self.known = known.map { (file, $0) } }
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
    known = nil
  }

  /// Drops all keys. The generation is not secret and stays.
  mutating func forgetKeys() {
    wipes += 1
    keys = [:]
    isDeviceKeyLent = false
    known = nil
  }
}
