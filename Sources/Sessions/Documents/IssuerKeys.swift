internal import OAuth

/// Fetches an issuer's keys: from the cache, or newer ones if a signature does not match.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private(set) var endpoint: Endpoint
  /// Finds the keys' new URL in newer metadata. Nil if the metadata has just been fetched.
  private(set) var renewal: MetadataRenewal?
  let transport: Transport
  let cancellation: Cancellation
  let observer: SessionObserver?

  /// Keys with the source that returned them.
  struct Held: Sendable {
    let keys: DocumentCache.VersionedKeys
    let source: IssuerKeys
  }

  /// The keys from the cache, or from the server if not cached.
  func atHand() throws(OAuthError) -> Held {
    do throws(OAuthError) {
      let keys = try documents.keys(
        at: endpoint, transport: transport, cancellation: cancellation, observer: observer)
      return Held(keys: keys, source: self)
    } catch {
      return try elsewhere(since: error)
    }
  }

  /// Newer keys from this URL, or nil at the rate limit.
  ///
  /// - Throws: The error of this fetch, or of the last one at the rate limit. There may still be newer keys.
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

  /// The keys at the new URL in newer metadata, or nil if the URL has not changed.
  ///
  /// - Throws: The error of fetching the metadata or keys.
  func moved() throws(OAuthError) -> Held? {
    guard let renewal, let newer = try renewal.newerForKeys(), let place = newer.document.jwksURI, place != endpoint
    else { return nil }
    var source = self
    source.endpoint = place
    source.renewal?.edition = newer
    let keys = try documents.keys(at: place, transport: transport, cancellation: cancellation, observer: observer)
    return Held(keys: keys, source: source)
  }

  /// The keys at the new URL in newer metadata. Throws `problem` without any.
  private func elsewhere(since problem: OAuthError) throws(OAuthError) -> Held {
    // Keys are public, so this can be tried after any failure that a moved URL may cause.
    guard problem.mayComeOfMoving, let moved = try? moved() else { throw problem }
    return moved
  }
}

extension IssuerKeys {
  /// Creates a source of the keys of an account's issuer.
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
  /// Whether the document may have moved. Slow or failing servers are no sign of that.
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
