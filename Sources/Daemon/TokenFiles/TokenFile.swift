internal import Wire
internal import Platform

/// A file with a current access token or ID Token, until the connection of its request closes. A standing file is kept
/// as long as the settings list it.
final class TokenFile {
  /// The maximum number of requested files, and separately of standing files.
  static let maximumCount = 32

  /// The request for the file. An internal ticket for a standing file.
  let ticket: Ticket
  let store: TokenFileStore
  let name: String
  let lock: TokenFileLock
  let kind: TokenKind
  /// The token's account. Updated when it is renamed.
  var account: AccountName
  /// The session generation of the token in the file. Nil without a file.
  var writtenGeneration: UInt64?
  /// The session generation of the token that a worker is writing. Nil if no write is in progress.
  var writingGeneration: UInt64?
  /// The session generation whose ID Token was not written because it expires too soon.
  var skippedGeneration: UInt64?
  /// Whether the file is a standing one or was written before. Otherwise a failure ends the request.
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
