internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// A sign-in under way: the request that waits for it, and where it stands.
final class Login {
  let id: UInt64
  let ticket: Ticket
  let account: AccountName
  let startedAt: Instant
  let cancellation = Cancellation()

  /// Set once the device code is there.
  var signIn: DeviceSignIn?
  var polling = DevicePolling(interval: 5, expiresIn: 0)

  /// The person has approved; what is left must not be given up half-way.
  var isFinishing = false
  var hasWarnedOfClock = false

  /// Whether the client can show a QR code.
  var wantsQRCode = false

  init(id: UInt64, ticket: Ticket, account: AccountName, startedAt: Instant) {
    self.id = id
    self.ticket = ticket
    self.account = account
    self.startedAt = startedAt
  }
}
