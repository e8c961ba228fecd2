package enum TPMProblem: Sendable, Hashable, CaseIterable {
  case noTPM
  case notPermitted
  /// OpenSSL's TPM provider is not installed.
  case noProvider
  /// `TPM2OPENSSL_TCTI` is invalid.
  case badSetting
  case unreachable
  case refused
  case noAnswer

  /// For users, in lowercase, without a full stop.
  package var message: String {
    switch self {
    case .noTPM: "this machine has no TPM"
    case .notPermitted: "this user is not permitted to use the TPM"
    case .noProvider: "OpenSSL's provider for the TPM is not installed"
    case .badSetting: "the setting TPM2OPENSSL_TCTI is not usable"
    case .unreachable: "the TPM cannot be reached"
    case .refused: "the TPM refused"
    case .noAnswer: "the TPM did not answer in time"
    }
  }
}
