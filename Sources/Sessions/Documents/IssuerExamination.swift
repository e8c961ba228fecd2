package import OAuth
internal import Crypto
internal import Platform

/// The result of examining an account's server.
package struct IssuerExamination: Sendable {
  /// The examination's duration.
  package var milliseconds = 0
  /// How far this machine's clock is ahead of the server's; nil if unknown.
  package var clockOffsetSeconds: Int?
  /// The number of usable keys. Nil without a key set or after a ``problem``.
  package var keys: Int?
  package var unusableKeys = 0
  /// Why the server is unusable, if it is.
  package var problem: SessionError?

  package init(problem: SessionError? = nil) { self.problem = problem }
}

extension AccountConfiguration {
  /// Whether both accounts connect to the same server with the same settings.
  package func canShareExamination(with other: AccountConfiguration) -> Bool {
    issuer == other.issuer && self.caFile == other.caFile && self.proxy == other.proxy && self.pins == other.pins
      && self.proxyExclusions == other.proxyExclusions && self.allowHTTPLoopback == other.allowHTTPLoopback
  }
}

extension SessionServices {
  /// Fetches the public documents of an account's server, without changing the cache. Blocking.
  package func examineIssuer(
    of account: AccountName, _ configuration: AccountConfiguration, cancellation: Cancellation
  ) -> IssuerExamination {
    let begin = time.now()
    let http = ClockMeasuringHTTPClient(http, time)
    var examination = IssuerExamination()
    do throws(SessionError) {
      let keys = try fetchKeys(account, configuration, http, cancellation)
      examination.keys = keys?.keys.count
      examination.unusableKeys = keys?.unusableCount ?? 0
    } catch {
      examination.problem = error
    }
    examination.milliseconds = begin.duration(to: time.now()).wholeMilliseconds
    examination.clockOffsetSeconds = http.offsetSeconds
    return examination
  }

  /// Nil if the server has no key set.
  private func fetchKeys(
    _ account: AccountName, _ configuration: AccountConfiguration, _ http: ClockMeasuringHTTPClient,
    _ cancellation: Cancellation
  ) throws(SessionError) -> JWKSet? {
    var parsed = try ParsedConfiguration(configuration)
    // Send proxy credentials to their own proxy only.
    if configuration.proxy != nil, let record = try? record(of: account),
      record.changedSetting(in: parsed) == nil
    {
      parsed.useProxyCredentials(record.proxyCredentials)
    }
    var metadata = AuthorizationServerMetadata(issuer: parsed.issuer, overrides: parsed.providerEndpoints)
    if parsed.publishesMetadata {
      metadata = try mapOAuthError(
        Discovery.fetchMetadata(parsed.issuer, transport: parsed.transport, http: http, cancellation: cancellation)
      ).value
    }
    metadata = metadata.applying(parsed.overrides)
    guard let keys = metadata[.keys] else {
      if !parsed.publishesMetadata {
        try mapOAuthError(checkReachable(parsed.issuer, parsed.transport, http, cancellation))
      }
      return nil
    }
    return try mapOAuthError(
      Discovery.fetchKeys(at: keys, transport: parsed.transport, http: http, cancellation: cancellation)
    ).value
  }

  /// Throws unless the issuer URL responds.
  private func checkReachable(
    _ issuer: Issuer, _ transport: Transport, _ http: ClockMeasuringHTTPClient, _ cancellation: Cancellation
  ) throws(OAuthError) {
    let endpoint = try Endpoint(issuer.text, allowHTTPLoopback: transport.allowHTTPLoopback)
    let request = HTTPRequest(.get, endpoint, .metadata, transport: transport, cancellation: cancellation)
    _ = try http.ask(request)
  }
}

/// Compares this machine's clock with each response's `Date` (RFC 9110 section 6.6.1).
private final class ClockMeasuringHTTPClient: HTTPClient {
  private let client: any HTTPClient
  private let time: any TimeSource
  private let lastOffsetSeconds = Monitor<Int?>(nil)

  init(_ client: any HTTPClient, _ time: any TimeSource) {
    self.client = client
    self.time = time
  }

  /// Positive if this machine's clock is ahead. Nil without a `Date`.
  var offsetSeconds: Int? { lastOffsetSeconds.withLock { $0 } }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let response = try client.send(request)
    if let date = response.headers.date { lastOffsetSeconds.withLock { $0 = time.wallSeconds() - date } }
    return response
  }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    try client.exchange(request, authorization: authorization, content: content, receiver: receiver)
  }
}
