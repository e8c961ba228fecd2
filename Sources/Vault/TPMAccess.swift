internal import Platform

/// How the TPM is reached, or why it is not.
package struct TPMAccess: Sendable {
  /// As if there were no TPM.
  package static let none = TPMAccess(problem: .noTPM)

  let problem: TPMProblem?

  private init(problem: TPMProblem?) {
    self.problem = problem
  }

  /// The TPM of this machine: where `TPM2OPENSSL_TCTI` says, else `/dev/tpmrm0`.
  package static func ofThisMachine() -> TPMAccess { .none }
}
