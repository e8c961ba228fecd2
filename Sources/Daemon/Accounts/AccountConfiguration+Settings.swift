internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Wire

extension AccountConfiguration {
  /// The settings of a new account.
  ///
  /// - Throws: `invalid_request` when the issuer or the client id is not named, or a value is not valid.
  init(_ given: AccountSettings) throws(Failure) {
    guard let issuer = try Self.issuer(given) else {
      throw Failure(.invalidRequest, "a new account needs an issuer", hint: "--issuer URL")
    }
    guard let clientID = given.clientID else { throw Self.missingClientID }
    self.init(issuer: issuer, clientID: clientID)
    try apply(given)
  }

  /// The issuer that is named, or that of the service that is named.
  ///
  /// - Throws: `invalid_request` for a service that has no one issuer, or that cannot be signed in to.
  static func issuer(_ given: AccountSettings) throws(Failure) -> String? {
    guard let service = given.service.flatMap({ KnownService.named($0.rawValue) }) else { return given.issuer }
    if let obstacle = service.obstacle {
      throw Failure(.invalidRequest, "no sign-in to \(service.title) is possible from a terminal: \(obstacle)")
    }
    guard let issuer = given.issuer ?? service.issuer else {
      throw Failure(
        .invalidRequest, "each customer of \(service.title) has an issuer of their own",
        hint: "--issuer, such as \(service.issuerExample ?? "URL")")
    }
    return issuer
  }

  static var missingClientID: Failure {
    Failure(.invalidRequest, "a new account needs the client id that the issuer gave you", hint: "--client-id ID")
  }

  /// Applies the settings that the request names; keeps all others. ``ProxySetting`` applies the proxy.
  mutating func apply(_ given: AccountSettings) throws(Failure) {
    if let issuer = given.issuer { self.issuer = issuer }
    if let clientID = given.clientID { self.clientID = clientID }
    if let service = given.service { serviceName = service.rawValue }
    if !given.scope.isEmpty { scope = try Self.scope(given.scope) }
    if !given.resources.isEmpty || given.audience != nil {
      let target: TokenTarget?
      do { target = try TokenTarget.make(scope: [], resources: given.resources, audience: given.audience) } catch {
        throw Failure(.oauth(error), account: nil)
      }
      if !given.resources.isEmpty { resources = target?.resources ?? [] }
      audience = given.audience ?? audience
    }
    if let method = given.tokenEndpointAuthMethod {
      guard ClientAuthenticationMethod(rawValue: method) != nil else {
        throw Failure(
          .invalidRequest, "the client authentication method is not one that is known",
          hint: "known are " + ClientAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", "))
      }
      tokenEndpointAuthMethod = method
    }
    authentication.apply(given.authentication)
    signing.apply(given.signing)
    if let caFile = given.caFile {
      guard caFile.hasPrefix("/") else { throw Failure(.invalidRequest, "\"ca_file\" must be an absolute path") }
      self.caFile = caFile
    }
    if !given.pins.isEmpty {
      guard given.pins.allSatisfy(Self.isPin) else { throw Failure(ConfigurationError(.pin, "pins")) }
      pins = given.pins
    }
    if given.allowHTTPLoopback { allowHTTPLoopback = true }
    endpoints.token = given.endpoints.token ?? endpoints.token
    endpoints.deviceAuthorization = given.endpoints.deviceAuthorization ?? endpoints.deviceAuthorization
    endpoints.userinfo = given.endpoints.userinfo ?? endpoints.userinfo
    endpoints.revocation = given.endpoints.revocation ?? endpoints.revocation
    endpoints.registration = given.endpoints.registration ?? endpoints.registration
    endpoints.jwks = given.endpoints.jwks ?? endpoints.jwks
    if let redirectURI = given.redirectURI { self.redirectURI = try Self.redirectURI(redirectURI) }
    if given.keepsAccessToken { keepsAccessToken = true }
    if given.dpop { dpop = true }
    if let policy = given.refresh { refreshPolicy = RefreshPolicy.Kind(policy) }
    if let level = given.protection { protection = Protection(level) }
    for origin in try origins(of: given) where !lists(origin) { origins.append(origin.text) }
  }

  /// A resource that is named at a sign-in may get the token that is asked for it. One at a place that no
  /// token goes to, over plain http say, adds nothing.
  mutating func listOrigins(of resources: [String]) {
    for resource in resources {
      guard let place = try? Endpoint(resource, allowHTTPLoopback: allowHTTPLoopback) else { continue }
      let origin = ResourceOrigin(of: place)
      if !lists(origin) { origins.append(origin.text) }
    }
  }

  /// Resets the settings that belong to one client, before another client is registered.
  mutating func forgetClient() {
    clientID = ""
    tokenEndpointAuthMethod = ClientAuthenticationMethod.none.rawValue
    authentication = AuthenticationSettings()
    signing = SigningSettings()
  }

  /// Resets a setting to its default.
  mutating func unset(_ setting: AccountSetting) {
    switch setting {
    case .provider: serviceName = nil
    case .scope: scope = []
    case .resource: resources = []
    case .audience: audience = nil
    case .tokenEndpointAuthMethod: tokenEndpointAuthMethod = "none"
    case .basicUnencoded: authentication.isBasicUnencoded = false
    case .clientCertificate: authentication.showsCertificate = false
    case .clientKeyAlgorithm: authentication.keyAlgorithm = nil
    case .clientKeyID: authentication.keyID = nil
    case .assertionAudience: authentication.assertionAudience = nil
    case .idTokenAlgorithm: signing.idTokenAlgorithm = nil
    case .userInfoAlgorithm: signing.userInfoAlgorithm = nil
    case .caFile: caFile = nil
    case .pins: pins = []
    case .allowHTTPLoopback: allowHTTPLoopback = false
    case .tokenEndpoint: endpoints.token = nil
    case .deviceAuthorizationEndpoint: endpoints.deviceAuthorization = nil
    case .userinfoEndpoint: endpoints.userinfo = nil
    case .revocationEndpoint: endpoints.revocation = nil
    case .registrationEndpoint: endpoints.registration = nil
    case .jwksURI: endpoints.jwks = nil
    case .refresh: refreshPolicy = .proactive
    case .redirectURI: redirectURI = nil
    case .proxy: (proxy, proxyExclusions) = (nil, nil)
    case .keep: keepsAccessToken = false
    case .dpop: dpop = false
    case .origins: origins = []
    }
  }

  /// The settings in the form of a request, without a password that was written into the proxy's URL by hand.
  var settings: AccountSettings {
    var settings = AccountSettings()
    settings.issuer = issuer
    settings.clientID = clientID
    settings.service = serviceName.flatMap { KnownServiceName(rawValue: $0) }
    settings.scope = scope
    settings.resources = resources
    settings.audience = audience
    settings.tokenEndpointAuthMethod = tokenEndpointAuthMethod
    settings.authentication = authentication.settings
    settings.signing = signing.settings
    settings.caFile = caFile
    settings.pins = pins
    settings.allowHTTPLoopback = allowHTTPLoopback
    settings.endpoints.token = endpoints.token
    settings.endpoints.deviceAuthorization = endpoints.deviceAuthorization
    settings.endpoints.userinfo = endpoints.userinfo
    settings.endpoints.revocation = endpoints.revocation
    settings.endpoints.registration = endpoints.registration
    settings.endpoints.jwks = endpoints.jwks
    settings.redirectURI = redirectURI
    settings.proxy = (try? proxy.map { (text) throws(Failure) in try ProxySetting(text) })?.map(\.url)
    settings.proxyExclusions = proxyExclusions
    settings.keepsAccessToken = keepsAccessToken
    settings.dpop = dpop
    settings.origins = origins
    settings.refresh = RefreshPolicyName(rawValue: refreshPolicy.rawValue)
    settings.protection = protection.map { ProtectionLevel($0) }
    return settings
  }

  /// The places that a request names.
  func origins(of given: AccountSettings) throws(Failure) -> [ResourceOrigin] {
    try given.origins.map { (text) throws(Failure) in
      guard let origin = ResourceOrigin(text, allowHTTPLoopback: allowHTTPLoopback) else {
        throw Failure(
          .invalidRequest, "a host that may get the token is a name, with a port if need be, or an https origin",
          hint: "for a development server on this machine: --allow-http-loopback")
      }
      return origin
    }
  }

  private static func scope(_ values: [String]) throws(Failure) -> [String] {
    do { return try Scope(values.joined(separator: " ")).values } catch {
      throw Failure(.oauth(error), account: nil)
    }
  }

  private static func redirectURI(_ text: String) throws(Failure) -> String {
    do { return try RedirectURI(text).text } catch {
      throw Failure(
        .invalidRequest, "the redirect URI must be http to 127.0.0.1, [::1] or localhost, or https; without a query")
    }
  }

  private static func isPin(_ pin: String) -> Bool {
    let prefix = "sha256//"
    guard pin.hasPrefix(prefix), let bytes = try? Base64.decode(String(pin.dropFirst(prefix.count))) else {
      return false
    }
    return bytes.count == 32
  }
}

extension RefreshPolicy.Kind {
  /// The policy of this name; that each name has one is tested.
  init(_ name: RefreshPolicyName) {
    self =
      switch name {
      case .onDemand: .onDemand
      case .proactive: .proactive
      case .background: .background
      case .offline: .offline
      case .strict: .strict
      }
  }
}
