internal import OAuth

/// A server with freshly fetched metadata, for an account without a session. Open settings are chosen by the server's
/// announcements.
struct FirstContact {
  /// The settings with the client authentication that was chosen.
  private(set) var configuration: AccountConfiguration
  private(set) var server: AuthorizationServer
  let caDigest: String?

  init(
    _ configuration: AccountConfiguration, _ secrets: SignIn.Secrets, services: SessionServices,
    cancellation: Cancellation
  ) throws(SessionError) {
    let credentials = secrets.credentials
    self.configuration = configuration
    if credentials.certificate != nil { self.configuration.authentication.showsCertificate = true }
    var access = try AccountAccess(self.configuration)
    access.useProxyCredentials(secrets.proxyCredentials)
    let metadata = try services.metadata(access, fresh: true, cancellation: cancellation)
    if !credentials.isEmpty, configuration.tokenEndpointAuthMethod == ClientAuthenticationMethod.none.rawValue {
      let method = try Self.method(credentials, self.configuration, metadata.tokenEndpointAuthMethods)
      self.configuration.tokenEndpointAuthMethod = method
      access = try AccountAccess(self.configuration)
      access.useProxyCredentials(secrets.proxyCredentials)
    }
    caDigest = access.caDigest
    server = try access.server(
      metadata: metadata, credentials, proxyCredentials: secrets.proxyCredentials, http: services.http,
      time: services.time)
    server.prover = try services.newProver(configuration, metadata)
  }

  /// The method that the given credentials and the server's announcement lead to, the strongest first
  /// (RFC 9700 section 2.5).
  private static func method(
    _ credentials: ClientCredentials, _ configuration: AccountConfiguration, _ announced: [String]
  ) throws(SessionError) -> String {
    func isAnnounced(_ method: ClientAuthenticationMethod) -> Bool { announced.contains(method.rawValue) }
    if let certificate = try credentials.clientCertificate(configuration.authentication) {
      let methods: [ClientAuthenticationMethod] =
        certificate.isSelfIssued
        ? [.selfSignedTLSClientAuth, .tlsClientAuth] : [.tlsClientAuth, .selfSignedTLSClientAuth]
      if let method = methods.first(where: isAnnounced) { return method.rawValue }
      // A certificate that proves nothing can still bind tokens (RFC 8705 section 4).
      if credentials.secret == nil {
        let method = isAnnounced(.privateKeyJWT) ? ClientAuthenticationMethod.privateKeyJWT : .none
        return method.rawValue
      }
    } else if credentials.key != nil {
      return ClientAuthenticationMethod.privateKeyJWT.rawValue
    }
    if let known = configuration.service?.tokenEndpointAuthMethod { return known }
    let isBasic = isAnnounced(.secretBasic) || !isAnnounced(.secretPost)
    return (isBasic ? ClientAuthenticationMethod.secretBasic : .secretPost).rawValue
  }
}
