package import OAuth
internal import JOSE
internal import Platform
package import Vocabulary

/// Diagnoses an account's authorization server. Fetches its public documents like a sign-in, without changing the
/// cache.
package struct IssuerExamination: Sendable {
  package struct Finding: Sendable {
    /// The time for connecting and reading the responses.
    package var milliseconds: Int
    /// How far this machine's clock is ahead of the server's. Nil if the server sent no time.
    package var clockOffsetSeconds: Int?
    /// The number of usable keys, or nil if the server has no key set.
    package var keys: Int?
    package var unusableKeys = 0
    /// The error that makes the server unusable, if any.
    package var problem: SessionError?

    package init(milliseconds: Int, problem: SessionError? = nil) {
      (self.milliseconds, self.problem) = (milliseconds, problem)
    }
  }

  private let account: AccountName
  private let configuration: AccountConfiguration
  private let services: SessionServices
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, services: SessionServices,
    cancellation: Cancellation = Cancellation()
  ) {
    self.account = account
    self.configuration = configuration
    self.services = services
    self.cancellation = cancellation
  }

  /// Whether two accounts use the same server in the same way.
  package static func isSame(_ one: AccountConfiguration, _ other: AccountConfiguration) -> Bool {
    one.issuer == other.issuer && one.caFile == other.caFile && one.proxy == other.proxy && one.pins == other.pins
      && one.proxyExclusions == other.proxyExclusions && one.allowHTTPLoopback == other.allowHTTPLoopback
  }

  /// Contacts the server and reports the result. Blocking.
  package func run() -> Finding {
    let begin = services.time.now()
    let http = ClockReader(services.http, services.time)
    var finding = Finding(milliseconds: 0)
    do throws(SessionError) {
      let keys = try look(http)
      finding.keys = keys?.keys.count
      finding.unusableKeys = keys?.unusable ?? 0
    } catch {
      finding.problem = error
    }
    finding.milliseconds = begin.duration(to: services.time.now()).wholeMilliseconds
    finding.clockOffsetSeconds = http.offset
    return finding
  }

  /// Fetches the server's keys. Nil if it has no key set.
  private func look(_ http: ClockReader) throws(SessionError) -> JWKSet? {
    var access = try AccountAccess(configuration)
    // Proxy credentials may only be sent to their own proxy.
    if configuration.proxy != nil, let record = try? services.record(of: account),
      record.difference(from: access) == nil
    {
      access.useProxyCredentials(record.proxyCredentials)
    }
    return try oauth { [access] () throws(OAuthError) in
      var metadata = AuthorizationServerMetadata(issuer: access.issuer, overrides: access.known)
      if access.publishesMetadata {
        metadata =
          try Discovery.fetch(access.issuer, transport: access.transport, http: http, cancellation: cancellation).value
      }
      metadata = metadata.applying(access.overrides)
      guard let keys = metadata.jwksURI else {
        // A server without published documents is reachable if it responds at all.
        if !access.publishesMetadata { try reach(access.issuer, access.transport, http) }
        return nil
      }
      return try Discovery.keys(at: keys, transport: access.transport, http: http, cancellation: cancellation)
        .value
    }
  }

  /// Requests the issuer URL. Any response will do.
  private func reach(_ issuer: Issuer, _ transport: Transport, _ http: ClockReader) throws(OAuthError) {
    let endpoint = try Endpoint(issuer.text, allowHTTPLoopback: transport.allowHTTPLoopback)
    let request = HTTPRequest(get: endpoint, .metadata, transport: transport, cancellation: cancellation)
    do { _ = try http.send(request) } catch {
      throw OAuthError(error, .metadata, at: endpoint, proxy: transport.proxy?.url)
    }
  }
}

/// Compares the `Date` of each response (RFC 9110 section 6.6.1) with this machine's clock.
private final class ClockReader: HTTPClient {
  private let client: any HTTPClient
  private let time: any TimeSource
  private let latest = Monitor<Int?>(nil)

  init(_ client: any HTTPClient, _ time: any TimeSource) {
    self.client = client
    self.time = time
  }

  /// How far this machine's clock was ahead at the last response, in seconds.
  var offset: Int? { latest.withLock { $0 } }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    let response = try client.send(request)
    if let date = response.headers.date { latest.withLock { $0 = time.wallSeconds() - date } }
    return response
  }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    try client.exchange(request, authorization: authorization, content: content, receiver: receiver)
  }
}
