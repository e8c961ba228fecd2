internal import Crypto
internal import OAuth
internal import Peers
internal import Platform
internal import Sessions
internal import Synchronization
internal import Vault
internal import Vocabulary
internal import Wire

/// Whether a sign-in was approved or cancelled, whichever came first. The thread that polls the server approves it.
final class Approval: Sendable {
  private enum State { static let open = 0, given = 1, givenUp = 2 }

  private let state = Atomic<Int>(State.open)

  var isGiven: Bool { state.load(ordering: .acquiring) == State.given }

  /// - Returns: False if the sign-in was already cancelled, so its result must not be stored.
  func give() -> Bool { settle(State.given) }

  /// - Returns: False if the sign-in was already approved, so it must be completed.
  func giveUp() -> Bool { settle(State.givenUp) }

  /// Allows cancelling again, after an approved step has ended.
  func finish() { state.store(State.open, ordering: .releasing) }

  /// Decides, and returns whether this was the decision.
  private func settle(_ wanted: Int) -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: State.open, desired: wanted, ordering: .acquiringAndReleasing)
    return exchanged || original == wanted
  }
}

/// A sign-in in progress and the request that waits for it.
final class Login {
  let id: UInt64
  /// Identifies the sign-in in the wire protocol: 128 random bits.
  let name: String
  /// The waiting request, or `.nobody` while the sign-in continues in the background.
  var ticket: Ticket
  let account: AccountName
  /// The options of the sign-in, for a hint that repeats it. A failed sign-in keeps no settings of a new account.
  let entered: [String]
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Whether the sign-in continues in the background once the user can act on it.
  var isDetached = false
  /// What the user must do, once known, and the deadline in unix seconds.
  var event: Event?
  var expiry = 0

  /// The wait for the user; nil until the user can act, and after the account's registered client was stored.
  var waiting: SignIn.Waiting?
  var polling = Polling()

  /// Whether the user has approved.
  let approval = Approval()
  /// Set when the sign-in is cancelled because its account is signed out.
  let endsWithSession = Monitor(false)
  /// The browser's visits, if the sign-in waits for a browser.
  var visits = Visits()
  /// The sign-in that the user must confirm.
  var unconfirmed: SignIn.Unconfirmed?

  /// Whether the client can display a QR code.
  var wantsQRCode = false
  /// The language of the browser's pages.
  var pages = Translations.english

  init(
    id: UInt64, name: String, ticket: Ticket, account: AccountName, entered: [String] = [], startedAt: Instant
  ) {
    self.id = id
    self.name = name
    self.ticket = ticket
    self.account = account
    self.entered = entered
    self.startedAt = startedAt
  }

  /// The browser's visits to the redirect server.
  struct Visits {
    /// The URL to which the link redirects, until the link is opened.
    var linked: String?
    /// Whether all requests so far are known to be from this user.
    var isFromOwnUser = true
    /// Whether a response for another sign-in was logged. The next three are also shown on the terminal, for a visit by
    /// another user, for TLS, and for an error without this sign-in's state.
    var hasMetForeignRedirect = false
    var hasMetStranger = false
    var hasMetTLS = false
    var hasMetError = false
  }

  /// The polling for the tokens of a device code.
  struct Polling {
    var device = DevicePolling(interval: 5, expiresIn: 0)
    /// Whether the user was warned that this machine's clock may be fast.
    var hasWarnedOfClock = false
  }

  /// The wait for the browser's response. Nil in other flows.
  var browser: SignIn.Waiting.Browser? { if case .browser(let waiting) = waiting { waiting } else { nil } }

  /// The wait for the approval of a device code. Nil in other flows.
  var device: SignIn.Waiting.Device? { if case .device(let waiting) = waiting { waiting } else { nil } }

  /// Whether the user has approved, so that the remaining steps must not be cancelled.
  var isFinishing: Bool { approval.isGiven }

  /// Whether this is the sign-in's name.
  func isNamed(_ other: String) -> Bool { Self.isSame(name, other) }

  /// Compares two names in constant time.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return ConstantTime.isEqual(one.span, other.span)
  }
}
