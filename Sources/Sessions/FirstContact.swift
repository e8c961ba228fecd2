internal import OAuth

/// A server as an account meets it that has no session yet: its metadata is fetched anew, and what the
/// settings leave open is chosen by what it announces.
struct FirstContact {
  /// The settings with the client authentication that was chosen.
  private(set) var configuration: AccountConfiguration
  private(set) var server: AuthorizationServer
  let caDigest: String?

  init(
    _ configuration: AccountConfiguration, _ secrets: SignIn.Secrets, services: SessionServices,
    cancellation: Cancellation
  ) throws(SessionError) {
    self.configuration = configuration
    var access = try AccountAccess(configuration)
    access.useProxyCredentials(secrets.proxyCredentials)
    let metadata = try services.metadata(access, fresh: true, cancellation: cancellation)
    if secrets.clientSecret != nil, configuration.tokenEndpointAuthMethod == "none" {
      self.configuration.tokenEndpointAuthMethod =
        configuration.service?.tokenEndpointAuthMethod ?? Self.method(metadata.tokenEndpointAuthMethods)
      access = try AccountAccess(self.configuration)
      access.useProxyCredentials(secrets.proxyCredentials)
    }
    caDigest = access.caDigest
    server = try access.server(
      metadata: metadata, clientSecret: secrets.clientSecret, proxyCredentials: secrets.proxyCredentials,
      http: services.http)
    server.prover = try services.newProver(configuration, metadata)
  }

  /// The method for a client secret that the server's announcement leads to.
  private static func method(_ announced: [String]) -> String {
    announced.contains("client_secret_basic") || !announced.contains("client_secret_post")
      ? "client_secret_basic" : "client_secret_post"
  }
}
