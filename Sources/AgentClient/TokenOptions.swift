internal import Wire

/// The options of a token request.
public struct TokenOptions: Sendable, Hashable {
  /// The minimum remaining lifetime, up to a day; nil for the agent's default. Rounded up to seconds.
  public var minimumValidity: Duration?

  /// Whether to renew a token that is still valid. Set it only after a resource has rejected the token.
  public var forcesRefresh = false

  /// The requested part of the granted scope; if empty, all of it (RFC 6749, section 6).
  public var scope: [String] = []

  /// The resources of the token (RFC 8707, section 2.2).
  public var resources: [String] = []

  /// The audience of the token, for servers with this parameter.
  public var audience: String?

  /// How long to wait for the agent: 1 second to an hour.
  public var timeout: Duration = .seconds(120)

  /// Creates options for a token with the account's scope and resources.
  public init(minimumValidity: Duration? = nil, forcesRefresh: Bool = false) {
    self.minimumValidity = minimumValidity
    self.forcesRefresh = forcesRefresh
  }

  func request(for account: String?) -> TokenRequest {
    var request = TokenRequest(
      account: account, minimumValiditySeconds: minimumValidity.map { min($0.wholeSeconds, 86_400) },
      forceRefresh: forcesRefresh, extras: TokenRequest.Extras(wantsClaims: true))
    request.target = TokenRequest.Target(scope: scope, resources: resources, audience: audience)
    return request
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}

extension Duration {
  /// The duration in seconds, rounded up; 0 if negative.
  var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int(clamping: seconds) &+ (attoseconds > 0 && seconds < .max ? 1 : 0)
  }
}
