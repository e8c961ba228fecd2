internal import Peers
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary

/// A file with an account's access token or ID Token, kept up to date until the connection that requested it closes; a
/// standing one for as long as the settings list it. Used on the loop only.
final class TokenFile {
  static let most = 32

  let ticket: Ticket
  let store: TokenFileStore
  let name: String
  let lock: TokenFileLock
  let kind: TokenKind
  /// The account's name; a rename updates it.
  var account: AccountName
  /// Session generation of the token in the file; nil while the file does not exist.
  var written: UInt64?
  /// Session generation of the token that a worker is writing; nil while none is.
  var writing: UInt64?
  /// Session generation whose ID Token would have expired too soon for the file.
  var passedOver: UInt64?
  /// Whether the file has been written once, or is a standing one. Until then, a failure ends the request.
  var hasBegun: Bool
  /// Whether a token request for the file is in progress.
  var isWaiting = false
  /// Time of the next token request.
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
