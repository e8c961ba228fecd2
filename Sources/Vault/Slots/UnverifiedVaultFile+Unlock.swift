internal import Crypto
internal import Platform

extension UnverifiedVaultFile {
  /// Gets the device's key through the first slot that opens by itself.
  ///
  /// - Throws: `unknownSlot` when a slot of an unknown kind might have opened; `locked` when only
  ///   passphrases open; otherwise what was wrong with the slots, rather what may pass than what lasts.
  func unlock(
    with bindings: Bindings, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    var passing: VaultError?
    var lasting: VaultError?
    for slot in slots where slot.isAutomatic {
      guard let context = context(of: slot) else { continue }
      do {
        return try bindings.openAutomatically(slot, context, in: directory, path: path)
      } catch {
        switch error.code {
        case .foreignDevice, .deviceSecretMissing: lasting = lasting ?? error
        case .tpmUnavailable, .tpmLockedOut: passing = passing ?? error
        default: throw error
        }
      }
    }
    if let failure = passing { throw failure }
    if slots.contains(where: { $0.kind == nil && $0.protection == .device }) {
      throw VaultError(.unknownSlot, path: path)
    }
    throw lasting ?? VaultError(.locked(.device), path: path)
  }

  /// Gets the key of a protection through the first slot that a passphrase or PIN opens.
  ///
  /// Passphrases come first: a wrong PIN is counted by the TPM.
  /// - Throws: `nothingToUnlock`; `wrongPassphrase` or `wrongPIN`; what kept the TPM from being asked.
  func unlock(
    _ protection: Protection, secret: borrowing SecretBytes, with bindings: Bindings,
    in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    var failure = VaultError(.nothingToUnlock, path: path)
    for kind in [SlotKind.passphrase, .tpm2] {
      for slot in slots where slot.kind == kind && slot.protection == protection && !slot.isAutomatic {
        guard let context = context(of: slot) else { continue }
        do {
          return try bindings.open(slot, context, secret: secret, in: directory, path: path)
        } catch {
          switch error.code {
          case .wrongPassphrase, .wrongPIN, .tpmUnavailable, .tpmLockedOut, .foreignDevice, .deviceSecretMissing:
            failure = error
          default: throw error
          }
        }
      }
    }
    throw failure
  }

  /// Nil when the slot is of an unknown kind.
  func context(of slot: KeySlot) -> SlotContext? {
    slot.kind.map { SlotContext(of: slot, kind: $0, header: header, epochs: epochs) }
  }
}
