internal import OAuth

/// The keys of an issuer: those of the cache, and others when a signature puts them in doubt.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private(set) var endpoint: Endpoint
  /// The way to the metadata that say where they are now; nil when these are new.
  private(set) var renewal: MetadataRenewal?
  let transport: Transport
  let cancellation: Cancellation
  let observer: SessionObserver?

  /// Keys, and their source.
  struct Held: Sendable {
    let keys: DocumentCache.VersionedKeys
    let source: IssuerKeys
  }

  func atHand() throws(OAuthError) -> Held {
    do throws(OAuthError) {
      let keys = try documents.keys(
        at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
      return Held(keys: keys, source: self)
    } catch {
      return try elsewhere(since: error)
    }
  }

  /// Newer ones than these, which are from here; nil when they were fetched too often of late.
  ///
  /// - Throws: The error of the last fetch too, which leaves it open whether there are newer keys.
  func renewed(after old: DocumentCache.VersionedKeys) throws(OAuthError) -> Held? {
    do throws(OAuthError) {
      let newer = try documents.renewedKeys(
        after: old, at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
      if let newer { return Held(keys: newer, source: self) }
      if let problem = documents.refetchProblem(at: endpoint, transport: transport) { throw problem }
      return nil
    } catch {
      return try elsewhere(since: error)
    }
  }

  /// Seconds until the keys may be fetched again, at least 1.
  var secondsUntilNext: Int { max(1, documents.secondsUntilKeys(at: endpoint, transport: transport)) }

  /// The keys at the other place that newer metadata name; nil when they name none. An issuer that moves may leave the
  /// old set where it was.
  ///
  /// - Throws: Also why newer metadata cannot be had, which leaves it open whether they name another place.
  func moved() throws(OAuthError) -> Held? {
    guard let renewal, let newer = try renewal.newerForKeys(), let place = newer.document.jwksURI, place != endpoint
    else { return nil }
    var source = self
    source.endpoint = place
    source.renewal?.edition = newer
    let keys = try documents.keys(at: place, transport: transport, cancellation: cancellation, observer: observer)
    return Held(keys: keys, source: source)
  }

  /// - Throws: `problem`, where newer metadata name no other place that answers.
  private func elsewhere(since problem: OAuthError) throws(OAuthError) -> Held {
    // Keys are public, and a request to a URL that is gone may fail in many ways.
    guard problem.mayComeOfMoving, let moved = try? moved() else { throw problem }
    return moved
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

extension OAuthError {
  /// Whether a public document may have moved to another URL. A server that is slow or in trouble has not moved.
  fileprivate var mayComeOfMoving: Bool {
    switch code {
    case .network, .proxyFailed, .tlsFailure, .certificateRejected, .certificateExpired, .certificateNotYetValid,
      .certificateOfOtherHost, .redirectRefused,
      .otherServerError, .malformedResponse:
      true
    default: namesNoSuchEndpoint
    }
  }
}
