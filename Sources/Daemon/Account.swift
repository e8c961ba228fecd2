internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// One account as the loop sees it: its session, and who waits for it.
final class Account {
  let name: AccountName
  var configuration: AccountConfiguration {
    didSet {
      usualLine = nil
      settingsRevision = nil
    }
  }

  /// The settings file's revision whose settings these are.
  var settingsRevision: UInt64?

  /// With the token, whatever was made of it goes too.
  var session = Session() { didSet { if usualLine?.grant !== session.grant { usualLine = nil } } }
  var waiters: [Waiter] = []

  /// The vault file that the token at hand was last held against.
  var provenAgainst: FileStamp?

  /// What the file changes were at when that was still the vault file.
  var provenAt: UInt64?

  /// The answer to those who want the token at hand and nothing else: most callers do, so it is kept.
  private var usualLine: TokenLine?

  /// Longer answers are made anew each time, to spare the secure heap.
  private static let mostKeptBytes = 16 << 10

  /// The renewal that a timer is set for.
  var renewalScheduled: Instant?

  /// When the attempt in flight began.
  var attemptStartedAt: Instant?

  /// Ends the refresh in flight.
  private var refreshCancellation: Cancellation?

  /// A request that waits for a token.
  struct Waiter {
    let ticket: Ticket
    let need: TokenNeed
    let purpose: Purpose
  }

  enum Purpose {
    case token(TokenRequest.Extras)
    case whoami
    case check(CheckBatch)
  }

  init(name: AccountName, configuration: AccountConfiguration) {
    self.name = name
    self.configuration = configuration
  }

  func newRefreshCancellation() -> Cancellation {
    let cancellation = Cancellation()
    refreshCancellation = cancellation
    return cancellation
  }

  func cancelRefresh() {
    refreshCancellation?.cancel()
    refreshCancellation = nil
  }

  /// The answer line to a request for a token.
  func line(for grant: AccessGrant, _ extras: TokenRequest.Extras) throws(Failure) -> SharedSecret {
    let isUsual = extras == TokenRequest.Extras() && grant === session.grant
    if isUsual, let usualLine { return usualLine.line }
    let made = try TokenLine(describe(grant), grant, extras)
    if isUsual, made.line.bytes.count <= Self.mostKeptBytes { usualLine = made }
    return made.line
  }

  func describe(_ grant: AccessGrant) -> TokenDescription {
    TokenDescription(
      account: name.text, issuer: configuration.issuer, subject: grant.subject, tokenType: grant.tokenType,
      scope: grant.scope, expiresAt: grant.expiresAtUnixSeconds)
  }
}
