internal import JOSE
internal import OAuth

/// The keys of an account's issuer: those of the cache, and new ones when a signature puts them in doubt.
struct IssuerKeys {
  let services: SessionServices
  let server: AuthorizationServer
  let endpoint: Endpoint
  let cancellation: Cancellation

  func atHand() throws(OAuthError) -> JWKSet {
    try services.documents.keys(
      at: endpoint, transport: server.transport, cancellation: cancellation, observer: services.observer)
  }

  /// nil when they were fetched too often of late.
  func fetchedAnew() throws(OAuthError) -> JWKSet? {
    services.observer?(.keysDoubted)
    return try services.documents.refetchedKeys(
      at: endpoint, transport: server.transport, cancellation: cancellation, observer: services.observer)
  }
}
