package import Crypto
package import OAuth
internal import Vocabulary

/// Determines whether the URL of a sign-in is an authorization server or a resource that names its servers (RFC 9728).
/// Blocking. Sends no secrets, and does not contact servers named by other servers.
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
    // Pins are for the issuer's key.
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

  /// Why the URL is not an issuer. Nil if it is. A resource may serve the metadata of its authorization server at its
  /// own URL, where it is not valid (RFC 8414 section 3.3).
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
