internal import OAuth
internal import Vault

/// The server of a sign-in. Its metadata completes the settings.
struct SignInServer {
  var parsed: ParsedConfiguration
  var secrets: SignInSecrets
  let metadata: AuthorizationServerMetadata
  /// Notices about the newly registered client, or nil without one.
  var registrationNotices: [SignIn.Notice]?
  let services: SessionServices
  let cancellation: Cancellation

  /// Reads the secrets and fetches the metadata. Blocking.
  init(
    _ configuration: AccountConfiguration, requestsOfflineAccess: Bool = false, services: SessionServices,
    cancellation: Cancellation, secrets: (ParsedConfiguration) throws(SessionError) -> SignInSecrets
  ) throws(SessionError) {
    self.services = services
    self.cancellation = cancellation
    parsed = try ParsedConfiguration(configuration)
    self.secrets = try secrets(parsed)
    parsed.useProxyCredentials(self.secrets.proxyCredentials)
    try self.secrets.credentials.testSigning(in: services.vault.keyDevice)
    // A client with a certificate uses other endpoints (RFC 8705 section 5).
    if self.secrets.credentials.certificate != nil || configuration.tokenEndpointAuthMethod == .selfSignedTLSClientAuth
    {
      parsed.configuration.usesClientCertificate = true
    }
    do throws(SessionError) {
      metadata = try services.metadata(parsed, fresh: true, cancellation: cancellation)
    } catch {
      // Adopts the server's spelling of the issuer, which is compared bytewise.
      guard case .oauth(let problem) = error, let named = problem.intendedIssuer,
        parsed.configuration.providerSettings?.isSameServer(configuration.issuer, as: named) == true
      else { throw error }
      var renamed = parsed.configuration
      renamed.issuer = named
      parsed = try ParsedConfiguration(renamed)
      parsed.useProxyCredentials(self.secrets.proxyCredentials)
      metadata = try services.metadata(parsed, fresh: true, cancellation: cancellation)
    }
    if requestsOfflineAccess { parsed.configuration.requestOfflineAccess(metadata) }
  }

  /// Explains how to get a client.
  var missingClient: SessionError {
    let provider = configuration.providerSettings
    let redirect = try? SignInRedirect(configuration, metadata, keeping: nil)
    return .clientIDNeeded(
      MissingClient(
        server: provider?.title ?? configuration.issuer, registration: provider?.registration,
        redirectURI: metadata[.authorization] == nil ? nil : redirect?.uri.text,
        canRegister: metadata[.registration] != nil, canPublish: metadata.acceptsMetadataURLs ?? false))
  }

  var acceptsOnlyPublishedClients: Bool {
    metadata[.registration] == nil && metadata.acceptsMetadataURLs ?? false
  }

  mutating func bindTokens() { parsed.configuration.usesDPoP = true }

  var configuration: AccountConfiguration { parsed.configuration }

  /// Chooses the redirect, listens for it, and registers a client if required. Nil without a redirect.
  mutating func prepareRedirect(
    _ request: SignIn.Request, replacing old: AccountRecord?
  ) throws(SessionError) -> SignInRedirect? {
    guard metadata[.authorization] != nil, request.unattended == nil else {
      guard request.registersClient, let values = request.registration else { return nil }
      let usual = try? SignInRedirect(configuration, metadata, keeping: nil)
      try register(values, redirectURIs: metadata.offersCodeFlow ? usual?.urisToRegister(port: nil) ?? [] : [])
      return nil
    }
    let redirect: SignInRedirect
    do throws(SessionError) {
      redirect = try SignInRedirect(configuration, metadata, keeping: request.registersClient ? nil : old)
    } catch .redirectURINeeded where metadata[.deviceAuthorization] != nil {
      return nil
    }
    guard !request.registersClient else { return try register(redirect, request) }
    do throws(SessionError) {
      _ = try request.listen?(redirect, metadata, request.isDeviceGrantRefused, false)
      return redirect
    } catch  where error.isPortUnavailable && redirect.isRegistered && request.registration != nil {
      parsed.configuration.clientID = ""
      secrets.registration = nil
      return try register(redirect.withAnyPort, request)
    }
  }

  private mutating func register(
    _ redirect: SignInRedirect, _ request: SignIn.Request
  ) throws(SessionError) -> SignInRedirect {
    guard let values = request.registration else { return redirect }
    let port = try request.listen?(redirect, metadata, request.isDeviceGrantRefused, true)
    try register(values, redirectURIs: redirect.urisToRegister(port: port))
    return redirect.withPort(port)
  }

  /// Blocking.
  func deleteNewClient() {
    if registrationNotices != nil { delete(secrets.registration) }
  }

  /// Deletes a client at this server, if possible. Blocking.
  func delete(_ registration: ClientRegistrationRecord?) {
    _ = registration?.delete(parsed.transport, services.http)
  }

  /// Selects the client authentication. `algorithms` are the resource's proof algorithms.
  mutating func makeServer(proofAlgorithms algorithms: [String] = []) throws(SessionError) -> AuthorizationServer {
    let credentials = secrets.credentials
    if !credentials.isEmpty, configuration.tokenEndpointAuthMethod == .none {
      parsed.configuration.tokenEndpointAuthMethod = try method(credentials)
    }
    if configuration.hasMetadataURL, configuration.tokenEndpointAuthMethod == .privateKeyJWT {
      _ = try credentials.publishedKey(named: &parsed.configuration, in: services.vault.keyDevice)
    }
    var server = try parsed.server(
      metadata: metadata, credentials, proxyCredentials: secrets.proxyCredentials, http: services.http,
      time: services.time, keyDevice: services.vault.keyDevice)
    server.prover = try services.newProver(configuration, metadata, forResource: algorithms)
    return server
  }

  /// The strongest announced method for the given credentials (RFC 9700 section 2.5).
  private func method(_ credentials: ClientCredentials) throws(SessionError) -> ClientAuthenticationMethod {
    func isAnnounced(_ method: ClientAuthenticationMethod) -> Bool {
      metadata.tokenEndpointAuthMethods.contains(method.rawValue)
    }
    if let certificate = try credentials.clientCertificate(configuration, in: services.vault.keyDevice) {
      let methods: [ClientAuthenticationMethod] =
        certificate.isSelfIssued
        ? [.selfSignedTLSClientAuth, .tlsClientAuth] : [.tlsClientAuth, .selfSignedTLSClientAuth]
      if let method = methods.first(where: isAnnounced) { return method }
      // A certificate can bind tokens without being used for authentication (RFC 8705 section 4).
      if credentials.secret == nil { return isAnnounced(.privateKeyJWT) ? .privateKeyJWT : .none }
    } else if credentials.key != nil {
      return .privateKeyJWT
    }
    if let known = configuration.providerSettings?.tokenEndpointAuthMethod { return known }
    return ClientAuthenticationMethod.allCases.first { $0.credential == .secret && isAnnounced($0) } ?? .secretBasic
  }
}
