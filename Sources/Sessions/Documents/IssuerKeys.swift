internal import OAuth

/// The keys of an issuer: cached ones, or newer ones if a signature does not match.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private(set) var endpoint: Endpoint
  /// Finds the current URL of the keys in newer metadata. Nil if the metadata is new.
  private(set) var renewal: MetadataRenewal?
  let transport: Transport
  let cancellation: Cancellation
  let observer: SessionObserver?

  /// Keys and where they came from.
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

  /// Newer keys from this URL. Nil if the rate limit is reached.
  ///
  /// - Throws: The error of the fetch, or of the last one if the rate limit is reached. There may still be newer keys.
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

  /// The keys at another URL, according to newer metadata. Nil if there is no other URL. An issuer that moves may leave
  /// the old set behind.
  ///
  /// - Throws: Why newer metadata or the keys are unavailable. There may still be another URL.
  func moved() throws(OAuthError) -> Held? {
    guard let renewal, let newer = try renewal.newerForKeys(), let place = newer.document.jwksURI, place != endpoint
    else { return nil }
    var source = self
    source.endpoint = place
    source.renewal?.edition = newer
    let keys = try documents.keys(at: place, transport: transport, cancellation: cancellation, observer: observer)
    return Held(keys: keys, source: source)
  }

  /// Returns the keys at another URL in newer metadata, or throws `problem` if that fails.
  private func elsewhere(since problem: OAuthError) throws(OAuthError) -> Held {
    // Keys are public, and requests to a URL that no longer exists may fail in many ways.
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
  /// Whether a document may have moved. Slow or failing servers do not count.
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
