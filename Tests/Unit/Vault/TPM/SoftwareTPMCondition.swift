import Crypto
import Platform
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  static var needsSoftwareTPM: Self {
    .enabled(
      if: FileAccess(of: SoftwareTPM.program) != .missing
        && FileAccess(of: "\(TPM.modulesDirectory)/tpm2.so") != .missing,
      "swtpm or OpenSSL's provider tpm2 is not installed")
  }
}
