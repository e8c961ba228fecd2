internal import Encoding
internal import Vault

extension SlotSummary {
  /// `{"slot","kind","protection"}`.
  var json: JSONObject {
    JSONObject([
      ("slot", .int(number)), ("kind", .string(name)), ("protection", .string(protection.word)),
    ])
  }
}

extension VaultSummary {
  /// What opens the vault in the background: `tpm2` or `host`; nil when only a passphrase does, or nothing is there.
  var binding: String? {
    let kinds = slots.filter { $0.protection == .device }.compactMap(\.kind)
    return [SlotKind.tpm2, .host].first { kinds.contains($0) }?.name
  }

  /// Why that is not the TPM; nil when it is, or when it could be.
  var bindingProblem: String? {
    binding == SlotKind.tpm2.name ? nil : tpmProblem?.message
  }
}
