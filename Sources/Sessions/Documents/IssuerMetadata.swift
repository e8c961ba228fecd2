internal import OAuth

/// Fetches an issuer's metadata and adds the endpoints of the settings.
struct IssuerMetadata: Sendable {
  typealias Version = DocumentCache.VersionedMetadata

  let documents: DocumentCache
  let observer: SessionObserver?
  let parsed: ParsedConfiguration
  let cancellation: Cancellation?

  private var source: DocumentSource<AuthorizationServerMetadata> {
    DocumentSource(parsed.issuer, parsed.transport, cancellation, observer)
  }

  func fetchUnlessCached() throws(SessionError) -> Version { try read(fresh: false) }

  func fetchFresh() throws(SessionError) -> Version { try read(fresh: true) }

  private func read(fresh: Bool) throws(SessionError) -> Version {
    // For a server without metadata, the endpoints come from the settings or the provider.
    let named = Version(
      AuthorizationServerMetadata(issuer: parsed.issuer, overrides: parsed.providerEndpoints).applying(parsed.overrides)
    )
    guard parsed.publishesMetadata else { return named }
    do {
      return withAccountEndpoints(try documents.document(source, fresh: fresh))
    } catch {
      guard error.code == .metadataMissing, parsed.overrides[.token] ?? parsed.providerEndpoints[.token] != nil else {
        throw .oauth(error)
      }
      return named
    }
  }

  /// Returns newer metadata, if any, fetched now or by another caller. If the rate limit forbids a fetch, returns nil
  /// or throws the error of the last one.
  func fetchNewer(than old: Version) throws(SessionError) -> Version? {
    guard parsed.publishesMetadata else { return nil }
    if let newer = try mapOAuthError(documents.fetchNewer(than: old, source)) { return withAccountEndpoints(newer) }
    if let problem = documents.refetchProblem(source) { throw .oauth(problem) }
    return nil
  }

  /// Adds the account's own endpoints, and those for mutual TLS if the account has a certificate.
  private func withAccountEndpoints(_ version: Version) -> Version {
    version.map { metadata in
      let showsCertificate = parsed.configuration.usesClientCertificate
      return (showsCertificate ? metadata.forMutualTLS : metadata).applying(
        parsed.overrides, else: parsed.providerEndpoints)
    }
  }
}
