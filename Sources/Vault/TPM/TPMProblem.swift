/// The reason why the TPM does not work.
package enum TPMProblem: Sendable, Hashable, CaseIterable {
  /// The machine has none that programs can reach.
  case noTPM
  /// This user may not use it.
  case notPermitted
  /// OpenSSL's provider for it is not installed.
  case noProvider
  /// `TPM2OPENSSL_TCTI` is not a setting that can be used.
  case badSetting
  /// It cannot be reached where it should be.
  case unreachable
  /// It rejected the command.
  case refused
  /// It did not answer in time.
  case noAnswer

  /// One English sentence, lower case, no full stop.
  package var message: String {
    switch self {
    case .noTPM: "this machine has no TPM"
    case .notPermitted: "this user may not use the TPM"
    case .noProvider: "OpenSSL's provider for the TPM is not installed"
    case .badSetting: "the setting TPM2OPENSSL_TCTI is not usable"
    case .unreachable: "the TPM cannot be reached"
    case .refused: "the TPM refused"
    case .noAnswer: "the TPM did not answer in time"
    }
  }
}
