import Encoding
import Platform
import TestSupport
import Testing

/// A tree on a machine with a software TPM.
struct TPMHome {
  let tree: AgentTree
  let issuer: Issuer
  let tpm: SoftwareTPM

  static let pin = "cnry-pin-4711-0815"

  static func with<Result>(body: (TPMHome) throws -> Result) throws -> Result {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let tpm = try SoftwareTPM()
        try tree.directory.write("pin", pin + "\n")
        try tree.directory.write("wrong", "0000")
        try tree.directory.write("passphrase", LockedHome.passphrase)
        return try body(TPMHome(tree: tree, issuer: issuer, tpm: tpm))
      }
    }
  }

  func file(_ name: String) -> String { tree.path(name) }

  /// The environment of a machine with a TPM.
  func machine(_ other: SoftwareTPM? = nil) -> [String: String?] {
    ["TPM2OPENSSL_TCTI": (other ?? tpm).connection]
  }

  /// Runs a command on a machine with a TPM. A daemon that it starts keeps that TPM.
  func agent(_ arguments: String..., on other: SoftwareTPM? = nil) throws -> ProcessResult {
    try tree.agent(arguments, machine(other))
  }

  @discardableResult
  func run(_ arguments: String..., on other: SoftwareTPM? = nil) throws -> ProcessResult {
    let result = try tree.agent(arguments, machine(other))
    try #require(result.succeeded, "\(arguments): \(result.errorText)")
    return result
  }

  func signIn(_ account: String, _ options: String...) throws {
    let line = [
      "login", account, "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
    ]
    let result = try tree.agent(line + options, machine())
    try #require(result.succeeded, "\(result.errorText)")
  }
}

extension Trait where Self == ConditionTrait {
  static var needsSoftwareTPM: Self {
    .enabled(
      if: Spawn.search(SoftwareTPM.program) != nil
        && (try? ProcessRunner.shell("ls /usr/lib/*/ossl-modules/tpm2.so"))?.succeeded == true,
      "swtpm or OpenSSL's provider tpm2 is not installed")
  }
}
