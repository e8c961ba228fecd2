import Crypto
import OAuth
@testable import Sessions

extension DocumentCache {
  func metadata(
    of issuer: Issuer, transport: Transport, fresh: Bool = false, cancellation: Cancellation?,
    observer: SessionObserver? = nil
  ) throws(OAuthError) -> VersionedMetadata {
    try document(DocumentSource(issuer, transport, cancellation, observer), fresh: fresh)
  }

  func keys(
    at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?, observer: SessionObserver? = nil
  ) throws(OAuthError) -> VersionedKeys {
    try document(DocumentSource(endpoint, transport, cancellation, observer))
  }

  func renewedKeys(
    after old: VersionedKeys, at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?,
    observer: SessionObserver? = nil
  ) throws(OAuthError) -> VersionedKeys? {
    try fetchNewer(than: old, DocumentSource(endpoint, transport, cancellation, observer))
  }

  func secondsUntilKeys(at endpoint: Endpoint, transport: Transport) -> Int {
    secondsUntilRefetch(DocumentSource<JWKSet>(endpoint, transport, nil, nil))
  }
}
