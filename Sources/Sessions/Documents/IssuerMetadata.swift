internal import OAuth
internal import Vocabulary

/// An issuer's metadata with the endpoints of the settings: cached, or newer if an endpoint no longer exists.
struct IssuerMetadata: Sendable {
  typealias Edition = DocumentCache.VersionedMetadata

  let documents: DocumentCache
  let observer: SessionObserver?
  let access: AccountAccess
  let cancellation: Cancellation?

  /// The metadata from the cache, or from the server if it is not cached.
  func atHand() throws(SessionError) -> Edition { try read(fresh: false) }

  /// Fetches the metadata even if it is cached, for a sign-in.
  func fresh() throws(SessionError) -> Edition { try read(fresh: true) }

  private func read(fresh: Bool) throws(SessionError) -> Edition {
    // For a server without metadata, the settings are the only source.
    let named = Edition(
      AuthorizationServerMetadata(issuer: access.issuer, overrides: access.known).applying(access.overrides))
    guard access.publishesMetadata else { return named }
    do {
      return seen(
        try documents.metadata(
          of: access.issuer, transport: access.transport, fresh: fresh, cancellation: cancellation,
          observer: observer))
    } catch {
      guard error.code == .metadataMissing, access.overrides[.token] ?? access.known[.token] != nil else {
        throw .oauth(error)
      }
      return named
    }
  }

  /// Newer metadata, fetched by this or another caller. Nil if there is none or the rate limit is reached. Throws the
  /// error of the last fetch again.
  func renewed(after old: Edition) throws(SessionError) -> Edition? {
    guard access.publishesMetadata else { return nil }
    return try oauth { () throws(OAuthError) in
      let newer = try documents.renewedMetadata(
        after: old, of: access.issuer, transport: access.transport, cancellation: cancellation,
        observer: observer)
      if let newer { return seen(newer) }
      if let problem = documents.refetchProblem(of: access.issuer, transport: access.transport) { throw problem }
      return nil
    }
  }

  private func seen(_ edition: Edition) -> Edition {
    edition.map { metadata in
      let showsCertificate = access.configuration.clientCertificate
      return (showsCertificate ? metadata.forMutualTLS : metadata).applying(access.overrides, else: access.known)
    }
  }
}
