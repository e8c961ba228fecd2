package import Crypto
package import OAuth

/// Determines whether a sign-in's URL is an authorization server or a resource that names its servers (RFC 9728).
/// Blocking. Sends no secrets.
package struct ResourceSearch: Sendable {
  package enum Finding: Sendable, Hashable {
    case issuer
    case resource(ProtectedResource)
  }

  private let url: String
  private let configuration: AccountConfiguration
  private let proxyCredentials: SharedSecret?
  private let services: SessionServices
  private let cancellation: Cancellation

  /// - Parameter configuration: How to reach the server. The account is ignored.
  package init(
    _ url: String, _ configuration: AccountConfiguration, proxyCredentials: SharedSecret?, services: SessionServices,
    cancellation: Cancellation = Cancellation()
  ) {
    self.url = url
    self.configuration = configuration
    self.proxyCredentials = proxyCredentials
    self.services = services
    self.cancellation = cancellation
  }

  package func run() throws(SessionError) -> Finding {
    var transport = try AccountAccess.transport(of: configuration)
    // Pins apply to the issuer's key only.
    transport.pins = []
    transport.proxy?.credentials = proxyCredentials
    return try oauth { () throws(OAuthError) in try find(transport) }
  }

  private func find(_ transport: Transport) throws(OAuthError) -> Finding {
    let place = try Endpoint(url, allowHTTPLoopback: transport.allowHTTPLoopback)
    guard let obstacle = try obstacle(transport) else { return .issuer }
    do {
      return .resource(
        try ResourceDiscovery(
          place, transport: transport, http: services.http, cancellation: cancellation
        ).run())
    } catch {
      if obstacle.issuerMeant != nil { throw obstacle }
      guard error.code == .metadataMissing, error.subject != .unguidedResource else { throw error }
      guard obstacle.code != .issuerMismatch else { throw obstacle }
      throw OAuthError(
        .metadataMissing, .unknownURL, httpStatus: error.httpStatus)
    }
  }

  /// The error if the URL is not an issuer, else nil. A resource may serve its authorization server's metadata at its
  /// own URL, but it is invalid there (RFC 8414 section 3.3).
  private func obstacle(_ transport: Transport) throws(OAuthError) -> OAuthError? {
    do {
      let issuer = try Issuer(url, allowHTTPLoopback: transport.allowHTTPLoopback)
      _ = try Discovery.fetch(issuer, transport: transport, http: services.http, cancellation: cancellation)
      return nil
    } catch {
      guard [.invalidIssuer, .metadataMissing, .issuerMismatch].contains(error.code) else { throw error }
      return error
    }
  }
}
