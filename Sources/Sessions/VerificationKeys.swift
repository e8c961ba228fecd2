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
    package var keys: JWKSet { held.keys }
    fileprivate let held: DocumentCache.VersionedKeys
    /// Where they are; nil for keys that never change.
    fileprivate let source: IssuerKeys?
    fileprivate var number = 0
  }

  /// Who issues the tokens; nil for keys that somebody handed over.
  package let issuer: Issuer?
  private let edition: Monitor<Edition>

  /// Keys that never change.
  package init(_ keys: JWKSet) {
    issuer = nil
    edition = Monitor(Edition(held: DocumentCache.VersionedKeys(keys), source: nil))
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
    edition = Monitor(Edition(held: keys, source: source))
  }

  /// The keys that count now.
  package var current: Edition { edition.withLock { $0 } }

  /// Other keys, for a token that those of `old` do not fit: somebody may have got them already, else the issuer is
  /// asked, as often as its limits allow, and looked for where its metadata say that it moved. Blocking. What is
  /// returned may fit no better, and may be asked about again.
  package func renewed(after old: Edition) -> Renewal {
    guard let source = old.source else { return .none }
    let now = current
    if now.number > old.number { return .keys(now) }
    do throws(OAuthError) {
      if let newer = try source.renewed(after: old.held) { return .keys(adopt(newer, source, after: old)) }
      guard let moved = try source.moved() else { return .none }
      return .keys(adopt(moved.keys, moved.source, after: old))
    } catch {
      return .failed(.oauth(error))
    }
  }

  /// - Returns: What counts now: somebody else may have been quicker, and has keys that are as new.
  private func adopt(_ keys: DocumentCache.VersionedKeys, _ source: IssuerKeys, after old: Edition) -> Edition {
    edition.withLock { edition in
      if edition.number == old.number { edition = Edition(held: keys, source: source, number: old.number + 1) }
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
