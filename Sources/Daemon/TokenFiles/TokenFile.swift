internal import Wire
internal import Platform

/// A file with a current access token or ID Token. It exists until its request's connection closes or, as a standing
/// file, while the settings list it.
final class TokenFile {
  /// The limit for each kind of file: requested and standing.
  static let maximumCount = 32

  /// The ticket of the request for the file, or an internal one if the settings list the file.
  let ticket: Ticket
  let store: TokenFileStore
  let name: String
  let lock: TokenFileLock
  let kind: TokenKind
  var account: AccountName
  /// The session generation of the written token. Nil without a file.
  var writtenGeneration: UInt64?
  /// The session generation being written. Nil if none is.
  var writingGeneration: UInt64?
  /// The session generation whose ID Token expires too soon to be written.
  var skippedGeneration: UInt64?
  /// Whether to continue after a failure: for a standing file, or once a token was written.
  var survivesFailure: Bool
  var awaitsToken = false
  var renewalDue: Instant?
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
