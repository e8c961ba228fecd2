internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

extension AccountConfiguration {
  /// The settings of a new account.
  ///
  /// - Throws: `invalid_request` when the issuer or the client id is not named, or a value is not valid.
  init(_ given: AccountSettings) throws(Failure) {
    guard let issuer = given.issuer else {
      throw Failure(.invalidRequest, "a new account needs an issuer", hint: "--issuer URL")
    }
    guard let clientID = given.clientID else { throw Self.missingClientID }
    self.init(issuer: issuer, clientID: clientID)
    try apply(given)
  }

  static var missingClientID: Failure {
    Failure(.invalidRequest, "a new account needs the client id that the issuer gave you", hint: "--client-id ID")
  }

  /// Takes what is named over; what is not named stays. The proxy is left to ``ProxySetting``.
  mutating func apply(_ given: AccountSettings) throws(Failure) {
    if let issuer = given.issuer { self.issuer = issuer }
    if let clientID = given.clientID { self.clientID = clientID }
    if !given.scope.isEmpty { scope = try Self.scope(given.scope) }
    if let method = given.tokenEndpointAuthMethod {
      guard ["none", "client_secret_basic", "client_secret_post"].contains(method) else {
        throw Failure(
          .invalidRequest, "the client authentication method is none, client_secret_basic or client_secret_post")
      }
      tokenEndpointAuthMethod = method
    }
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
    endpoints.jwks = given.endpoints.jwks ?? endpoints.jwks
    if given.keepsAccessToken { keepsAccessToken = true }
    if given.dpop { dpop = true }
  }

  /// Takes a setting back to what it is for an account that never named it.
  mutating func unset(_ setting: AccountSetting) {
    switch setting {
    case .scope: scope = []
    case .tokenEndpointAuthMethod: tokenEndpointAuthMethod = "none"
    case .caFile: caFile = nil
    case .pins: pins = []
    case .allowHTTPLoopback: allowHTTPLoopback = false
    case .tokenEndpoint: endpoints.token = nil
    case .deviceAuthorizationEndpoint: endpoints.deviceAuthorization = nil
    case .userinfoEndpoint: endpoints.userinfo = nil
    case .revocationEndpoint: endpoints.revocation = nil
    case .jwksURI: endpoints.jwks = nil
    case .proxy: (proxy, proxyExclusions) = (nil, nil)
    case .keep: keepsAccessToken = false
    case .dpop: dpop = false
    }
  }

  /// What requests call these settings. A password that somebody wrote into the proxy's URL by hand is
  /// left out.
  var settings: AccountSettings {
    var settings = AccountSettings()
    settings.issuer = issuer
    settings.clientID = clientID
    settings.scope = scope
    settings.tokenEndpointAuthMethod = tokenEndpointAuthMethod
    settings.caFile = caFile
    settings.pins = pins
    settings.allowHTTPLoopback = allowHTTPLoopback
    settings.endpoints.token = endpoints.token
    settings.endpoints.deviceAuthorization = endpoints.deviceAuthorization
    settings.endpoints.userinfo = endpoints.userinfo
    settings.endpoints.revocation = endpoints.revocation
    settings.endpoints.jwks = endpoints.jwks
    settings.proxy = (try? proxy.map { (text) throws(Failure) in try ProxySetting(text) })?.map(\.url)
    settings.proxyExclusions = proxyExclusions
    settings.keepsAccessToken = keepsAccessToken
    settings.dpop = dpop
    return settings
  }

  private static func scope(_ values: [String]) throws(Failure) -> [String] {
    do { return try Scope(values.joined(separator: " ")).values } catch {
      throw Failure(.oauth(error), account: nil)
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
