internal import Platform
internal import Sessions
internal import Vault

/// A file with an account's access token, kept fresh for as long as the connection that asked for it is open.
/// Used on the loop only.
final class TokenFile {
  static let most = 32

  let ticket: Ticket
  let name: String
  let lock: TokenFileLock
  /// Follows the account when that gets another name.
  var account: AccountName
  /// The session's generation whose token is in it; nil while there is no file.
  var written: UInt64?
  /// Whether it was there before; until then a failure ends it.
  var hasBegun = false
  /// A token is being got for it.
  var isWaiting = false
  /// When the next token is to be got.
  var renewal: Instant?
  /// The last attempt to get a token for it failed.
  var hasFailed = false

  init(ticket: Ticket, account: AccountName, name: String, lock: TokenFileLock) {
    self.ticket = ticket
    self.account = account
    self.name = name
    self.lock = lock
  }
}
