internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// One account as the loop sees it: its session, and who waits for it.
final class Account {
  let name: AccountName
  var configuration: AccountConfiguration
  var session = Session()
  var waiters: [Waiter] = []

  /// The vault file that the token at hand was last held against.
  var provenAgainst: FileStamp?

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
    case proof(ProofRequest)
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

  func describe(_ grant: AccessGrant) -> TokenDescription {
    TokenDescription(
      account: name.text, issuer: configuration.issuer, subject: grant.subject, tokenType: grant.tokenType,
      scope: grant.scope, expiresAt: grant.expiresAtUnixSeconds)
  }
}
