import Platform
import Testing

@testable import Vault

/// Another test of the parent process may have set variables.
private func forgetEnvironment() { Environment.keepOnly { !$0.hasPrefix("TPM2") && !$0.hasPrefix("TSS2") } }

/// The environment is modified, so each test has a separate process.
@Suite struct `Where the TPM is looked for` {
  @Test func `nowhere, unless the environment was prepared`() async {
    await #expect(processExitsWith: .success) {
      forgetEnvironment()
      #expect(TPMAccess.ofThisMachine().problem == .noTPM)
      #expect(TPMAccess.none.problem == .noTPM)
    }
  }

  @Test func `at the kernel's resource manager, and its libraries are silent`() async {
    await #expect(processExitsWith: .success) {
      forgetEnvironment()
      try Environment.set("TSS2_LOG", to: "all+TRACE")
      try TPMAccess.prepareEnvironment()
      #expect(Environment.value("TPM2OPENSSL_TCTI") == "device:/dev/tpmrm0")
      #expect(Environment.value("TSS2_LOG") == "all+NONE")
      let problem: TPMProblem? =
        switch FileAccess(of: "/dev/tpmrm0") {
        case .missing: .noTPM
        case .forbidden, .readable: .notPermitted
        case .usable: nil
        }
      #expect(TPMAccess.ofThisMachine().problem == problem)
    }
  }

  @Test func `where the person says`() async {
    await #expect(processExitsWith: .success) {
      try Environment.set("TPM2OPENSSL_TCTI", to: "swtpm:path=/nonexistent/s")
      try TPMAccess.prepareEnvironment()
      #expect(Environment.value("TPM2OPENSSL_TCTI") == "swtpm:path=/nonexistent/s")
      #expect(TPMAccess.ofThisMachine().problem == nil)
      #expect(TPMBinding(.ofThisMachine()).isExpectedToWork)
      try Environment.set("TPM2OPENSSL_TCTI", to: "")
      #expect(TPMAccess.ofThisMachine().problem == .badSetting)
    }
  }
}
