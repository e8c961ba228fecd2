import Crypto

/// Everything that changes while the issuer runs; kept behind one lock.
struct IssuerState: Sendable {
  var settings: Settings
  var key: SigningKey
  var devices = DeviceGrants()
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
