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

  /// - Returns: False if the sign-in was cancelled: its result must not be stored.
  func give() -> Bool { settle(State.given) }

  /// - Returns: False if the sign-in was approved: it must be finished.
  func giveUp() -> Bool { settle(State.givenUp) }

  /// Resets the state after an approved sign-in is finished.
  func finish() { state.store(State.open, ordering: .releasing) }

  private func settle(_ wanted: Int) -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: State.open, desired: wanted, ordering: .acquiringAndReleasing)
    return exchanged || original == wanted
  }
}

/// A sign-in under way: the request that waits for it, and where it stands.
final class Login {
  let id: UInt64
  /// Name of the sign-in in the wire protocol: 128 random bits.
  let name: String
  /// The request that waits for the sign-in; `.nobody` while it continues in the background.
  var ticket: Ticket
  let account: AccountName
  /// The options of the sign-in, for a hint that repeats it: nothing of a new account is kept if it fails.
  let entered: [String]
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Whether the sign-in continues after its sender disconnected, once a person can act on it.
  var isDetached = false
  /// The action that a person must take, once known, and its deadline in unix seconds.
  var event: Event?
  var expiry = 0

  /// Set once there is something that a person can act on; nil again when its client belongs to a stored account.
  var waiting: SignIn.Waiting?
  var polling = Polling()

  /// Whether the person has approved.
  let approval = Approval()
  /// The account is signed out, which gave the sign-in up.
  let endsWithSession = Monitor(false)
  /// The visits of the browser, for a sign-in that waits for one.
  var visits = Visits()
  /// The sign-in that waits until a person confirms it.
  var unconfirmed: SignIn.Unconfirmed?

  /// Whether the client can show a QR code.
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
    /// The address that the link leads to, until it was opened.
    var linked: String?
    /// Whether all that came from the browser came from this user's programs, as far as is known.
    var isTold = true
    /// Whether an answer for another sign-in was logged. Likewise a visit by another user, TLS, and an error without the
    /// state of this sign-in, which are also reported to the terminal.
    var hasMetForeignRedirect = false
    var hasMetStranger = false
    var hasMetTLS = false
    var hasMetError = false
  }

  /// The requests for the tokens of a device code.
  struct Polling {
    var device = DevicePolling(interval: 5, expiresIn: 0)
    var hasWarnedOfClock = false
  }

  /// The wait for the browser's answer; nil for another flow.
  var browser: SignIn.Waiting.Browser? { if case .browser(let waiting) = waiting { waiting } else { nil } }

  /// The wait for the approval of a device code; nil for another flow.
  var device: SignIn.Waiting.Device? { if case .device(let waiting) = waiting { waiting } else { nil } }

  /// Whether the person has approved the sign-in. The remaining steps must then not be cancelled.
  var isFinishing: Bool { approval.isGiven }

  /// Whether this is the sign-in that a request names.
  func isNamed(_ other: String) -> Bool { Self.isSame(name, other) }

  /// Compares two names in constant time.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return ConstantTime.isEqual(one.span, other.span)
  }
}
