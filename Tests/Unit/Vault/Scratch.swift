import Crypto
import Platform
@testable import Vault
import Vocabulary

/// A state directory for one test, removed with the last reference.
final class Scratch: Sendable {
  static let machine: [UInt8] = Array(1...16)
  static let otherMachine: [UInt8] = Array(101...116)
  static let user: UInt32 = 1000
  /// The lowest cost that a file may have.
  static let cost = Scrypt.Cost(logarithm: 15, blockSize: 8, parallelism: 1)

  let path: String

  init() throws {
    let suffix = Randomness.bytes(8).map { String($0, radix: 16) }.joined(separator: "-")
    path = "/tmp/vault-tests-\(suffix)"
    _ = try PrivateDirectory(opening: path, create: true)
  }

  deinit {
    try? run("/bin/rm", "-rf", path)
  }

  /// A vault for the directory, with an empty memory.
  func vault(
    machine: [UInt8]? = Scratch.machine, user: UInt32 = Scratch.user, lockWait: Duration = .seconds(60),
    tpm: TPMAccess = .none
  ) -> Vault {
    Vault(
      stateDirectory: path, machineIdentity: machine, userID: user, lockWait: lockWait, tpm: tpm, cost: Scratch.cost)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func directory() throws -> PrivateDirectory { try PrivateDirectory(opening: path, create: false) }

  func names() throws -> [String] { try directory().fileNames().sorted() }

  func bytes(of name: String) throws -> [UInt8] { try directory().readFile(name, limit: 1 << 20) }

  func put(_ bytes: [UInt8], as name: String, mode: UInt32 = 0o600) throws {
    try directory().replaceFile(name, with: bytes.span, mode: mode)
  }

  func remove(_ name: String) throws { try directory().removeFile(name) }
}

/// The vault file of ``Scratch/machine``.
let vaultName = "vault.a99b184eac4b93a1"
/// The vault file of ``Scratch/otherMachine``.
let otherVaultName = "vault.445d95a203591012"

/// The slot of a new vault without a TPM.
let hostSlot = SlotSummary(number: 1, kind: .host, name: "host", protection: .device)

let alice = try! AccountName("alice")
let bob = try! AccountName("bob")
let carol = try! AccountName("carol")

struct CommandFailed: Error { let status: ProcessStatus }

/// Runs a system program and requires its success.
func run(_ executable: String, _ arguments: String...) throws {
  let process = try Spawn.start(
    Spawn.Request(executable: executable, arguments: [executable] + arguments, environment: []))
  let status = try Spawn.wait(process)
  guard status == .exited(0) else { throw CommandFailed(status: status) }
}

func secret(_ text: String) -> SecretBytes {
  let bytes = Array(text.utf8)
  return try! SecretBytes(copying: bytes.span)
}

extension Vault {
  @discardableResult
  func write(_ account: AccountName, _ text: String) throws(VaultError) -> UInt64 {
    try write(account, content: secret(text))
  }

  @discardableResult
  func write(_ account: AccountName, _ text: String, _ protection: Protection) throws(VaultError) -> UInt64 {
    try write(account, content: secret(text), protection: protection)
  }

  /// Nil without a record.
  func text(of account: AccountName) throws(VaultError) -> String? {
    guard let record = try read(account) else { return nil }
    return record.content.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }
}
