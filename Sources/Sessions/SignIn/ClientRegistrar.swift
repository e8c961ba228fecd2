internal import Crypto
internal import Encoding
internal import JOSE
internal import OAuth
internal import Vocabulary

/// Registers a client for an account at its server (RFC 7591), and checks the result. Blocking.
struct ClientRegistrar {
  let configuration: AccountConfiguration
  let secrets: SignIn.Secrets
  let order: SignIn.RegistrationOrder
  /// As in ``SignIn/Preparation/asksToStay``: a client may be held to the scope that it is registered with.
  let asksToStay: Bool
  let services: SessionServices
  let cancellation: Cancellation

  /// A client that is registered, and all that a sign-in with it needs.
  struct Result {
    var configuration: AccountConfiguration
    var secrets: SignIn.Secrets
    /// The notices for the person.
    var notices: [String]
  }

  /// Names this program to servers that know it, whatever the client is called (RFC 7591 section 2).
  private static let softwareID = "0b0c5e0e-58a7-4c5c-9d0e-6f6c1c7f3c52"

  func run() throws(SessionError) -> Result {
    var access = try AccountAccess(configuration)
    access.useProxyCredentials(secrets.proxyCredentials)
    let metadata = try services.metadata(access, fresh: true, cancellation: cancellation)
    var made = Result(configuration: configuration, secrets: secrets, notices: [])
    if asksToStay { made.configuration.askToStay(metadata) }
    var request = try self.request(metadata, made)
    let registration = try register(&request, metadata, access.transport, &made)
    try adopt(registration, for: request, &made)
    return made
  }

  /// How the client may prove who it is, in the order to try: as the person wants it; else not at all (RFC 8252
  /// section 8.4), unless the server says that it wants more. Of what it announces then a secret is the surest:
  /// servers differ in what they take for the reader of a signed token.
  private func methods(_ metadata: AuthorizationServerMetadata) -> [ClientAuthenticationMethod] {
    let wanted = configuration.tokenEndpointAuthMethod
    if wanted != .none { return [wanted] }
    if secrets.clientKey != nil { return [.privateKeyJWT] }
    let announced = metadata.tokenEndpointAuthMethods
    let proof: [ClientAuthenticationMethod] = [.secretBasic, .secretPost, .privateKeyJWT]
    let surest = proof.first { announced.contains($0.rawValue) } ?? .secretBasic
    if order.needsProof { return [surest] }
    if announced.contains(ClientAuthenticationMethod.none.rawValue) { return [.none] }
    return metadata.announcesTokenEndpointAuthMethods ? [surest] : [.none, surest]
  }

  /// Gives the client a key of its own where it needs one and has none.
  private func prepare(
    _ method: ClientAuthenticationMethod, _ request: inout ClientRegistrationRequest, _ made: inout Result
  ) throws(SessionError) {
    request.tokenEndpointAuthMethod = method.rawValue
    switch method {
    case .tlsClientAuth, .selfSignedTLSClientAuth:
      throw .oauth(OAuthError(.registrationUnusable, "a certificate is registered by hand only"))
    case .privateKeyJWT:
      if made.secrets.clientKey == nil { made.secrets.clientKey = try ClientKeyFile.generate().key }
      // Some servers find a key by its name only.
      let named = made.configuration.clientKeyID
      let key = try made.secrets.credentials.clientKey(made.configuration)
      do {
        made.configuration.clientKeyID = try named ?? key.thumbprint()
        request.keys = [
          try made.secrets.credentials.clientKey(made.configuration).published()
        ]
      } catch {
        throw .memory
      }
    case .none, .secretBasic, .secretPost: break
    }
  }

  private func request(
    _ metadata: AuthorizationServerMetadata, _ made: Result
  ) throws(SessionError) -> ClientRegistrationRequest {
    var request = ClientRegistrationRequest(
      name: order.clientName, softwareID: Self.softwareID, softwareVersion: order.softwareVersion)
    if order.needsProof { request.grantTypes.append(ClientRegistrationRequest.clientCredentials) }
    if metadata.deviceAuthorizationEndpoint != nil { request.grantTypes.append(ClientRegistrationRequest.device) }
    if metadata.offersCodeFlow {
      request.grantTypes.append(ClientRegistrationRequest.code)
      request.redirectURIs = redirectURIs(metadata.issuer)
    }
    if request.grantTypes.contains(where: ClientRegistrationRequest.signInGrants.contains) {
      request.grantTypes.append(ClientRegistrationRequest.refresh)
    }
    guard !request.grantTypes.isEmpty else {
      throw .oauth(OAuthError(.registrationUnusable, "it offers no way to sign in"))
    }
    do {
      let scope = made.configuration.scope
      if !scope.isEmpty { request.scope = try Scope(values: scope) }
    } catch {
      throw .oauth(error)
    }
    request.bindsTokensToKey = configuration.dpop
    request.idTokenAlgorithm = configuration.idTokenAlgorithm?.rawValue
    request.userInfoAlgorithm = configuration.userInfoAlgorithm?.rawValue
    request.bindsTokensToCertificate = secrets.clientCertificate != nil && metadata.bindsTokensToCertificates
    return request
  }

  /// Any port is meant (RFC 8252 section 7.3).
  private func redirectURIs(_ issuer: Issuer) -> [String] {
    if let named = configuration.redirectURI { return [named] }
    return [RedirectURI.Host.ipv4, .ipv6].map { RedirectURI(standardFor: issuer, host: $0).text }
  }

  /// Registers in the first way that the server does not refuse for what the request says.
  ///
  /// Glewlwyd has a name of its own for the device grant and refuses the registered one, which it announces.
  private func register(
    _ request: inout ClientRegistrationRequest, _ metadata: AuthorizationServerMetadata, _ transport: Transport,
    _ made: inout Result
  ) throws(SessionError) -> ClientRegistration {
    var refusal: OAuthError?
    let standard = request.grantTypes
    for method in methods(metadata) {
      try prepare(method, &request, &made)
      for isByTheBook in standard.contains(ClientRegistrationRequest.device) ? [true, false] : [true] {
        request.grantTypes = isByTheBook ? standard : standard.map(Self.unregistered)
        do throws(OAuthError) {
          return try send(request, metadata, transport)
        } catch {
          guard error.serverError == "invalid_client_metadata" else { throw .oauth(refusal ?? error) }
          refusal = refusal ?? error
        }
      }
    }
    throw .oauth(refusal ?? OAuthError(.registrationRejected, "the server"))
  }

  private static func unregistered(_ grantType: String) -> String {
    grantType.utf8.elementsEqual(ClientRegistrationRequest.device.utf8)
      ? ClientRegistrationRequest.unregisteredDevice : grantType
  }

  private func send(
    _ request: ClientRegistrationRequest, _ metadata: AuthorizationServerMetadata, _ transport: Transport
  ) throws(OAuthError) -> ClientRegistration {
    try ClientRegistration.register(
      request, at: metadata, initialAccessToken: order.initialAccessToken, transport: transport,
      http: services.http, cancellation: cancellation)
  }

  /// Takes the client over if it is of use. One that is not is taken back.
  private func adopt(
    _ registration: ClientRegistration, for request: ClientRegistrationRequest, _ made: inout Result
  ) throws(SessionError) {
    let record = ClientRegistrationRecord(registration)
    do throws(SessionError) {
      let method = try check(registration, request)
      made.configuration.clientID = registration.clientID
      made.configuration.tokenEndpointAuthMethod = method
      if registration.bindsTokensToKey { made.configuration.dpop = true }
      try made.configuration.adopt(registration)
      made.secrets.clientSecret = [.secretBasic, .secretPost].contains(method) ? registration.secret : nil
      // A certificate has the same key.
      if method != .privateKeyJWT, secrets.clientCertificate == nil { made.secrets.clientKey = nil }
      made.secrets.registration = record
    } catch {
      _ = ClientRegistrationRemoval(configuration: configuration, secrets: secrets, services: services).run(record)
      throw error
    }
    made.notices = notices(registration)
  }

  private func notices(_ registration: ClientRegistration) -> [String] {
    var notices = ["the server registered a client for this account: \(registration.clientID)"]
    if registration.hasForeignManagement {
      notices.append(
        "the server names a place of another server to manage the client at, so it cannot be deleted from here")
    }
    return notices
  }

  /// Checks that the registered client can be used to sign in (RFC 7591 section 3.2.1).
  private func check(
    _ registration: ClientRegistration, _ request: ClientRegistrationRequest
  ) throws(SessionError) -> ClientAuthenticationMethod {
    func unusable(_ what: String) -> SessionError { .oauth(OAuthError(.registrationUnusable, what)) }
    let name = registration.tokenEndpointAuthMethod ?? request.tokenEndpointAuthMethod
    guard let method = ClientAuthenticationMethod(rawValue: name) else {
      throw unusable("by a client authentication that is not supported")
    }
    switch method {
    case .none: if order.needsProof { throw unusable("as a client that proves nothing") }
    case .secretBasic, .secretPost: if registration.secret == nil { throw unusable("without a client secret") }
    case .privateKeyJWT: if request.keys.isEmpty { throw unusable("by a key that it was not given") }
    case .tlsClientAuth, .selfSignedTLSClientAuth: throw unusable("by a certificate that it was not given")
    }
    let grants = registration.grantTypes ?? request.grantTypes
    let needed =
      order.needsProof ? [ClientRegistrationRequest.clientCredentials] : ClientRegistrationRequest.signInGrants
    guard needed.contains(where: grants.contains) else { throw unusable("without a way to sign in") }
    if grants.contains(ClientRegistrationRequest.code), let uris = registration.redirectURIs {
      guard request.redirectURIs.contains(where: uris.contains) else { throw unusable("with other redirect URIs") }
    }
    return method
  }
}
