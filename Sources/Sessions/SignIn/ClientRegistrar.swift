internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Vault

/// Values to register for a client in addition to the account's settings.
package struct ClientRegistrationValues: Sendable {
  /// Shown to users.
  package let clientName: String
  package let softwareVersion: String
  /// Whether to register for the client credentials grant, which needs authentication.
  package let mustAuthenticate: Bool

  package init(clientName: String, softwareVersion: String, mustAuthenticate: Bool = false) {
    self.clientName = clientName
    self.softwareVersion = softwareVersion
    self.mustAuthenticate = mustAuthenticate
  }
}

extension SignInServer {
  /// The `software_id` of this program (RFC 7591 section 2).
  private static let softwareID = "0b0c5e0e-58a7-4c5c-9d0e-6f6c1c7f3c52"

  /// How long before its creation a certificate becomes valid, for servers with slow clocks.
  private static let secondsBefore = 86_400

  /// Registers a client (RFC 7591) and adds it to the settings. Blocking.
  mutating func register(_ values: ClientRegistrationValues, redirectURIs: [String]) throws(SessionError) {
    var request = try request(values, redirectURIs)
    var registration = try register(&request, values, methods(values))
    if mayBeMisread(registration, for: request) {
      _ = ClientRegistrationRecord(registration).delete(parsed.transport, services.http)
      registration = try register(&request, values, [.secretPost])
    }
    try adopt(registration, for: request, values)
  }

  /// The client authentication methods to try, in order (RFC 8252 section 8.4).
  private func methods(_ values: ClientRegistrationValues) -> [ClientAuthenticationMethod] {
    let wanted = configuration.tokenEndpointAuthMethod
    if wanted != .none { return [wanted] }
    if secrets.credentials.key != nil || configuration.profile == .fapi2 { return [.privateKeyJWT] }
    let announced = metadata.tokenEndpointAuthMethods
    let surest =
      ClientAuthenticationMethod.allCases.first {
        [.secret, .key].contains($0.credential) && announced.contains($0.rawValue)
      } ?? .secretBasic
    if values.mustAuthenticate { return [surest] }
    if announced.contains(ClientAuthenticationMethod.none.rawValue) { return [.none] }
    return metadata.announcesTokenEndpointAuthMethods ? [surest] : [.none, surest]
  }

  /// Whether the server may misread the client ID or secret in Basic authentication (RFC 6749 section 2.3.1), but not
  /// in the body.
  private func mayBeMisread(_ registration: ClientRegistration, for request: ClientRegistrationRequest) -> Bool {
    let method = registration.tokenEndpointAuthMethod ?? request.tokenEndpointAuthMethod
    guard configuration.tokenEndpointAuthMethod == .none, method == ClientAuthenticationMethod.secretBasic.rawValue,
      metadata.tokenEndpointAuthMethods.contains(ClientAuthenticationMethod.secretPost.rawValue)
    else { return false }
    let secretIsPlain = registration.secret?.bytes.withBytes { bytes in
      bytes.indices.allSatisfy { Form.isPlain(bytes[$0]) }
    }
    return !registration.clientID.utf8.allSatisfy(Form.isPlain) || secretIsPlain == false
  }

  /// Completes the request for an authentication method, with a new key or certificate if needed.
  private mutating func prepare(
    _ method: ClientAuthenticationMethod, _ values: ClientRegistrationValues, _ request: inout ClientRegistrationRequest
  ) throws(SessionError) {
    request.tokenEndpointAuthMethod = method.rawValue
    switch method.credential {
    case .issuedCertificate:
      throw .oauth(
        OAuthError(.registrationUnusable, .reason("a certificate from an authority must be registered manually")))
    case .selfSignedCertificate:
      if secrets.credentials.certificate == nil { try makeCertificate(values) }
      request.keys = [try secrets.credentials.publishedCertificate(configuration, in: services.vault.keyDevice)]
      request.bindsTokensToCertificate = metadata.bindsTokensToCertificates
    case .key:
      if secrets.credentials.key == nil {
        let announced = metadata.tokenEndpointAuthSigningAlgorithms
        secrets.credentials.key = try makeKey(announced?.contains(SigningAlgorithm.ES256.rawValue) ?? true)
      }
      request.keys = [
        try secrets.credentials.publishedKey(named: &parsed.configuration, in: services.vault.keyDevice)
      ]
    case .none, .secret: break
    }
  }

  /// `acceptsES256`: whether the server accepts the only algorithm of TPM keys.
  private func makeKey(_ acceptsES256: Bool) throws(SessionError) -> SharedSecret {
    try services.generateKey(configuration, isSupportedByTPM: acceptsES256) { (device) throws(SessionError) in
      try ClientKeyFile.generate(in: device).key
    }
  }

  private mutating func makeCertificate(_ values: ClientRegistrationValues) throws(SessionError) {
    if secrets.credentials.key == nil { secrets.credentials.key = try makeKey(true) }
    let start = services.time.wallSeconds() - Self.secondsBefore
    try secrets.credentials.makeCertificate(name: values.clientName, in: services.vault.keyDevice, from: start)
  }

  private func request(
    _ values: ClientRegistrationValues, _ redirectURIs: [String]
  ) throws(SessionError) -> ClientRegistrationRequest {
    var request = try ClientRegistrationRequest(
      of: configuration, name: values.clientName, softwareID: Self.softwareID, softwareVersion: values.softwareVersion)
    if values.mustAuthenticate { request.grantTypes.append(AuthorizationServer.GrantType.clientCredentials) }
    if metadata[.deviceAuthorization] != nil, configuration.profile == nil {
      request.grantTypes.append(AuthorizationServer.GrantType.device)
    }
    if metadata.offersCodeFlow {
      request.grantTypes.append(AuthorizationServer.GrantType.code)
      request.redirectURIs = redirectURIs
    }
    if request.grantTypes.contains(where: AuthorizationServer.GrantType.signIn.contains) {
      request.grantTypes.append(AuthorizationServer.GrantType.refresh)
    }
    guard !request.grantTypes.isEmpty else {
      throw .oauth(OAuthError(.registrationUnusable, .reason("it offers no way to sign in")))
    }
    request.bindsTokensToCertificate = secrets.credentials.certificate != nil && metadata.bindsTokensToCertificates
    return request
  }

  /// Uses the first method that the server accepts.
  private mutating func register(
    _ request: inout ClientRegistrationRequest, _ values: ClientRegistrationValues,
    _ methods: [ClientAuthenticationMethod]
  ) throws(SessionError) -> ClientRegistration {
    var refusal: OAuthError?
    let standard = request.grantTypes
    for method in methods {
      try prepare(method, values, &request)
      for usesRegisteredName in standard.contains(AuthorizationServer.GrantType.device) ? [true, false] : [true] {
        request.grantTypes = usesRegisteredName ? standard : standard.map(Self.registrationName)
        do throws(OAuthError) {
          // Without a response, the client could not be deleted.
          return try cancellation.withDelayedCancellation(orThrow: OAuthError(.cancelled, .endpoint(.registration))) {
            () throws(OAuthError) in
            try ClientRegistration.register(
              request, at: metadata, initialAccessToken: secrets.initialAccessToken, transport: parsed.transport,
              http: services.http, cancellation: cancellation)
          }
        } catch {
          guard error.serverError == "invalid_client_metadata" else { throw .oauth(refusal ?? error) }
          refusal = refusal ?? error
        }
      }
    }
    throw .oauth(refusal ?? OAuthError(.registrationRejected, .server))
  }

  /// Glewlwyd accepts only its own name for the device grant.
  private static func registrationName(_ grantType: String) -> String {
    grantType.hasSameBytes(as: AuthorizationServer.GrantType.device)
      ? AuthorizationServer.GrantType.unregisteredDevice : grantType
  }

  /// Applies the registration to settings and secrets, or deletes the client if unusable.
  private mutating func adopt(
    _ registration: ClientRegistration, for request: ClientRegistrationRequest, _ values: ClientRegistrationValues
  ) throws(SessionError) {
    let record = ClientRegistrationRecord(registration)
    do throws(SessionError) {
      let method = try check(registration, request, values)
      parsed.configuration.clientID = registration.clientID
      parsed.configuration.tokenEndpointAuthMethod = method
      if registration.bindsTokensToKey { parsed.configuration.usesDPoP = true }
      try parsed.configuration.adopt(registration)
      secrets.credentials.secret = method.credential == .secret ? registration.secret : nil
      // A certificate uses the same key.
      if method.credential != .key, secrets.credentials.certificate == nil { secrets.credentials.key = nil }
      secrets.registration = record
    } catch {
      _ = record.delete(parsed.transport, services.http)
      throw error
    }
    registrationNotices = [.clientRegistered(registration.clientID)]
    if registration.hasForeignManagement { registrationNotices?.append(.foreignManagement) }
  }

  /// Checks the registered client (RFC 7591 section 3.2.1). Returns its authentication method.
  private func check(
    _ registration: ClientRegistration, _ request: ClientRegistrationRequest, _ values: ClientRegistrationValues
  ) throws(SessionError) -> ClientAuthenticationMethod {
    func unusable(_ what: Phrase) -> SessionError { .oauth(OAuthError(.registrationUnusable, .reason(what))) }
    let name = registration.tokenEndpointAuthMethod ?? request.tokenEndpointAuthMethod
    guard let method = ClientAuthenticationMethod(rawValue: name) else {
      throw unusable("with an unsupported client authentication")
    }
    switch method.credential {
    case .none: if values.mustAuthenticate { throw unusable("as a client without authentication") }
    case .secret: if registration.secret == nil { throw unusable("without a client secret") }
    case .key: if request.keys.isEmpty { throw unusable("with a key that it was not sent") }
    case .selfSignedCertificate where secrets.credentials.certificate != nil && !request.keys.isEmpty: break
    case .issuedCertificate, .selfSignedCertificate: throw unusable("with a certificate that it was not sent")
    }
    let grants = registration.grantTypes ?? request.grantTypes
    let needed =
      values.mustAuthenticate ? [AuthorizationServer.GrantType.clientCredentials] : AuthorizationServer.GrantType.signIn
    guard needed.contains(where: grants.contains) else { throw unusable("without a way to sign in") }
    if grants.contains(AuthorizationServer.GrantType.code), let uris = registration.redirectURIs {
      guard request.redirectURIs.contains(where: uris.contains) else { throw unusable("with other redirect URIs") }
    }
    return method
  }
}
