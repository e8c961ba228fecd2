package import Crypto
package import OAuth

/// The kind of a URL: an authorization server, or a resource that names its servers (RFC 9728).
package enum SearchedURL: Sendable, Hashable {
  case issuer
  case resource(ProtectedResource)
}

extension SessionServices {
  /// Determines whether a URL is an authorization server or a resource. Blocking. Sends no secrets.
  ///
  /// - Parameter configuration: How to reach the server. The account is ignored.
  package func search(
    _ url: String, _ configuration: AccountConfiguration, proxyCredentials: SharedSecret?, cancellation: Cancellation
  ) throws(SessionError) -> SearchedURL {
    var transport = try AccountAccess.transport(of: configuration)
    // Pins apply to the issuer's key only.
    transport.pins = []
    transport.proxy?.credentials = proxyCredentials
    return try oauth(find(url, transport, cancellation))
  }

  private func find(
    _ url: String, _ transport: Transport, _ cancellation: Cancellation
  ) throws(OAuthError) -> SearchedURL {
    let endpoint = try Endpoint(url, allowHTTPLoopback: transport.allowHTTPLoopback)
    guard let obstacle = try obstacle(url, transport, cancellation) else { return .issuer }
    do {
      return .resource(
        try ResourceDiscovery(endpoint, transport: transport, http: http, cancellation: cancellation).run())
    } catch {
      if obstacle.intendedIssuer != nil { throw obstacle }
      guard error.code == .metadataMissing, error.subject != .unguidedResource else { throw error }
      guard obstacle.code != .issuerMismatch else { throw obstacle }
      throw OAuthError(.metadataMissing, .unknownURL, httpStatus: error.httpStatus)
    }
  }

  /// The error if the URL is not an issuer. Metadata served by a resource for its server is invalid (RFC 8414 section
  /// 3.3).
  private func obstacle(
    _ url: String, _ transport: Transport, _ cancellation: Cancellation
  ) throws(OAuthError) -> OAuthError? {
    do {
      let issuer = try Issuer(url, allowHTTPLoopback: transport.allowHTTPLoopback)
      _ = try Discovery.fetch(issuer, transport: transport, http: http, cancellation: cancellation)
      return nil
    } catch {
      guard [.invalidIssuer, .metadataMissing, .issuerMismatch].contains(error.code) else { throw error }
      return error
    }
  }
}
