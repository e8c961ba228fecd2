package import Crypto
internal import Platform

// Key rotation: older keys do not decrypt later content.

extension Vault {
  /// The slots whose passphrase ``rotateKeys(secrets:)`` needs: those of unlocked levels.
  package func slotsThatNeedSecrets() throws(VaultError) -> [SlotSummary] {
    guard let vault = try loadForReading() else { return [] }
    let open = vault.keys
    return vault.file.slots
      .filter { $0.kind == .passphrase && open[$0.protection] != nil }
      .map { SlotSummary($0) }
  }

  /// Generates new keys for all unlocked levels, and encrypts their records and slots again, in one write. Slots keep
  /// their numbers, PINs and passphrases.
  ///
  /// - Parameter secrets: The passphrases, by slot number.
  /// - Returns: The levels with new keys.
  /// - Throws: `secretNeeded`, `wrongPassphrase`, `unknownSlot` for a slot that this program cannot wrap, or `damaged`
  ///   if a record does not decrypt.
  @discardableResult
  package func rotateKeys(secrets: [Int: SharedSecret]) throws(VaultError) -> [Protection] {
    let rotated: [Protection]? = try modify { (vault, directory) throws(VaultError) in
      var rotated: [Protection] = []
      for protection in Protection.allCases {
        guard let old = vault.keys[protection] else { continue }
        let new = try DataKey.new(for: protection, header: vault.file.header, epoch: vault.file.generation)
        try vault.file.reseal(from: old, to: new)
        for slot in vault.file.slots(of: protection) {
          vault.file.replaceSlot(try rewrap(slot, of: vault.file, to: new, secrets[Int(slot.number)], in: directory))
        }
        vault.setKey(new)
        rotated.append(protection)
      }
      return rotated
    }
    return rotated ?? []
  }

  /// `file` still has the old key's epoch.
  private func rewrap(
    _ slot: KeySlot, of file: VaultFile, to key: DataKey, _ secret: SharedSecret?,
    in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> KeySlot {
    guard let kind = slot.kind else { throw VaultError(.unknownSlot) }
    let context = SlotContext(number: slot.number, kind: kind, for: key)
    let body: [UInt8]
    switch kind {
    case .host:
      body = try bindings.host.wrap(key, under: DeviceSecret.read(from: directory), for: context)
    case .tpm2:
      body = try bindings.tpm.rewrap(
        slot.body, to: key, bindings.host, under: DeviceSecret.read(from: directory), for: context)
    case .passphrase:
      guard let secret else { throw VaultError(.secretNeeded(slot: Int(slot.number))) }
      // A wrong passphrase would lock the user out.
      _ = try PassphraseBinding.unwrap(slot.body, under: secret.bytes, for: file.context(of: slot, kind: kind))
      body = try PassphraseBinding.wrap(key, under: secret.bytes, cost: bindings.cost, for: context)
    }
    return KeySlot(context, body: body)
  }
}
