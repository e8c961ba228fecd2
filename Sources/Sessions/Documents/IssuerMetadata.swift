internal import OAuth
internal import Vocabulary

/// The metadata of an issuer, with the endpoints that the settings name: those of the cache, and others when an
/// endpoint that they name is gone.
struct IssuerMetadata: Sendable {
  typealias Edition = DocumentCache.VersionedMetadata

  let documents: DocumentCache
  let observer: SessionObserver?
  let access: AccountAccess
  let cancellation: Cancellation?

  func atHand() throws(SessionError) -> Edition { try read(fresh: false) }

  /// Fetched anew in any case, for a sign-in.
  func fresh() throws(SessionError) -> Edition { try read(fresh: true) }

  private func read(fresh: Bool) throws(SessionError) -> Edition {
    // A server that publishes none is known by what the settings name alone.
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

  /// Newer metadata, fetched out of turn or by another caller; nil when there are none, or the server was asked a
  /// moment ago. An error of that last fetch is thrown again.
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
