internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Synchronization
internal import Wire

/// Whether a sign-in was approved or cancelled, whichever came first. Thread-safe.
final class Approval: Sendable {
  private enum State { static let open = 0, approved = 1, cancelled = 2 }

  private let state = Atomic<Int>(State.open)

  var isApproved: Bool { state.load(ordering: .acquiring) == State.approved }

  /// Returns false if already cancelled.
  func approve() -> Bool { decide(State.approved) }

  /// Returns false if already approved.
  func cancel() -> Bool { decide(State.cancelled) }

  /// Allows cancellation again, after an approved step.
  func reopen() { state.store(State.open, ordering: .releasing) }

  /// Returns whether the state is now `wanted`.
  private func decide(_ wanted: Int) -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: State.open, desired: wanted, ordering: .acquiringAndReleasing)
    return exchanged || original == wanted
  }
}

/// A sign-in in progress and the request that waits for it.
final class Login {
  let number: UInt64
  /// 128 random bits in hex, which identify the sign-in to clients.
  let loginID: String
  /// The waiting request, or `.noRequest`.
  var ticket: Ticket
  let account: AccountName
  let enteredOptions: [String]
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Whether the sign-in continues in the background while it waits for the user.
  var isDetached = false
  /// Describes the user's next step. Nil until known.
  var nextStep: Event?
  /// When the step expires, in unix seconds. 0 until known.
  var stepExpiry = 0

  /// The wait for the user. Nil until the user can act.
  var waiting: SignIn.PendingApproval?
  var polling = Polling()

  let approval = Approval()
  /// Set if the account is signed out meanwhile.
  let signedOutFlag = Monitor(false)
  var visits = Visits()
  /// The signed-in user, whom this machine's user must confirm.
  var unconfirmed: SignIn.Unconfirmed?

  var wantsQRCode = false
  var pageTexts = Translations.english

  init(
    number: UInt64, loginID: String, ticket: Ticket, account: AccountName, enteredOptions: [String] = [],
    startedAt: Instant
  ) {
    self.number = number
    self.loginID = loginID
    self.ticket = ticket
    self.account = account
    self.enteredOptions = enteredOptions
    self.startedAt = startedAt
  }

  /// Browser visits to the redirect server.
  struct Visits {
    /// The authorization URL, until the browser opens the one-time link to it.
    var linkTarget: String?
    /// Whether all requests so far are from the daemon's user.
    var isFromOwnUser = true
    var hasLoggedForeignRedirect = false
    var hasWarnedOfOtherUser = false
    var hasWarnedOfTLS = false
  }

  struct Polling {
    var device = DevicePolling(interval: 5, expiresIn: 0)
    var hasWarnedOfClock = false
  }

  /// Nil in other flows.
  var browser: SignIn.PendingApproval.Browser? { if case .browser(let waiting) = waiting { waiting } else { nil } }

  /// Nil in other flows.
  var device: SignIn.PendingApproval.Device? { if case .device(let waiting) = waiting { waiting } else { nil } }

  /// Whether the sign-in was approved and cannot be cancelled.
  var isFinishing: Bool { approval.isApproved }

  /// In constant time.
  func hasLoginID(_ other: String) -> Bool { Self.isSame(loginID, other) }

  /// Compares IDs in constant time.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return ConstantTime.isEqual(one.span, other.span)
  }
}
