import Encoding
import Platform
import TestSupport
import Testing

/// Two accounts at their own issuer: `open` at the protection level `device`, and `shut`, which is unlocked and
/// protected by a passphrase.
struct LockedHome {
  let tree: AgentTree
  let issuer: Issuer

  static let passphrase = "cnry-pass correct horse battery staple"

  /// - Parameter options: Options of `devissuer`.
  static func with<Result>(_ options: String..., body: (LockedHome) throws -> Result) throws -> Result {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let home = LockedHome(tree: tree, issuer: issuer)
        try tree.directory.write("passphrase", passphrase + "\n")
        try tree.directory.write("wrong", "something else")
        try tree.signIn("open", at: issuer.url)
        try tree.signIn("shut", at: issuer.url, "--protect", "passphrase", "--passphrase-file", home.file)
        return try body(home)
      }
    }
  }

  /// A file with the passphrase.
  var file: String { tree.path("passphrase") }
  /// A file with another passphrase.
  var wrong: String { tree.path("wrong") }

  @discardableResult
  func run(_ arguments: String...) throws -> ProcessResult {
    let result = try tree.agent(arguments)
    try #require(result.succeeded, "\(arguments): \(result.errorText)")
    return result
  }

  func lock() throws { try run("lock", "-q") }

  func unlock() throws { try run("unlock", "-q", "--passphrase-file", file) }

  /// Whether an account's token is refused because the account is locked.
  func isLocked(_ account: String = "shut") throws -> Bool {
    let result = try tree.agent("token", account, "--json")
    guard result.failed(5) else { return false }
    return result.failureCode == "locked"
  }

  func status(_ account: String) throws -> JSON {
    try #require(try tree.json("status", account)["accounts"]?.array?.first)
  }
}
