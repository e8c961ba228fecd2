internal import Crypto
internal import Platform

/// All that slots are made with, and opened by.
struct Bindings: Sendable {
  let host: HostBinding
  let tpm: TPMBinding
  /// What a new passphrase slot costs.
  let cost: Scrypt.Cost

  /// Gets the key of a slot that opens by itself.
  ///
  /// - Throws: `foreignDevice`, `deviceSecretMissing`; `tpmUnavailable` and `tpmLockedOut`, which pass.
  func openAutomatically(
    _ slot: KeySlot, _ context: SlotContext, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    let deviceSecret = try DeviceSecret.read(from: directory)
    return try located(at: path) { () throws(VaultError.Code) in
      let secret =
        switch context.kind {
        case .host: try host.unwrap(slot.body, under: deviceSecret, for: context)
        case .tpm2: try tpm.unwrap(slot.body, host, under: deviceSecret, pin: SecretBytes(), for: context)
        case .passphrase: throw VaultError.Code.damaged
        }
      return try DataKey(secret, leadingFrom: context)
    }
  }

  /// Gets the key of a slot that somebody opens with a passphrase or PIN.
  ///
  /// - Throws: `wrongPassphrase`, `wrongPIN`; for a PIN also what ``openAutomatically(_:_:in:path:)`` throws.
  func open(
    _ slot: KeySlot, _ context: SlotContext, secret: borrowing SecretBytes, in directory: borrowing PrivateDirectory,
    path: String
  ) throws(VaultError) -> DataKey {
    switch context.kind {
    case .passphrase:
      do {
        return try DataKey(PassphraseBinding.unwrap(slot.body, under: secret, for: context), leadingFrom: context)
      } catch {
        throw VaultError(error, path: path)
      }
    case .tpm2:
      let deviceSecret = try DeviceSecret.read(from: directory)
      do {
        let key = try tpm.unwrap(slot.body, host, under: deviceSecret, pin: secret, for: context)
        return try DataKey(key, leadingFrom: context)
      } catch {
        throw VaultError(error, path: path)
      }
    case .host: throw VaultError(.damaged, path: path)
    }
  }

  /// Makes a slot that opens by itself: of the TPM if there is one that works, else of the host.
  func makeBestSlot(
    for key: DataKey, in file: VaultFile, _ directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> KeySlot {
    if tpm.isPromising {
      do {
        return try makeAutomaticSlot(.tpm2, for: key, in: file, directory, path: path)
      } catch {
        // What the TPM does not do, the host does; the summary tells why.
        switch error.code {
        case .tpmUnavailable, .tpmLockedOut: break
        default: throw error
        }
      }
    }
    return try makeAutomaticSlot(.host, for: key, in: file, directory, path: path)
  }

  /// Makes a slot that opens by itself, and the device secret if there is none.
  func makeAutomaticSlot(
    _ kind: AutomaticKind, for key: DataKey, in file: VaultFile, _ directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> KeySlot {
    let deviceSecret = try DeviceSecret.readOrCreate(in: directory)
    return try located(at: path) { () throws(VaultError.Code) in
      let context = try file.nextContext(kind.slotKind, for: key)
      let body =
        switch kind {
        case .host: try host.wrap(key, under: deviceSecret, for: context)
        case .tpm2: try tpm.wrap(key, host, under: deviceSecret, pin: SecretBytes(), for: context)
        }
      return KeySlot(context, body: body)
    }
  }

  /// Makes a slot that somebody opens: with a passphrase, or with a PIN.
  ///
  /// - Throws: `unusableSecret`; for a PIN `tpmUnavailable`.
  func makeSlot(
    _ kind: SlotKind, secret: borrowing SecretBytes, for key: DataKey, context: SlotContext,
    _ directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> KeySlot {
    // A key of the TPM without a PIN would open for everybody.
    guard (1...PassphraseBinding.maximumLength).contains(secret.count) else {
      throw VaultError(.unusableSecret, path: path)
    }
    switch kind {
    case .passphrase:
      do {
        return KeySlot(context, body: try PassphraseBinding.wrap(key, under: secret, cost: cost, for: context))
      } catch {
        throw VaultError(error, path: path)
      }
    case .tpm2:
      let deviceSecret = try DeviceSecret.readOrCreate(in: directory)
      do {
        return KeySlot(context, body: try tpm.wrap(key, host, under: deviceSecret, pin: secret, for: context))
      } catch {
        throw VaultError(error, path: path)
      }
    case .host: throw VaultError(.damaged, path: path)
    }
  }
}

extension DataKey {
  /// The key that the slot of `context` held.
  convenience init(_ secret: consuming SecretBytes, leadingFrom context: SlotContext) throws(VaultError.Code) {
    guard secret.count == Self.byteCount else { throw .damaged }
    try self.init(secret, header: context.header, protection: context.protection, epoch: context.epoch)
  }
}
