package enum TPMProblem: Sendable, Hashable, CaseIterable {
  /// The machine has no accessible TPM.
  case noTPM
  /// The current user may not access the TPM.
  case notPermitted
  /// OpenSSL's TPM provider is not installed.
  case noProvider
  /// `TPM2OPENSSL_TCTI` is invalid.
  case badSetting
  /// The configured connection does not work.
  case unreachable
  /// The TPM rejected a command.
  case refused
  /// The TPM did not respond in time.
  case noAnswer

  /// The message for users, in lowercase and without a full stop.
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
