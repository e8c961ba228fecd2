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
  /// `{"path","exists","device_bound","binding","binding_problem"}`.
  var json: JSONObject {
    var object = JSONObject([
      ("path", .string(path)), ("exists", .bool(exists)), ("device_bound", .bool(isDeviceBound)),
    ])
    object["binding"] = binding.map { .string($0) }
    object["binding_problem"] = bindingProblem.map { .string($0) }
    return object
  }

  /// The kind of slot that unlocks the vault without the user: `tpm2` or `host`. Nil if there is none.
  private var binding: String? {
    let kinds = slots.filter { $0.protection == .device }.compactMap(\.kind)
    return [SlotKind.tpm2, .host].first { kinds.contains($0) }?.name
  }

  /// Why the TPM is not used. Nil if it is used or could be.
  private var bindingProblem: String? {
    binding == SlotKind.tpm2.name ? nil : tpmProblem?.message
  }
}
