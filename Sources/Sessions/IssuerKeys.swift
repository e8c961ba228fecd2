internal import OAuth

/// The keys of an issuer: those of the cache, and others when a signature puts them in doubt.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private(set) var endpoint: Endpoint
  /// The way to the metadata that say where they are now; nil when these are new.
  private(set) var renewal: MetadataRenewal?
  let transport: Transport
  let cancellation: Cancellation
  let observer: StepObserver?

  func atHand() throws(OAuthError) -> DocumentCache.VersionedKeys {
    try following { (endpoint) throws(OAuthError) in
      try documents.keys(at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
    }
  }

  /// nil when they were fetched too often of late.
  ///
  /// - Throws: Also what was in the way of the last fetch, which leaves it open whether there are others.
  func renewed(after old: DocumentCache.VersionedKeys) throws(OAuthError) -> DocumentCache.VersionedKeys? {
    let newer = try following { (endpoint) throws(OAuthError) in
      try documents.renewedKeys(
        after: old, at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
    }
    if newer == nil, let problem = documents.refetchProblem(at: endpoint, transport: transport) { throw problem }
    return newer
  }

  /// Keys that are at another place, and the way to them.
  struct Moved {
    let keys: DocumentCache.VersionedKeys
    let source: IssuerKeys
  }

  /// The keys at the other place that newer metadata name; nil when they name none, or none can be had now. An issuer
  /// that moves may leave the old set where it was.
  func moved() throws(OAuthError) -> Moved? {
    guard let newer = try? renewal?.newer(), let place = newer.document.jwksURI, place != endpoint else { return nil }
    var source = self
    source.endpoint = place
    source.renewal?.edition = newer
    let keys = try documents.keys(at: place, transport: transport, cancellation: cancellation, observer: observer)
    return Moved(keys: keys, source: source)
  }

  /// Asks where the keys are by the metadata at hand; if there are none, where they are by newer ones.
  private func following<Answer>(_ ask: (Endpoint) throws(OAuthError) -> Answer) throws(OAuthError) -> Answer {
    do { return try ask(endpoint) } catch {
      // Keys are nobody's secret; that the account's server has moved elsewhere, the next request will tell.
      guard error.namesNoSuchEndpoint, let place = (try? renewal?.newer())?.document.jwksURI, place != endpoint
      else { throw error }
      return try ask(place)
    }
  }
}

extension IssuerKeys {
  /// The keys of an account's issuer.
  init(
    services: SessionServices, server: AuthorizationServer, endpoint: Endpoint, renewal: MetadataRenewal?,
    cancellation: Cancellation
  ) {
    self.init(
      documents: services.documents, endpoint: endpoint, renewal: renewal, transport: server.transport,
      cancellation: cancellation, observer: services.observer)
  }
}
