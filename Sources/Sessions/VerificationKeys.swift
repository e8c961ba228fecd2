package import Crypto
package import JOSE
package import OAuth
internal import Platform
internal import Synchronization
package import Vault

/// The keys that tokens are verified by: a set at hand, or those of an issuer, which may change on the way.
/// Thread-safe; those who ask at the same time share one fetch.
package final class VerificationKeys: Sendable {
  /// Whose keys they are, and how they are got.
  private struct Source: Sendable {
    let documents: DocumentCache
    let endpoint: Endpoint
    let transport: Transport
    let cancellation: Cancellation
    let observer: StepObserver?

    func keys() throws(OAuthError) -> DocumentCache.VersionedKeys {
      try documents.versionedKeys(
        at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
    }

    func hasNewer(than old: Edition) -> Bool { documents.keysVersion(at: endpoint) > old.version }

    func refetchedKeys() throws(OAuthError) -> DocumentCache.VersionedKeys? {
      try documents.versionedRefetch(
        at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
    }
  }

  /// A set, and what tells it from later ones.
  package struct Edition: Sendable {
    package let keys: JWKSet
    fileprivate let number: Int
    /// See ``DocumentCache/keysVersion(at:)``.
    fileprivate let version: Int
  }

  /// What came of asking for other keys.
  package enum Renewal: Sendable {
    case keys(Edition)
    /// There are none, or the issuer was asked a moment ago.
    case none
    case failed(SessionError)
  }

  /// Who issues the tokens; nil for keys that somebody handed over.
  package let issuer: Issuer?
  private let source: Source?
  private let edition: Mutex<Edition>

  /// Keys that never change.
  package init(_ keys: JWKSet) {
    issuer = nil
    source = nil
    edition = Mutex(Edition(keys: keys, number: 0, version: 0))
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
    let metadata = try services.metadata(access, fresh: false, cancellation: cancellation)
    guard let endpoint = metadata.jwksURI else {
      throw .oauth(OAuthError(.endpointMissing, "the key set (jwks_uri)"))
    }
    let source = Source(
      documents: services.documents, endpoint: endpoint, transport: access.transport, cancellation: cancellation,
      observer: services.observer)
    let keys = try oauth { () throws(OAuthError) in
      try source.keys()
    }
    issuer = metadata.issuer
    self.source = source
    edition = Mutex(Edition(keys: keys.keys, number: 0, version: keys.version))
  }

  /// The keys that count now.
  package var current: Edition { edition.withLock { $0 } }

  /// Other keys, for a token that those of `old` do not fit: somebody may have got them already, else the issuer is
  /// asked, as often as its limits allow. Blocking. What is returned may fit no better, and may be asked about again.
  package func renewed(after old: Edition) -> Renewal {
    guard let source else { return .none }
    let now = current
    if now.number > old.number { return .keys(now) }
    do throws(OAuthError) {
      if source.hasNewer(than: old) { return .keys(take(try source.keys(), after: old)) }
      source.observer?(.keysDoubted)
      guard let keys = try source.refetchedKeys() else {
        // Somebody else may have been quicker.
        if source.hasNewer(than: old) { return .keys(take(try source.keys(), after: old)) }
        // What failed a moment ago leaves it open whether there are others.
        return source.documents.refetchProblem(at: source.endpoint).map { .failed(.oauth($0)) } ?? .none
      }
      return .keys(take(keys, after: old))
    } catch {
      return .failed(.oauth(error))
    }
  }

  private func take(_ new: DocumentCache.VersionedKeys, after old: Edition) -> Edition {
    edition.withLock { edition in
      if edition.number == old.number {
        edition = Edition(keys: new.keys, number: old.number + 1, version: new.version)
      }
      return edition
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
