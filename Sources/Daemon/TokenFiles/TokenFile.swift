internal import Peers
internal import Platform
internal import Vocabulary

/// A file with an account's access token or ID Token, kept current until the requesting connection closes, or for a
/// standing file as long as the settings list it.
final class TokenFile {
  static let most = 32

  /// The request for the file, or an internal ticket for a standing file.
  let ticket: Ticket
  let store: TokenFileStore
  let name: String
  let lock: TokenFileLock
  let kind: TokenKind
  /// Updated when the account is renamed.
  var account: AccountName
  /// The session generation of the token in the file. Nil if the file does not exist.
  var written: UInt64?
  /// The session generation of the token that a worker is writing. Nil if no write is in progress.
  var writing: UInt64?
  /// The session generation whose ID Token was not written because it expires too soon.
  var skipped: UInt64?
  /// Whether the file is a standing one or was written before. If not, a failure ends the request.
  var hasBegun: Bool
  /// Whether a token request for the file is in progress.
  var isWaiting = false
  /// When to request the next token.
  var renewal: Instant?
  /// Whether the last token request for the file failed.
  var hasFailed = false

  init(
    ticket: Ticket, account: AccountName, store: TokenFileStore, name: String, lock: TokenFileLock, kind: TokenKind,
    isStanding: Bool
  ) {
    self.ticket = ticket
    self.account = account
    self.store = store
    self.name = name
    hasBegun = isStanding
    self.lock = lock
    self.kind = kind
  }
}
