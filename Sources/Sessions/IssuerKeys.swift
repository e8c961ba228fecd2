internal import OAuth

/// The keys of an issuer: those of the cache, and others when a signature puts them in doubt.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  let endpoint: Endpoint
  let transport: Transport
  let cancellation: Cancellation
  let observer: StepObserver?

  func atHand() throws(OAuthError) -> DocumentCache.VersionedKeys {
    try documents.keys(at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
  }

  /// nil when they were fetched too often of late.
  func renewed(after old: DocumentCache.VersionedKeys) throws(OAuthError) -> DocumentCache.VersionedKeys? {
    try documents.renewedKeys(
      after: old, at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
  }

  /// See ``DocumentCache/refetchProblem(at:)``.
  var problem: OAuthError? { documents.refetchProblem(at: endpoint) }
}

extension IssuerKeys {
  /// The keys of an account's issuer.
  init(
    services: SessionServices, server: AuthorizationServer, endpoint: Endpoint, cancellation: Cancellation
  ) {
    self.init(
      documents: services.documents, endpoint: endpoint, transport: server.transport, cancellation: cancellation,
      observer: services.observer)
  }
}
