package import Crypto
package import OAuth
internal import Platform

/// Keys for verifying tokens: fixed ones, or an issuer's, which may change. Thread-safe.
package final class VerificationKeys: Sendable {
  package indirect enum NewerKeys: Sendable {
    case keys(Version)
    /// No newer keys exist, or the rate limit is reached.
    case none
    case failed(SessionError)
  }

  package struct Version: Sendable {
    package let keys: JWKSet
    /// Nil for fixed keys.
    fileprivate var issuerKeys: IssuerKeys.KeysAndSource?
    fileprivate var number = 0

    fileprivate init(_ keys: JWKSet) { self.keys = keys }

    fileprivate init(_ issuerKeys: IssuerKeys.KeysAndSource, number: Int) {
      keys = issuerKeys.keys.keys
      self.issuerKeys = issuerKeys
      self.number = number
    }
  }

  private struct State {
    var version: Version
    /// The latest search for newer keys, if it failed.
    var refetchFailure: (problem: SessionError, at: Instant)?
    /// The latest replacement of expired keys, if it failed.
    var replacementFailure: (problem: SessionError, at: Instant)?
  }

  private static let retryInterval = Duration.seconds(60)

  /// Nil for fixed keys.
  package let issuer: Issuer?
  /// The issuer's `id_token_signing_alg_values_supported`. Empty if absent, nil for fixed keys.
  package let announcedAlgorithms: [String]?
  /// The `iss` template of a multi-tenant server; nil for others.
  package let tenant: TenantIssuer?
  private let state: Monitor<State>
  private let time: (any TimeSource)?

  package init(_ keys: JWKSet) {
    issuer = nil
    announcedAlgorithms = nil
    tenant = nil
    time = nil
    state = Monitor(State(version: Version(keys)))
  }

  /// Finds an issuer's keys through its metadata (RFC 8725 section 3.8). Blocking. Ignores the client of
  /// `configuration`. `proxyCredentials` is `user:password` for a proxy that belongs to no account.
  package init(
    of configuration: AccountConfiguration, account: AccountName?, proxyCredentials: SharedSecret?,
    services: SessionServices, cancellation: Cancellation
  ) throws(SessionError) {
    var parsed = try ParsedConfiguration(configuration)
    let credentials = proxyCredentials ?? Self.proxyCredentials(of: account, configuration, services)
    parsed.useProxyCredentials(credentials)
    let metadata = services.metadataSource(parsed, cancellation)
    let published = try metadata.fetchUnlessCached()
    guard let endpoint = published.document[.keys] else {
      try mapOAuthError(published.document.checkUsable(.keys))
      var error = OAuthError(.endpointMissing, .member("jwks_uri", of: .keySet))
      error.advice = "pass the server's keys in a file with --jwks"
      throw .oauth(error)
    }
    let renewal = MetadataRenewal(source: metadata, version: published, allowedOrigins: nil)
    let source = IssuerKeys(services, endpoint, parsed.transport, renewal, cancellation)
    let issuerKeys = try mapOAuthError(source.fetchUnlessCached())
    issuer = published.document.issuer
    announcedAlgorithms = published.document.idTokenSigningAlgorithms
    tenant = published.document.tenant
    time = services.time
    state = Monitor(State(version: Version(issuerKeys, number: 0)))
  }

  package var current: Version { state.withLock { $0.version } }

  /// Replaces expired keys. Blocking. After an error, no token is valid: the issuer may have withdrawn any key.
  package func replaceIfExpired() -> SessionError? {
    let old = current
    guard let issuerKeys = old.issuerKeys else { return nil }
    if let problem = state.withLock({ unlessOld($0.replacementFailure) }) { return problem }
    do throws(OAuthError) {
      let latest = try issuerKeys.source.fetchUnlessCached()
      state.update { $0.replacementFailure = nil }
      if latest.keys.isNewer(than: issuerKeys.keys) { _ = adopt(latest, after: old) }
      return nil
    } catch {
      state.update { $0.replacementFailure = timestamped(.oauth(error)) }
      return .oauth(error)
    }
  }

  /// Returns newer keys for a token that `old` does not verify. If they do not either, call it again with them.
  /// Blocking and rate-limited.
  package func fetchNewer(than old: Version) -> NewerKeys {
    guard let issuerKeys = old.issuerKeys else { return .none }
    let now = current
    if now.number > old.number { return .keys(now) }
    if let problem = state.withLock({ unlessOld($0.refetchFailure) }) { return .failed(problem) }
    do throws(OAuthError) {
      if let newer = try issuerKeys.source.fetchNewer(than: issuerKeys.keys) { return .keys(adopt(newer, after: old)) }
      guard let moved = try issuerKeys.source.fetchFromNewURL() else { return .none }
      return .keys(adopt(moved, after: old))
    } catch {
      state.update { $0.refetchFailure = timestamped(.oauth(error)) }
      return .failed(.oauth(error))
    }
  }

  private func timestamped(_ problem: SessionError) -> (SessionError, Instant)? {
    time.map { (problem, $0.now()) }
  }

  /// The error, unless older than ``retryInterval``.
  private func unlessOld(_ noted: (problem: SessionError, at: Instant)?) -> SessionError? {
    guard let time, let noted, noted.at.duration(to: time.now()) < Self.retryInterval else { return nil }
    return noted.problem
  }

  /// Replaces `old` unless another caller already has.
  private func adopt(_ issuerKeys: IssuerKeys.KeysAndSource, after old: Version) -> Version {
    state.withLock { state in
      if state.version.number == old.number { state.version = Version(issuerKeys, number: old.number + 1) }
      return state.version
    }
  }

  /// Nil if the settings name another proxy than at sign-in.
  private static func proxyCredentials(
    of account: AccountName?, _ configuration: AccountConfiguration, _ services: SessionServices
  ) -> SharedSecret? {
    guard let proxy = configuration.proxy, let account, let record = try? services.record(of: account),
      record.authority.maySendProxyCredentials(to: proxy)
    else { return nil }
    return record.proxyCredentials
  }
}
