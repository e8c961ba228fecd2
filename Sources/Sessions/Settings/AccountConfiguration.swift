internal import Encoding
package import OAuth
package import Vault

/// The settings of one account. They hold no secret and cannot alone send a secret anywhere: see ``Authority``.
package struct AccountConfiguration: Sendable, Hashable {
  package var issuer: String
  package var clientID: String
  /// The name of the ``KnownService`` that the issuer is; nil for any other.
  package var serviceName: String?
  /// Requested scope values; empty means the default for the issuer.
  package var scope: [String] = []
  /// Where the tokens of a sign-in are to be good (RFC 8707).
  package var resources: [String] = []
  package var audience: String?
  /// A ``ClientAuthenticationMethod``.
  package var tokenEndpointAuthMethod = "none"
  package var authentication = AuthenticationSettings()
  package var signing = SigningSettings()
  /// Absolute path of a PEM file with certificate authorities, trusted besides the system's.
  package var caFile: String?
  package var pins: [String] = []
  package var allowHTTPLoopback = false
  package var endpoints = Endpoints()
  /// Where the browser brings the answer of a sign-in, as it is registered at the server.
  package var redirectURI: String?
  package var proxy: String?
  package var proxyExclusions: String?
  /// Keep an access token that cannot be refreshed in the vault.
  package var keepsAccessToken = false
  /// Bind the tokens of the next sign-in to a key (RFC 9449).
  package var dpop = false
  /// Places that may get the access token; see ``ResourceGate``.
  package var origins: [String] = []
  package var refreshPolicy = RefreshPolicy.Kind.proactive
  /// The level at which the next sign-in stores its record; nil leaves an old record where it is. The vault decides how
  /// a record is protected, so an edit of the settings moves none.
  package var protection: Protection?

  package init(issuer: String, clientID: String) {
    self.issuer = issuer
    self.clientID = clientID
  }

  /// Endpoints named by hand, under their metadata names (RFC 8414, section 2).
  package struct Endpoints: Sendable, Hashable {
    package var token: String?
    package var deviceAuthorization: String?
    package var userinfo: String?
    package var revocation: String?
    package var registration: String?
    package var jwks: String?

    package init() {}

    /// Names and values of those that are there, in a fixed order.
    var named: [(String, String)] { all.compactMap { name, value in value.map { (name, $0) } } }

    func json(over old: JSONObject) -> JSONObject {
      var object = old
      for (name, value) in all { object[name] = value.map { .string($0) } }
      return object
    }

    private var all: [(String, String?)] {
      [
        ("token_endpoint", token), ("device_authorization_endpoint", deviceAuthorization),
        ("userinfo_endpoint", userinfo), ("revocation_endpoint", revocation),
        ("registration_endpoint", registration), ("jwks_uri", jwks),
      ]
    }
  }
}

extension AccountConfiguration {
  /// The built-in settings of the issuer, if the account names its service.
  package var service: KnownService? { serviceName.flatMap { KnownService.named($0) } }

  /// Where the tokens of a sign-in are to be good; nil when the settings do not say.
  package func target() throws(OAuthError) -> TokenTarget? {
    try TokenTarget.make(scope: [], resources: resources, audience: audience)
  }

  /// Whether tokens that were got under `other` are good under these settings as they are.
  package func differsOnlyInRefreshPolicy(from other: AccountConfiguration) -> Bool {
    var same = other
    same.refreshPolicy = refreshPolicy
    return same == self
  }

  /// The same for a sign-in by browser, where it does not say so itself.
  func adding(to options: AuthorizationOptions) -> AuthorizationOptions {
    var options = options
    if options.resources.isEmpty { options.resources = resources }
    options.audience = options.audience ?? audience
    return options
  }

  /// The account's object in the settings file; members this build does not know are kept from `old`.
  func json(over old: JSONObject) -> JSONObject {
    var object = old
    func set(_ name: String, _ value: JSON?) { object[name] = value }
    set("issuer", .string(issuer))
    set("client_id", .string(clientID))
    set("provider", serviceName.map { .string($0) })
    set("scope", scope.isEmpty ? nil : .array(scope.map { .string($0) }))
    set("resource", resources.isEmpty ? nil : .array(resources.map { .string($0) }))
    set("audience", audience.map { .string($0) })
    set("token_endpoint_auth_method", tokenEndpointAuthMethod == "none" ? nil : .string(tokenEndpointAuthMethod))
    for (name, value) in authentication.members + signing.members { set(name, value) }
    set("ca_file", caFile.map { .string($0) })
    set("pins", pins.isEmpty ? nil : .array(pins.map { .string($0) }))
    set("allow_http_loopback", allowHTTPLoopback ? true : nil)
    let places = endpoints.json(over: old["endpoints"]?.object ?? JSONObject())
    set("endpoints", places.isEmpty ? nil : .object(places))
    set("redirect_uri", redirectURI.map { .string($0) })
    set("proxy", proxy.map { .string($0) })
    set("no_proxy", proxyExclusions.map { .string($0) })
    set("keep_access_token", keepsAccessToken ? true : nil)
    set("dpop", dpop ? true : nil)
    set("origins", origins.isEmpty ? nil : .array(origins.map { .string($0) }))
    set("refresh", refreshPolicy == .proactive ? nil : .string(refreshPolicy.rawValue))
    set("protect", protection.map { .string($0.word) })
    return object
  }

  /// Reads an account's object; `place` names it in errors.
  init(_ object: JSONObject, place: String) throws(ConfigurationError) {
    let reader = SettingsReader(object: object, place: place)
    guard let issuer = try reader.text("issuer") else { throw ConfigurationError(.invalid, "\(place).issuer") }
    guard let clientID = try reader.text("client_id") else { throw ConfigurationError(.invalid, "\(place).client_id") }
    self.init(issuer: issuer, clientID: clientID)
    serviceName = try reader.text("provider")
    if let serviceName, KnownService.named(serviceName) == nil {
      throw ConfigurationError(.invalid, "\(place).provider")
    }
    scope = try reader.texts("scope")
    resources = try reader.texts("resource")
    audience = try reader.text("audience")
    tokenEndpointAuthMethod = try reader.text("token_endpoint_auth_method") ?? "none"
    authentication = try AuthenticationSettings(reader)
    signing = try SigningSettings(reader)
    caFile = try reader.text("ca_file")
    pins = try reader.texts("pins")
    allowHTTPLoopback = try reader.flag("allow_http_loopback")
    redirectURI = try reader.text("redirect_uri")
    proxy = try reader.text("proxy")
    proxyExclusions = try reader.text("no_proxy")
    keepsAccessToken = try reader.flag("keep_access_token")
    dpop = try reader.flag("dpop")
    origins = try reader.texts("origins")
    if let name = try reader.text("refresh") {
      guard let policy = RefreshPolicy.Kind(rawValue: name) else {
        throw ConfigurationError(.invalid, "\(place).refresh")
      }
      refreshPolicy = policy
    }
    if let word = try reader.text("protect") {
      guard let protection = Protection(word: word) else { throw ConfigurationError(.invalid, "\(place).protect") }
      self.protection = protection
    }
    guard let named = object["endpoints"] else { return }
    guard let named = named.object else { throw ConfigurationError(.invalid, "\(place).endpoints") }
    let places = SettingsReader(object: named, place: "\(place).endpoints")
    endpoints.token = try places.text("token_endpoint")
    endpoints.deviceAuthorization = try places.text("device_authorization_endpoint")
    endpoints.userinfo = try places.text("userinfo_endpoint")
    endpoints.revocation = try places.text("revocation_endpoint")
    endpoints.registration = try places.text("registration_endpoint")
    endpoints.jwks = try places.text("jwks_uri")
  }
}
