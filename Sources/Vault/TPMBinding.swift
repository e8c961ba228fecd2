internal import Crypto
internal import Synchronization

final class TPMBinding: Sendable {
  private let access: TPMAccess
  private let lastProblem = Mutex<TPMProblem?>(nil)

  init(_ access: TPMAccess) {
    self.access = access
  }

  /// Whether it is worth asking.
  var isPromising: Bool { problem == nil }

  /// Why it is not asked, or was not of use when it was; nil when all is well.
  var problem: TPMProblem? { access.problem ?? lastProblem.withLock { $0 } }

  func wrap(
    _ key: DataKey, _ host: HostBinding, under deviceSecret: borrowing SecretBytes, pin: borrowing SecretBytes,
    for context: SlotContext
  ) throws(VaultError.Code) -> [UInt8] {
    throw .tpmUnavailable(.noTPM)
  }

  func unwrap(
    _ body: [UInt8], _ host: HostBinding, under deviceSecret: borrowing SecretBytes, pin: borrowing SecretBytes,
    for context: SlotContext
  ) throws(VaultError.Code) -> SecretBytes {
    throw .tpmUnavailable(.noTPM)
  }
}
