internal import Wire

/// What an access token is to be good for.
public struct TokenOptions: Sendable, Hashable {
  /// The token must be good for so long at least, up to a day; nil leaves it to the agent. Fractions of a second count
  /// as a whole one.
  public var minimumValidity: Duration?

  /// A new one, also where the one at hand is good: after a server has refused that, once. Never at each request.
  public var forcesRefresh = false

  /// Narrower than what was granted; empty means all of it (RFC 6749, section 6).
  public var scope: [String] = []

  /// The resources it is for (RFC 8707, section 2.2).
  public var resources: [String] = []

  /// The audience it is for, at servers that call it so.
  public var audience: String?

  /// How long to wait for the agent, which may have to ask a server: 1 second to an hour.
  public var timeout: Duration = .seconds(120)

  /// The account's own token, good for as long as the agent thinks fit.
  public init(minimumValidity: Duration? = nil, forcesRefresh: Bool = false) {
    self.minimumValidity = minimumValidity
    self.forcesRefresh = forcesRefresh
  }

  func request(for account: String?) -> TokenRequest {
    var request = TokenRequest(
      account: account, minimumValiditySeconds: minimumValidity.map { min($0.wholeSeconds, 86_400) },
      forceRefresh: forcesRefresh, extras: TokenRequest.Extras(claims: true))
    request.target = TokenRequest.Target(scope: scope, resources: resources, audience: audience)
    return request
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}

extension Duration {
  /// Rounded up, and not below 0.
  var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int(clamping: seconds) &+ (attoseconds > 0 && seconds < .max ? 1 : 0)
  }
}
