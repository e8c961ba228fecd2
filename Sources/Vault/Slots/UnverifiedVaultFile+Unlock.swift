internal import Crypto
internal import Platform

extension UnverifiedVaultFile {
  /// Unwraps the device key with the first automatic slot that opens.
  ///
  /// - Throws: `unknownSlot` if none opens but some are of unknown kinds, `locked` without automatic slots, or the
  ///   slots' problem, preferably a temporary one.
  func unlock(
    with bindings: Bindings, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    var passing: VaultError?
    var lasting: VaultError?
    for slot in slots where slot.isAutomatic {
      guard let context = context(of: slot) else { continue }
      do {
        return try bindings.openAutomatically(slot, context, in: directory)
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
      throw VaultError(.unknownSlot)
    }
    throw lasting ?? VaultError(.locked(.device))
  }

  /// Unwraps a level's key with the first slot that the secret opens. Tries passphrase slots first: the TPM counts
  /// wrong PINs.
  ///
  /// - Throws: `nothingToUnlock` without such a slot, `wrongPassphrase`, `wrongPIN`, or the TPM's problem.
  func unlock(
    _ protection: Protection, secret: borrowing SecretBytes, with bindings: Bindings,
    in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    var failure = VaultError(.nothingToUnlock)
    for kind in [SlotKind.passphrase, .tpm2] {
      for slot in slots where slot.kind == kind && slot.protection == protection && !slot.isAutomatic {
        guard let context = context(of: slot) else { continue }
        do {
          return try bindings.open(slot, context, secret: secret, in: directory)
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

  /// Nil if the kind is unknown.
  func context(of slot: KeySlot) -> SlotContext? {
    slot.kind.map { SlotContext(of: slot, kind: $0, header: header, epochs: epochs) }
  }
}
