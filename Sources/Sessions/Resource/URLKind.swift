package import Crypto
package import OAuth

/// An authorization server, or a resource that names its servers (RFC 9728).
package enum URLKind: Sendable, Hashable {
  case issuer
  case resource(ProtectedResource)
}

extension SessionServices {
  /// Determines whether a URL is an authorization server or a resource. Sends no secrets but `proxyCredentials`.
  /// Blocking.
  package func classify(
    _ url: String, _ configuration: AccountConfiguration, proxyCredentials: SharedSecret?, cancellation: Cancellation
  ) throws(SessionError) -> URLKind {
    var transport = try ParsedConfiguration.transport(of: configuration)
    // Pins apply to the issuer's key only.
    transport.pins = []
    transport.proxy?.credentials = proxyCredentials
    return try mapOAuthError(classify(url, transport, cancellation))
  }

  private func classify(
    _ url: String, _ transport: Transport, _ cancellation: Cancellation
  ) throws(OAuthError) -> URLKind {
    let endpoint = try Endpoint(url, allowHTTPLoopback: transport.allowHTTPLoopback)
    guard let issuerError = try issuerError(url, transport, cancellation) else { return .issuer }
    do {
      return .resource(
        try ResourceDiscovery(endpoint, transport: transport, http: http, cancellation: cancellation).run())
    } catch {
      if issuerError.intendedIssuer != nil { throw issuerError }
      guard error.code == .metadataMissing, error.subject != .resourceWithoutKnownServer else { throw error }
      guard issuerError.code != .issuerMismatch else { throw issuerError }
      throw OAuthError(.metadataMissing, .unknownURL, httpStatus: error.httpStatus)
    }
  }

  /// Nil if the URL is an issuer.
  private func issuerError(
    _ url: String, _ transport: Transport, _ cancellation: Cancellation
  ) throws(OAuthError) -> OAuthError? {
    do {
      let issuer = try Issuer(url, allowHTTPLoopback: transport.allowHTTPLoopback)
      _ = try Discovery.fetchMetadata(issuer, transport: transport, http: http, cancellation: cancellation)
      return nil
    } catch {
      guard [.invalidIssuer, .metadataMissing, .issuerMismatch].contains(error.code) else { throw error }
      return error
    }
  }
}
