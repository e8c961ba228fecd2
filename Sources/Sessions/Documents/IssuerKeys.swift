internal import Crypto
internal import OAuth

/// Fetches an issuer's keys: from the cache, or newer ones if a signature does not match.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private var endpoint: Endpoint
  private var document: DocumentSource<JWKSet>
  /// Finds the keys' new URL in newer metadata.
  private var renewal: MetadataRenewal?

  /// - Parameter renewal: Nil if the metadata has just been fetched.
  init(
    _ services: SessionServices, _ endpoint: Endpoint, _ transport: Transport, _ renewal: MetadataRenewal?,
    _ cancellation: Cancellation
  ) {
    (documents, self.endpoint, self.renewal) = (services.documents, endpoint, renewal)
    document = DocumentSource(endpoint, transport, cancellation, services.observer)
  }

  /// Keys, and the source for newer ones.
  struct KeysAndSource: Sendable {
    let keys: DocumentCache.VersionedKeys
    let source: IssuerKeys
  }

  /// If the keys' URL fails, tries the URL in newer metadata.
  func fetchUnlessCached() throws(OAuthError) -> KeysAndSource {
    do throws(OAuthError) {
      return KeysAndSource(keys: try documents.document(document), source: self)
    } catch {
      return try fetchFromNewURL(orThrow: error)
    }
  }

  /// Fetches newer keys, if necessary from the URL in newer metadata. If the rate limit forbids a fetch, returns nil or
  /// throws the error of the last one.
  func fetchNewer(than old: DocumentCache.VersionedKeys) throws(OAuthError) -> KeysAndSource? {
    do throws(OAuthError) {
      if let newer = try documents.fetchNewer(than: old, document) { return KeysAndSource(keys: newer, source: self) }
      if let problem = documents.refetchProblem(document) { throw problem }
      return nil
    } catch {
      return try fetchFromNewURL(orThrow: error)
    }
  }

  /// At least 1.
  var secondsUntilRefetch: Int { max(1, documents.secondsUntilRefetch(document)) }

  /// Fetches the keys at the new URL in newer metadata. Nil if the URL has not changed.
  func fetchFromNewURL() throws(OAuthError) -> KeysAndSource? {
    guard let renewal, let newer = try renewal.fetchNewerForKeys(), let url = newer.document[.keys], url != endpoint
    else { return nil }
    var source = self
    source.endpoint = url
    source.document = DocumentSource(url, document.transport, document.cancellation, document.observer)
    source.renewal?.version = newer
    return KeysAndSource(keys: try documents.document(source.document), source: source)
  }

  /// Like ``fetchFromNewURL()``, but throws `problem` if that returns no keys.
  private func fetchFromNewURL(orThrow problem: OAuthError) throws(OAuthError) -> KeysAndSource {
    // Keys are public, so this can be tried after any failure that a moved URL may cause.
    guard problem.mayBeDueToMove, let moved = try? fetchFromNewURL() else { throw problem }
    return moved
  }
}

extension OAuthError {
  /// Whether the document may have moved. False for slow or failing servers.
  fileprivate var mayBeDueToMove: Bool {
    switch code {
    case .network, .proxyFailed, .tlsFailure, .certificateRejected, .certificateExpired, .certificateNotYetValid,
      .certificateOfOtherHost, .redirectRefused,
      .otherServerError, .malformedResponse:
      true
    default: indicatesMissingEndpoint
    }
  }
}
