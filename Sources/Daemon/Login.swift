internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// A sign-in under way: the request that waits for it, and where it stands.
final class Login {
  let id: UInt64
  /// What it is called on the socket: 128 random bits.
  let name: String
  let ticket: Ticket
  let account: AccountName
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Set once the device code is there.
  var signIn: DeviceSignIn?
  /// Set once the address to open is there.
  var browser: BrowserSignIn?
  var polling = DevicePolling(interval: 5, expiresIn: 0)

  /// The person has approved; what is left must not be given up half-way.
  var isFinishing = false
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

  /// Whether this is the sign-in that a request names. The time tells nothing of the name.
  func isNamed(_ other: String) -> Bool {
    let (mine, theirs) = (Array(name.utf8), Array(other.utf8))
    return ConstantTime.isEqual(mine.span, theirs.span)
  }
}
