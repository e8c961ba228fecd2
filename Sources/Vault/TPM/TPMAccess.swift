internal import Crypto
internal import Encoding
package import Platform

package struct TPMAccess: Sendable {
  /// As if there were no TPM.
  package static let none = TPMAccess(.nowhere)

  private static let variable = "TPM2OPENSSL_TCTI"
  /// The kernel's resource manager, for concurrent use.
  private static let device = "/dev/tpmrm0"
  private static let moduleName = "tpm2.so"

  /// How to connect: not at all, through the kernel's device, or as in `TPM2OPENSSL_TCTI`.
  private enum Target: Sendable {
    case nowhere
    case device
    case connection(String)
  }

  private let target: Target
  /// The path of the OpenSSL provider for TPMs.
  private let module: String
  let wait: Duration

  private init(
    _ target: Target, module: String = "\(TPM.modulesDirectory)/\(moduleName)", wait: Duration = .seconds(15)
  ) {
    self.target = target
    self.module = module
    self.wait = wait
  }

  /// This machine's TPM, as set by ``prepareEnvironment()``.
  package static func ofThisMachine() -> TPMAccess {
    guard let connection = Environment.value(variable) else { return .none }
    return TPMAccess(connection.hasSameBytes(as: "device:\(device)") ? .device : .connection(connection))
  }

  /// Makes the TPM libraries use only `/dev/tpmrm0` or `TPM2OPENSSL_TCTI`, not a local TCP port, on which any user can
  /// listen. Call it before the first thread starts.
  package static func prepareEnvironment() throws(SystemError) {
    if Environment.value(variable) == nil { try Environment.set(variable, to: "device:\(device)") }
    try Environment.set("TSS2_LOG", to: "all+NONE")
  }

  /// Another TPM, for tests. Changes the environment. `connection` is in the format of `TPM2OPENSSL_TCTI`. `module` is
  /// the provider's file, or nil for the installed one.
  package static func at(
    _ connection: String, module: String? = nil, wait: Duration = .seconds(15)
  ) -> TPMAccess {
    TPMAccess(.connection(connection), module: module ?? "\(TPM.modulesDirectory)/\(moduleName)", wait: wait)
  }

  /// Nil if the TPM may work. Loads no library.
  var problem: TPMProblem? {
    switch target {
    case .nowhere: return .noTPM
    case .connection(let text):
      if text.isEmpty { return .badSetting }
    case .device:
      switch FileAccess(of: Self.device) {
      case .missing: return .noTPM
      case .forbidden, .readable: return .notPermitted
      case .usable: break
      }
    }
    return switch FileAccess(of: module) {
    case .usable, .readable: nil
    case .forbidden, .missing: .noProvider
    }
  }

  /// Call it from one thread at a time.
  func connect() throws(CryptoError) -> TPM {
    if case .connection(let text) = target, Environment.value(Self.variable) != text {
      // Only tests reach this.
      do { try Environment.set(Self.variable, to: text) } catch { throw CryptoError(.unreachable, "setenv") }
    }
    return try TPM(module: module)
  }
}
