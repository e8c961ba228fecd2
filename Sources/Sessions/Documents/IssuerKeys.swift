internal import Crypto
internal import OAuth

/// Fetches an issuer's keys, or newer ones if a signature does not match.
struct IssuerKeys: Sendable {
  let documents: DocumentCache
  private var endpoint: Endpoint
  private var document: DocumentSource<JWKSet>
  private var renewal: MetadataRenewal?

  /// - Parameter renewal: Nil if the metadata is fresh.
  init(
    _ services: SessionServices, _ endpoint: Endpoint, _ transport: Transport, _ renewal: MetadataRenewal?,
    _ cancellation: Cancellation
  ) {
    (documents, self.endpoint, self.renewal) = (services.documents, endpoint, renewal)
    document = DocumentSource(endpoint, transport, cancellation, services.observer)
  }

  struct KeysAndSource: Sendable {
    let keys: DocumentCache.VersionedKeys
    let source: IssuerKeys
  }

  /// Tries the URL in newer metadata if the keys' URL fails.
  func fetchUnlessCached() throws(OAuthError) -> KeysAndSource {
    do throws(OAuthError) {
      return KeysAndSource(keys: try documents.document(document), source: self)
    } catch {
      return try fetchFromNewURL(orThrow: error)
    }
  }

  /// Fetches newer keys, if necessary from the URL in newer metadata. If rate-limited, returns nil or throws the
  /// previous fetch's error.
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

  /// Fetches the keys at the new URL, if newer metadata has one.
  func fetchFromNewURL() throws(OAuthError) -> KeysAndSource? {
    guard let renewal, let newer = try renewal.fetchNewerForKeys(), let url = newer.document[.keys], url != endpoint
    else { return nil }
    var source = self
    source.endpoint = url
    source.document = DocumentSource(url, document.transport, document.cancellation, document.observer)
    source.renewal?.version = newer
    return KeysAndSource(keys: try documents.document(source.document), source: source)
  }

  /// Like ``fetchFromNewURL()``, but throws `problem` if that finds no keys.
  private func fetchFromNewURL(orThrow problem: OAuthError) throws(OAuthError) -> KeysAndSource {
    // Safe, since keys are public.
    guard problem.mayBeDueToMove, let moved = try? fetchFromNewURL() else { throw problem }
    return moved
  }
}

extension OAuthError {
  /// Whether the document may have moved.
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
