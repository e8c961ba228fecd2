package import Crypto
package import JOSE
package import OAuth
internal import Platform
package import Vault

/// The keys that tokens are verified by: a set at hand, or those of an issuer, which may change on the way.
/// Thread-safe; those who ask at the same time share one fetch.
package final class VerificationKeys: Sendable {
  /// What came of asking for other keys.
  package enum Renewal: Sendable {
    case keys(Edition)
    /// There are none, or the issuer was asked a moment ago.
    case none
    case failed(SessionError)
  }

  /// Keys, and what tells them from those that counted before and after them.
  package struct Edition: Sendable {
    package let keys: JWKSet
    /// What the issuer publishes them as; nil for keys that never change.
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

  /// Who issues the tokens; nil for keys that somebody handed over.
  package let issuer: Issuer?
  private let state: Monitor<State>
  private let time: (any TimeSource)?

  /// Keys that never change.
  package init(_ keys: JWKSet) {
    issuer = nil
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
    let metadata = IssuerMetadata(services: services, access: access, cancellation: cancellation)
    let published = try metadata.atHand()
    guard let endpoint = published.document.jwksURI else {
      try oauth { () throws(OAuthError) in try published.document.checkUsable(.keys) }
      throw .oauth(OAuthError(.endpointMissing, "the key set (jwks_uri)"))
    }
    let source = IssuerKeys(
      documents: services.documents, endpoint: endpoint,
      renewal: MetadataRenewal(source: metadata, edition: published, bounds: nil), transport: access.transport,
      cancellation: cancellation, observer: services.observer)
    let held = try oauth { () throws(OAuthError) in try source.atHand() }
    issuer = published.document.issuer
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

  /// Other keys, for a token that those of `old` do not fit: somebody may have got them already, else the issuer is
  /// asked, as often as its limits allow, and looked for where its metadata say that it moved. Blocking. What is
  /// returned may fit no better, and may be asked about again.
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

  /// - Returns: What counts now: somebody else may have been quicker, and has keys that are as new.
  private func adopt(_ held: IssuerKeys.Held, after old: Edition) -> Edition {
    state.withLock { state in
      if state.edition.number == old.number { state.edition = Edition(held, number: old.number + 1) }
      return state.edition
    }
  }

  /// What the vault has for the proxy that was signed in through. Without it the proxy itself says what is wrong.
  private static func proxyCredentials(
    of account: AccountName?, _ configuration: AccountConfiguration, _ services: SessionServices
  ) -> SharedSecret? {
    guard let proxy = configuration.proxy, let account, let record = try? services.record(of: account),
      record.authority.mayGiveCredentials(to: proxy)
    else { return nil }
    return record.proxyCredentials
  }
}
