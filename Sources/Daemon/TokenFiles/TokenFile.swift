internal import Wire
internal import Platform

/// A file with a current access token or ID Token. It exists until its request's connection closes. A standing file
/// exists while the settings list it.
final class TokenFile {
  /// The maximum number of requested files, and separately of standing files.
  static let maximumCount = 32

  /// The request for the file. An internal ticket for a standing file.
  let ticket: Ticket
  let store: TokenFileStore
  let name: String
  let lock: TokenFileLock
  let kind: TokenKind
  var account: AccountName
  /// The session generation of the token in the file. Nil without a file.
  var writtenGeneration: UInt64?
  /// The session generation that a worker is writing. Nil if no write is in progress.
  var writingGeneration: UInt64?
  /// The session generation whose ID Token expires too soon to be written.
  var skippedGeneration: UInt64?
  /// Whether the request continues after a failure: for a standing file, or once the file was written.
  var survivesFailure: Bool
  /// Whether a token request is in progress.
  var awaitsToken = false
  var renewalDue: Instant?
  /// Whether the last token request failed.
  var hasFailed = false

  init(
    ticket: Ticket, account: AccountName, store: TokenFileStore, name: String, lock: TokenFileLock, kind: TokenKind,
    isStanding: Bool
  ) {
    self.ticket = ticket
    self.account = account
    self.store = store
    self.name = name
    survivesFailure = isStanding
    self.lock = lock
    self.kind = kind
  }
}
