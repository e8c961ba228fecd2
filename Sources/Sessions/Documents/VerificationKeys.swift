package import Crypto
package import JOSE
package import OAuth
internal import Platform
internal import Vault
package import Vocabulary

/// The keys that verify tokens: a fixed set, or those of an issuer, which may change over time. Thread-safe; concurrent
/// callers share one fetch.
package final class VerificationKeys: Sendable {
  /// The result of asking for newer keys.
  package enum Renewal: Sendable {
    case keys(Edition)
    /// There are none, or the issuer was asked a moment ago.
    case none
    case failed(SessionError)
  }

  /// Keys with a number that distinguishes them from earlier and later ones.
  package struct Edition: Sendable {
    package let keys: JWKSet
    /// The source of the issuer's keys; nil for keys that never change.
    fileprivate var held: IssuerKeys.Held?
    fileprivate var number = 0

    fileprivate init(_ keys: JWKSet) { self.keys = keys }

    fileprivate init(_ held: IssuerKeys.Held, number: Int) {
      keys = held.keys.keys
      self.held = held
      self.number = number
    }
  }

  private struct State {
    var edition: Edition
    /// Why the last fetch of newer keys failed, and when; and the same of keys whose time was over.
    var refetch: (problem: SessionError, at: Instant)?
    var replacement: (problem: SessionError, at: Instant)?
  }

  /// After a fetch that failed the issuer is left alone for so long, however many tokens there are.
  private static let pause = Duration.seconds(60)

  /// The issuer of the tokens; nil for a fixed set of keys.
  package let issuer: Issuer?
  /// The issuer's `id_token_signing_alg_values_supported`, empty where it has none; nil for a fixed set of keys.
  package let announcedAlgorithms: [String]?
  /// How tokens name the issuer, where one stands for many; else nil.
  package let tenant: TenantIssuer?
  private let state: Monitor<State>
  private let time: (any TimeSource)?

  /// Keys that never change.
  package init(_ keys: JWKSet) {
    issuer = nil
    announcedAlgorithms = nil
    tenant = nil
    time = nil
    state = Monitor(State(edition: Edition(keys)))
  }

  /// The keys that the metadata of an issuer lead to (RFC 8725 section 3.8), from the cache or the network. Blocking.
  ///
  /// - Parameters:
  ///   - configuration: The issuer and how it is reached; the client does not matter.
  ///   - account: Whose settings they are; nil for none.
  ///   - proxyCredentials: `user:password` for a proxy that is no account's.
  package init(
    of configuration: AccountConfiguration, account: AccountName?, proxyCredentials: SharedSecret?,
    services: SessionServices, cancellation: Cancellation
  ) throws(SessionError) {
    var access = try AccountAccess(configuration)
    let credentials = proxyCredentials ?? Self.proxyCredentials(of: account, configuration, services)
    access.useProxyCredentials(credentials)
    let metadata = services.metadataSource(access, cancellation)
    let published = try metadata.atHand()
    guard let endpoint = published.document.jwksURI else {
      try oauth { () throws(OAuthError) in try published.document.checkUsable(.keys) }
      var error = OAuthError(.endpointMissing, .member("jwks_uri", of: .keySet))
      error.advice = "name a file of the server's keys with --jwks"
      throw .oauth(error)
    }
    let source = IssuerKeys(
      documents: services.documents, endpoint: endpoint,
      renewal: MetadataRenewal(source: metadata, edition: published, bounds: nil), transport: access.transport,
      cancellation: cancellation, observer: services.observer)
    let held = try oauth { () throws(OAuthError) in try source.atHand() }
    issuer = published.document.issuer
    announcedAlgorithms = published.document.idTokenSigningAlgorithms
    tenant = published.document.tenant
    time = services.time
    state = Monitor(State(edition: Edition(held, number: 0)))
  }

  /// The keys that count now.
  package var current: Edition { state.withLock { $0.edition } }

  /// Takes newer keys for those whose time is over. Blocking, if it is.
  ///
  /// - Returns: Why there are none. Then no token can be said to hold: the issuer may have withdrawn any key.
  package func replaceOverdue() -> SessionError? {
    let old = current
    guard let held = old.held else { return nil }
    if let problem = state.withLock({ recent($0.replacement) }) { return problem }
    do throws(OAuthError) {
      let latest = try held.source.atHand()
      state.update { $0.replacement = nil }
      if latest.keys.isNewer(than: held.keys) { _ = adopt(latest, after: old) }
      return nil
    } catch {
      state.update { $0.replacement = note(.oauth(error)) }
      return .oauth(error)
    }
  }

  /// Newer keys, for a token that those of `old` do not fit: those that another caller already fetched, else those of
  /// the issuer, as often as its limits allow and also where its metadata say that it moved. Blocking. The returned
  /// keys may fit no better; the caller may ask again.
  package func renewed(after old: Edition) -> Renewal {
    guard let held = old.held else { return .none }
    let now = current
    if now.number > old.number { return .keys(now) }
    if let problem = state.withLock({ recent($0.refetch) }) { return .failed(problem) }
    do throws(OAuthError) {
      if let newer = try held.source.renewed(after: held.keys) { return .keys(adopt(newer, after: old)) }
      guard let moved = try held.source.moved() else { return .none }
      return .keys(adopt(moved, after: old))
    } catch {
      state.update { $0.refetch = note(.oauth(error)) }
      return .failed(.oauth(error))
    }
  }

  private func note(_ problem: SessionError) -> (SessionError, Instant)? {
    time.map { (problem, $0.now()) }
  }

  private func recent(_ noted: (problem: SessionError, at: Instant)?) -> SessionError? {
    guard let time, let noted, noted.at.duration(to: time.now()) < Self.pause else { return nil }
    return noted.problem
  }

  /// - Returns: The current edition: that of another caller, if it came first, since its keys are as new.
  private func adopt(_ held: IssuerKeys.Held, after old: Edition) -> Edition {
    state.withLock { state in
      if state.edition.number == old.number { state.edition = Edition(held, number: old.number + 1) }
      return state.edition
    }
  }

  /// The stored credentials of the proxy that the account signed in through. Without them the proxy reports the error.
  private static func proxyCredentials(
    of account: AccountName?, _ configuration: AccountConfiguration, _ services: SessionServices
  ) -> SharedSecret? {
    guard let proxy = configuration.proxy, let account, let record = try? services.record(of: account),
      record.authority.mayGiveCredentials(to: proxy)
    else { return nil }
    return record.proxyCredentials
  }
}
