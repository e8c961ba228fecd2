internal import Encoding
internal import Vault
internal import Vocabulary

extension SlotSummary {
  /// `{"slot","kind","protection"}`.
  var json: JSONObject {
    JSONObject([
      ("slot", .int(number)), ("kind", .string(name)), ("protection", .string(protection.rawValue)),
    ])
  }
}

extension VaultSummary {
  /// Kind of the slot that opens the vault without a person: `tpm2` or `host`; nil if only a passphrase opens it or
  /// there is no vault.
  var binding: String? {
    let kinds = slots.filter { $0.protection == .device }.compactMap(\.kind)
    return [SlotKind.tpm2, .host].first { kinds.contains($0) }?.name
  }

  /// Why the TPM is not used; nil if it is used or could be used.
  var bindingProblem: String? {
    binding == SlotKind.tpm2.name ? nil : tpmProblem?.message
  }
}
