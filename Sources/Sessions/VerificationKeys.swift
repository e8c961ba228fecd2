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
    case keys(DocumentCache.VersionedKeys)
    /// There are none, or the issuer was asked a moment ago.
    case none
    case failed(SessionError)
  }

  /// Who issues the tokens; nil for keys that somebody handed over.
  package let issuer: Issuer?
  private let source: IssuerKeys?
  private let edition: Monitor<DocumentCache.VersionedKeys>

  /// Keys that never change.
  package init(_ keys: JWKSet) {
    issuer = nil
    source = nil
    edition = Monitor(DocumentCache.VersionedKeys(keys))
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
      throw .oauth(OAuthError(.endpointMissing, "the key set (jwks_uri)"))
    }
    let source = IssuerKeys(
      documents: services.documents, endpoint: endpoint,
      renewal: MetadataRenewal(source: metadata, edition: published, bounds: nil), transport: access.transport,
      cancellation: cancellation, observer: services.observer)
    let keys = try oauth { () throws(OAuthError) in
      try source.atHand()
    }
    issuer = published.document.issuer
    self.source = source
    edition = Monitor(keys)
  }

  /// The keys that count now.
  package var current: DocumentCache.VersionedKeys { edition.withLock { $0 } }

  /// Other keys, for a token that those of `old` do not fit: somebody may have got them already, else the issuer is
  /// asked, as often as its limits allow. Blocking. What is returned may fit no better, and may be asked about again.
  package func renewed(after old: DocumentCache.VersionedKeys) -> Renewal {
    guard let source else { return .none }
    let now = current
    if now.isNewer(than: old) { return .keys(now) }
    do throws(OAuthError) {
      // What failed a moment ago leaves it open whether there are others.
      guard let newer = try source.renewed(after: old) else {
        return source.problem.map { .failed(.oauth($0)) } ?? .none
      }
      return .keys(
        edition.withLock { edition in
          if newer.isNewer(than: edition) { edition = newer }
          return edition
        })
    } catch {
      return .failed(.oauth(error))
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
