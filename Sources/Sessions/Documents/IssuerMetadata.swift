internal import OAuth

/// Fetches an issuer's metadata and adds the configured endpoints.
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

  /// Returns newer metadata, if any, fetched now or by another caller. If rate-limited, returns nil or throws the
  /// previous fetch's error.
  func fetchNewer(than old: Version) throws(SessionError) -> Version? {
    guard parsed.publishesMetadata else { return nil }
    if let newer = try mapOAuthError(documents.fetchNewer(than: old, source)) { return withAccountEndpoints(newer) }
    if let problem = documents.refetchProblem(source) { throw .oauth(problem) }
    return nil
  }

  /// Adds the account's own endpoints, and with a certificate those for mutual TLS.
  private func withAccountEndpoints(_ version: Version) -> Version {
    version.map { metadata in
      let showsCertificate = parsed.configuration.usesClientCertificate
      return (showsCertificate ? metadata.forMutualTLS : metadata).applying(
        parsed.overrides, else: parsed.providerEndpoints)
    }
  }
}
