internal import Platform

/// The state of a ``Vault`` between calls.
struct VaultMemory: Sendable {
  private var keys: [Protection: DataKey] = [:]
  /// Whether the device key was unlocked by a passphrase or PIN.
  private(set) var isDeviceKeyFromPassphrase = false
  /// How often keys were wiped. An earlier call must not put them back.
  private(set) var wipeCount = 0
  /// The newest known state, to detect an older copy of the vault.
  private(set) var newest: (header: VaultHeader, generation: UInt64, epochs: KeyEpochs)?
  /// The newest encrypted content of the vault, and its file. Dropped with the keys.
  private var known: (content: VaultFile, file: KnownFile)?
  private(set) var isWriter = false

  /// An upper bound of the newest content's bytes; 0 if not in memory.
  var byteCount: Int { known?.content.encodedLengthBound ?? 0 }

  /// The key of a level, if header and epoch match.
  func key(of protection: Protection, header: VaultHeader, epoch: UInt64) -> DataKey? {
    keys[protection].flatMap { $0.header == header && $0.epoch == epoch ? $0 : nil }
  }

  func hasKey(of protection: Protection) -> Bool { keys[protection] != nil }

  /// The lowest acceptable generation for this header.
  func floor(for header: VaultHeader) -> UInt64 {
    newest.map { $0.header == header ? $0.generation : 0 } ?? 0
  }

  /// The latest vault read or written, if its file is unchanged and its key in memory.
  func vault(at location: VaultLocation) -> OpenVault? {
    guard let known, known.file.isUnmodified(at: location.path),
      let key = key(of: .device, header: known.content.header, epoch: known.content.epochs[.device])
    else { return nil }
    return OpenVault(file: known.content, deviceKey: key, otherKeys: otherKeys(of: known.content))
  }

  /// The known keys of levels other than the device.
  func otherKeys(of file: VaultFile) -> [Protection: DataKey] {
    var keys: [Protection: DataKey] = [:]
    for protection in [Protection.passphrase, .tpm2] {
      keys[protection] = key(of: protection, header: file.header, epoch: file.epochs[protection])
    }
    return keys
  }

  /// Implements ``Vault/generation(of:inFileWith:)``.
  func generation(of account: AccountName, inFileWith stamp: FileStamp) -> UInt64? {
    guard let known, known.file.stamp == stamp, let record = known.content.record(of: account),
      key(of: record.protection, header: known.content.header, epoch: known.content.epochs[record.protection]) != nil
    else { return nil }
    return record.generation
  }

  /// Remembers a file's generation and, unless keys were wiped since `wipeCount`, its keys and content. Keeps a
  /// concurrent call's keys that the file still uses.
  ///
  /// - Parameters:
  ///   - isFromPassphrase: Whether a passphrase or PIN unlocked the device key; nil if unchanged.
  ///   - isWritten: Whether this process has just written the file.
  /// - Returns: Whether the keys are in memory now.
  @discardableResult
  mutating func remember(
    _ vault: OpenVault, since wipeCount: Int, isFromPassphrase: Bool? = nil, as known: KnownFile? = nil,
    isWritten: Bool = false
  ) -> Bool {
    let file = vault.file
    let isNewest = file.generation >= floor(for: file.header)
    if isNewest { newest = (file.header, file.generation, file.epochs) }
    if isWritten { isWriter = true }
    guard wipeCount == self.wipeCount else { return false }
    if isNewest { self.known = known.map { (file, $0) } }
    for protection in Protection.allCases {
      // If another process replaced the file, keep only keys still in use.
      let epoch = newest?.epochs[protection]
      if let key = vault.keys[protection], key.epoch == epoch {
        keys[protection] = key
      } else if let key = keys[protection], key.epoch != epoch || key.header != newest?.header {
        keys[protection] = nil
      }
    }
    if let isFromPassphrase { isDeviceKeyFromPassphrase = isFromPassphrase }
    // No automatic slot would load it again.
    if !vault.file.slots.contains(where: \.isAutomatic) { isDeviceKeyFromPassphrase = true }
    return true
  }

  mutating func lock() {
    wipeCount += 1
    keys[.passphrase] = nil
    keys[.tpm2] = nil
    if isDeviceKeyFromPassphrase { keys[.device] = nil }
    isDeviceKeyFromPassphrase = false
    known = nil
  }

  /// Drops all keys. Keeps the generation, which is not secret.
  mutating func forgetKeys() {
    wipeCount += 1
    keys = [:]
    isDeviceKeyFromPassphrase = false
    known = nil
  }
}
