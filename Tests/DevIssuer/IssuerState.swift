import Crypto

/// Everything that changes while the issuer runs; kept behind one lock.
struct IssuerState: Sendable {
  var settings: Settings
  var key: SigningKey
  var devices = DeviceGrants()
  var authorizations = PendingAuthorizations()
  var pushed = PushedRequests()
  /// More than this push out the oldest.
  var sessions = BoundedTable<OpaqueKey, BrowserSession>(capacity: 1000)
  /// Clients that registered themselves; more than this push out the oldest.
  var registrations = BoundedTable<OpaqueKey, Registration>(capacity: 1000)
  /// Client assertions that came before; more than this push out the oldest.
  var assertions = BoundedTable<ClientAssertion.Use, Bool>(capacity: 10_000)
  var codes = AuthorizationCodes()
  /// The last one that was given out.
  var lastCode: OpaqueKey?
  var tokens = TokenStore()
  var guesses = GuessLimiter()
  var dpop: DPoPState
  private var counts: [Counter: Int] = [:]

  init(settings: Settings, key: SigningKey) throws(CryptoError) {
    self.settings = settings
    self.key = key
    dpop = try DPoPState()
  }

  mutating func count(_ counter: Counter) {
    counts[counter, default: 0] &+= 1
  }

  subscript(counter: Counter) -> Int { counts[counter] ?? 0 }
}
