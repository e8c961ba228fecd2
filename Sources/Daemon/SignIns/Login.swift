internal import Crypto
internal import OAuth
internal import Peers
internal import Platform
internal import Sessions
internal import Synchronization
internal import Vault
internal import Vocabulary
internal import Wire

/// Whether a sign-in was approved or cancelled, whichever was first. The thread that polls the server approves it.
final class Approval: Sendable {
  private enum State { static let open = 0, given = 1, givenUp = 2 }

  private let state = Atomic<Int>(State.open)

  var isGiven: Bool { state.load(ordering: .acquiring) == State.given }

  /// - Returns: False if the sign-in was cancelled. Its result must not be stored.
  func give() -> Bool { settle(State.given) }

  /// - Returns: False if the sign-in was approved. It must be completed.
  func giveUp() -> Bool { settle(State.givenUp) }

  /// Resets the state after an approved step has ended.
  func finish() { state.store(State.open, ordering: .releasing) }

  private func settle(_ wanted: Int) -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: State.open, desired: wanted, ordering: .acquiringAndReleasing)
    return exchanged || original == wanted
  }
}

/// A sign-in in progress: its state, and the request that waits for it.
final class Login {
  let id: UInt64
  /// The name of the sign-in in the wire protocol: 128 random bits.
  let name: String
  /// The request that waits for the sign-in, or `.nobody` while it continues in the background.
  var ticket: Ticket
  let account: AccountName
  /// The options of the sign-in, for a hint that repeats it. If it fails, the settings of a new account are not kept.
  let entered: [String]
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Whether the sign-in continues after its sender disconnected, once the user can act on it.
  var isDetached = false
  /// The action required of the user, once known, and its deadline in unix seconds.
  var event: Event?
  var expiry = 0

  /// Set once the user can act. Nil again once its client belongs to a stored account.
  var waiting: SignIn.Waiting?
  var polling = Polling()

  /// Whether the user has approved.
  let approval = Approval()
  /// Set if a sign-out of the account has cancelled the sign-in.
  let endsWithSession = Monitor(false)
  /// The visits of the browser, for a sign-in that waits for one.
  var visits = Visits()
  /// The sign-in that the user must confirm.
  var unconfirmed: SignIn.Unconfirmed?

  /// Whether the client can display a QR code.
  var wantsQRCode = false

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

  /// The visits of the browser at the redirect server.
  struct Visits {
    /// The URL to which the link redirects, until it was opened.
    var linked: String?
    /// Whether all requests so far are known to be from this user's programs.
    var isTold = true
    /// Whether a response for another sign-in was logged. The others are for a visit by another user, TLS, and an error
    /// without the state of this sign-in, which are also reported to the terminal.
    var hasMetForeignRedirect = false
    var hasMetStranger = false
    var hasMetTLS = false
    var hasMetError = false
  }

  /// The polling for the tokens of a device code.
  struct Polling {
    var device = DevicePolling(interval: 5, expiresIn: 0)
    var hasWarnedOfClock = false
  }

  /// The wait for the browser's response, or nil in another flow.
  var browser: SignIn.Waiting.Browser? { if case .browser(let waiting) = waiting { waiting } else { nil } }

  /// The wait for the approval of a device code, or nil in another flow.
  var device: SignIn.Waiting.Device? { if case .device(let waiting) = waiting { waiting } else { nil } }

  /// Whether the user has approved the sign-in. The remaining steps must then not be cancelled.
  var isFinishing: Bool { approval.isGiven }

  /// Whether a request names this sign-in.
  func isNamed(_ other: String) -> Bool { Self.isSame(name, other) }

  /// Compares two names in constant time.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return ConstantTime.isEqual(one.span, other.span)
  }
}
