internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Synchronization
internal import Vault
internal import Wire

/// Whether a sign-in has been approved, which the thread that asks the server learns first, or was given up before.
/// Only one of the two can come true.
final class Approval: Sendable {
  private enum State { static let open = 0, given = 1, givenUp = 2 }

  private let state = Atomic<Int>(State.open)

  var isGiven: Bool { state.load(ordering: .acquiring) == State.given }

  /// - Returns: False when the sign-in was given up: nothing may be kept of it.
  func give() -> Bool { settle(State.given) }

  /// - Returns: False when it was approved: it must be finished.
  func giveUp() -> Bool { settle(State.givenUp) }

  /// What was approved has come to its end.
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
  /// What it is called on the socket: 128 random bits.
  let name: String
  /// Who waits for it; nobody, when it goes on in the background.
  var ticket: Ticket
  let account: AccountName
  let startedAt: Instant
  let cancellation = Cancellation()

  /// It goes on when its sender is gone, once there is something for a person to do.
  var isDetached = false
  /// What a person must do, once that is known, and until when, in unix seconds.
  var event: Event?
  var expiry = 0

  /// Set once the server was met.
  var prepared: SignIn?
  /// Set once the device code is there.
  var signIn: DeviceSignIn?
  /// Set once the address to open is there.
  var browser: BrowserSignIn?
  var polling = DevicePolling(interval: 5, expiresIn: 0)

  /// Whether the person has approved.
  let approval = Approval()
  var hasWarnedOfClock = false
  var hasMetForeignRedirect = false

  /// Whether the client can show a QR code.
  var wantsQRCode = false

  init(id: UInt64, name: String, ticket: Ticket, account: AccountName, startedAt: Instant) {
    self.id = id
    self.name = name
    self.ticket = ticket
    self.account = account
    self.startedAt = startedAt
  }

  /// The person has approved; what is left must not be given up half-way.
  var isFinishing: Bool { approval.isGiven }

  /// Whether this is the sign-in that a request names.
  func isNamed(_ other: String) -> Bool { Self.isSame(name, other) }

  /// Whether two names are the same. The time tells nothing of them.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    return ConstantTime.isEqual(one.span, other.span)
  }
}
