internal import Crypto
internal import Platform

/// Creates and opens key slots. Only errors of the device secret have a path.
struct Bindings: Sendable {
  let host: HostBinding
  let tpm: TPMBinding
  /// The scrypt cost of new passphrase slots.
  let cost: Scrypt.Cost

  /// `secret` is the passphrase or PIN, empty for an automatic slot. Throws `wrongPassphrase`, `wrongPIN`,
  /// `foreignDevice` for a slot of another device, `deviceSecretMissing`, or the temporary `tpmUnavailable` or
  /// `tpmLockedOut`.
  func open(
    _ slot: KeySlot, _ context: SlotContext, secret: borrowing SecretBytes, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    let key =
      switch context.kind {
      case .host: try host.unwrap(slot.body, under: DeviceSecret.read(from: directory), for: context)
      case .tpm2: try tpm.unwrap(slot.body, host, under: DeviceSecret.read(from: directory), pin: secret, for: context)
      case .passphrase: try PassphraseBinding.unwrap(slot.body, under: secret, for: context)
      }
    return try DataKey(key, header: context.header, protection: context.protection, epoch: context.epoch)
  }

  func openAutomatically(
    _ slot: KeySlot, _ context: SlotContext, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    try open(slot, context, secret: SecretBytes(), in: directory)
  }

  /// Creates an automatic slot: for the TPM if it works, otherwise for the host.
  func makeBestSlot(
    for key: DataKey, in file: VaultFile, _ directory: borrowing PrivateDirectory
  ) throws(VaultError) -> KeySlot {
    if tpm.isExpectedToWork {
      do {
        return try makeAutomaticSlot(.tpm2, for: key, in: file, directory)
      } catch {
        switch error.code {
        case .tpmUnavailable, .tpmLockedOut: break
        default: throw error
        }
      }
    }
    return try makeAutomaticSlot(.host, for: key, in: file, directory)
  }

  /// Creates an automatic slot, and the device secret if necessary.
  func makeAutomaticSlot(
    _ kind: VaultBinding, for key: DataKey, in file: VaultFile, _ directory: borrowing PrivateDirectory
  ) throws(VaultError) -> KeySlot {
    let deviceSecret = try DeviceSecret.readOrCreate(in: directory)
    let context = try file.nextContext(kind.slotKind, for: key)
    let body =
      switch kind {
      case .host: try host.wrap(key, under: deviceSecret, for: context)
      case .tpm2: try tpm.wrap(key, host, under: deviceSecret, pin: SecretBytes(), for: context)
      }
    return KeySlot(context, body: body)
  }

  /// Creates a slot with a passphrase or PIN. Throws `unusableSecret` for a wrong length, or `tpmUnavailable` for a
  /// PIN.
  func makeSlot(
    _ kind: SlotKind, secret: borrowing SecretBytes, for key: DataKey, context: SlotContext,
    _ directory: borrowing PrivateDirectory
  ) throws(VaultError) -> KeySlot {
    // Without a PIN every program of this user could use the TPM's key.
    guard (1...VaultFormat.maximumSecretLength).contains(secret.count) else { throw VaultError(.unusableSecret) }
    let body =
      switch kind {
      case .passphrase: try PassphraseBinding.wrap(key, under: secret, cost: cost, for: context)
      case .tpm2:
        try tpm.wrap(key, host, under: DeviceSecret.readOrCreate(in: directory), pin: secret, for: context)
      case .host: throw VaultError(.damaged)
      }
    return KeySlot(context, body: body)
  }
}
