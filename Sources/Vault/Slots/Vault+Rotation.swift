package import Crypto
internal import Platform

// New keys for everything, so that what was copied before is of no use for what comes after.

extension Vault {
  /// The slots whose passphrase ``rotateKeys(secrets:)`` has to be given, as long as the same protections are open.
  package func slotsThatNeedSecrets() throws(VaultError) -> [SlotSummary] {
    guard let vault = try loadForReading() else { return [] }
    let open = vault.keys
    return vault.file.slots
      .filter { $0.kind == .passphrase && open[$0.protection] != nil }
      .map { SlotSummary($0) }
  }

  /// Makes new keys for all protections that are open, seals each of their records anew, and wraps the keys anew in
  /// each of their slots, in one write. The records keep their generations, the slots their numbers; PINs and
  /// passphrases stay the same. Protections that are not open stay as they are.
  ///
  /// - Parameter secrets: The passphrases by the numbers of their slots.
  /// - Returns: The protections that have new keys; none where there is no vault.
  /// - Throws: `secretNeeded`; `wrongPassphrase` when one of them is not the slot's; `unknownSlot` for a slot that this
  ///   program cannot wrap; `damaged` when a record does not open.
  @discardableResult
  package func rotateKeys(secrets: [Int: SharedSecret]) throws(VaultError) -> [Protection] {
    let path = try place().path
    let rotated: [Protection]? = try changing { (vault, directory) throws(VaultError) in
      var rotated: [Protection] = []
      for protection in Protection.allCases {
        guard let old = vault.keys[protection] else { continue }
        let new = try located(at: path) { () throws(VaultError.Code) in
          let new = try DataKey.new(for: protection, header: vault.file.header, epoch: vault.file.generation)
          try vault.file.reseal(from: old, to: new)
          return new
        }
        for slot in vault.file.slots(of: protection) {
          vault.file.replaceSlot(
            try rewrap(slot, of: vault.file, to: new, secrets[Int(slot.number)], in: directory, path: path))
        }
        vault.setKey(new)
        rotated.append(protection)
      }
      return rotated
    }
    return rotated ?? []
  }

  /// The slot with the new key in it. `file` has the epoch of the old one still.
  private func rewrap(
    _ slot: KeySlot, of file: VaultFile, to key: DataKey, _ secret: SharedSecret?,
    in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> KeySlot {
    guard let kind = slot.kind else { throw VaultError(.unknownSlot, path: path) }
    let context = SlotContext(number: slot.number, kind: kind, leadingTo: key)
    switch kind {
    case .host, .tpm2:
      let deviceSecret = try DeviceSecret.read(from: directory)
      return try located(at: path) { () throws(VaultError.Code) in
        let body =
          kind == .host
          ? try bindings.host.wrap(key, under: deviceSecret, for: context)
          : try bindings.tpm.rewrap(slot.body, to: key, bindings.host, under: deviceSecret, for: context)
        return KeySlot(context, body: body)
      }
    case .passphrase:
      guard let secret else { throw VaultError(.secretNeeded(slot: Int(slot.number)), path: path) }
      return try located(at: path) { () throws(VaultError.Code) in
        // Not to lock anybody out: it must be the one that opens the slot now.
        _ = try PassphraseBinding.unwrap(slot.body, under: secret.bytes, for: file.context(of: slot, kind: kind))
        return KeySlot(
          context,
          body: try PassphraseBinding.wrap(key, under: secret.bytes, cost: bindings.cost, for: context))
      }
    }
  }
}
