internal import OAuth
internal import Vocabulary

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
    if credentials.certificate != nil { self.configuration.clientCertificate = true }
    var access = try AccountAccess(self.configuration)
    access.useProxyCredentials(secrets.proxyCredentials)
    let metadata = try services.metadata(access, fresh: true, cancellation: cancellation)
    if !credentials.isEmpty, configuration.tokenEndpointAuthMethod == .none {
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
  ) throws(SessionError) -> ClientAuthenticationMethod {
    func isAnnounced(_ method: ClientAuthenticationMethod) -> Bool { announced.contains(method.rawValue) }
    if let certificate = try credentials.clientCertificate(configuration) {
      let methods: [ClientAuthenticationMethod] =
        certificate.isSelfIssued
        ? [.selfSignedTLSClientAuth, .tlsClientAuth] : [.tlsClientAuth, .selfSignedTLSClientAuth]
      if let method = methods.first(where: isAnnounced) { return method }
      // A certificate that proves nothing can still bind tokens (RFC 8705 section 4).
      if credentials.secret == nil {
        return isAnnounced(.privateKeyJWT) ? .privateKeyJWT : .none
      }
    } else if credentials.key != nil {
      return .privateKeyJWT
    }
    if let known = configuration.providerSettings?.tokenEndpointAuthMethod { return known }
    return isAnnounced(.secretBasic) || !isAnnounced(.secretPost) ? .secretBasic : .secretPost
  }
}
