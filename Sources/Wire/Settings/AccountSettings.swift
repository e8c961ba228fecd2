package import Encoding

/// The settings of an account in a request; an absent one is not changed.
///
/// No member is a secret, and no setting alone can send a secret anywhere.
package struct AccountSettings: Sendable, Hashable {
  package var issuer: String?
  package var clientID: String?

  /// The built-in settings to use, if the issuer is a known service.
  package var service: KnownServiceName?

  /// Empty means the daemon's default.
  package var scope: [String] = []

  /// The resources of the tokens (RFC 8707).
  package var resources: [String] = []
  package var audience: String?

  /// The client authentication method by its name in metadata (OpenID Connect Core, section 9; RFC 8705, section 2).
  /// Nil means `none` for a client without credentials, and otherwise the one that the server announces.
  package var tokenEndpointAuthMethod: String?
  package var authentication = ClientAuthenticationSettings()
  package var signing = ResponseSigningSettings()

  /// An absolute path to certificate authorities in PEM form, trusted besides the system's.
  package var caFile: String?

  /// `sha256//BASE64` public key pins.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  /// Endpoints that the metadata does not have.
  package var endpoints = NamedEndpoints()

  /// The registered redirect URI; nil means a loopback address with any port.
  package var redirectURI: String?

  /// The proxy of the caller's environment, stored with the account.
  package var proxy: String?
  package var proxyExclusions: String?

  /// Whether an access token that cannot be refreshed is stored in the vault.
  package var keepsAccessToken = false

  /// Whether tokens are bound to a key (RFC 9449).
  package var dpop = false

  /// Origins that may get the access token, added to the existing ones: `host`, `host:port` or an origin.
  package var origins: [String] = []

  /// The refresh policy; nil keeps the current one.
  package var refresh: RefreshPolicyName?
  /// The protection of the session's record in the vault; nil keeps the current one, ``ProtectionLevel/device`` for a
  /// new account.
  package var protection: ProtectionLevel?

  package init() {}

  /// Endpoints under their metadata names (RFC 8414, section 2).
  package struct NamedEndpoints: Sendable, Hashable {
    package var token: String?
    package var deviceAuthorization: String?
    package var userinfo: String?
    package var revocation: String?
    package var registration: String?
    package var jwks: String?

    package init() {}
  }

  /// The settings by their names in the protocol.
  package var json: JSONObject {
    var members = MemberWriter()
    addMembers(to: &members)
    return (try? JSON(parsing: members.finish()))?.object ?? JSONObject()
  }
}

extension AccountSettings {
  /// Reads only the settings of a connection to a server: the certificate authorities, plain HTTP and the proxy.
  init(connection members: RequestMembers) throws(Failure) {
    self.init()
    caFile = try members.text("ca_file")
    allowHTTPLoopback = try members.flag("allow_http_loopback")
    proxy = try members.text("proxy")
    proxyExclusions = try members.text("no_proxy")
  }

  /// Writes only the settings of a connection.
  func addConnectionMembers(to members: inout MemberWriter) {
    members.add("ca_file", caFile)
    members.add("allow_http_loopback", allowHTTPLoopback)
    members.add("proxy", proxy)
    members.add("no_proxy", proxyExclusions)
  }

  init(_ members: RequestMembers) throws(Failure) {
    try self.init(connection: members)
    issuer = try members.text("issuer")
    clientID = try members.text("client_id")
    if let name = try members.text("provider") {
      guard let service = KnownServiceName(rawValue: name) else {
        throw Failure(
          .invalidRequest, "the provider is not one that is known",
          hint: "known are " + KnownServiceName.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.service = service
    }
    scope = try members.texts("scope")
    resources = try members.texts("resource")
    audience = try members.text("audience")
    tokenEndpointAuthMethod = try members.text("token_endpoint_auth_method")
    authentication = try ClientAuthenticationSettings(members)
    signing = try ResponseSigningSettings(members)
    pins = try members.texts("pins")
    endpoints.token = try members.text("token_endpoint")
    endpoints.deviceAuthorization = try members.text("device_authorization_endpoint")
    endpoints.userinfo = try members.text("userinfo_endpoint")
    endpoints.revocation = try members.text("revocation_endpoint")
    endpoints.registration = try members.text("registration_endpoint")
    endpoints.jwks = try members.text("jwks_uri")
    redirectURI = try members.text("redirect_uri")
    keepsAccessToken = try members.flag("keep")
    dpop = try members.flag("dpop")
    origins = try members.texts("origins")
    if let name = try members.text("refresh") {
      guard let policy = RefreshPolicyName(rawValue: name) else {
        throw Failure(
          .invalidRequest, "the refresh policy is not one that is known",
          hint: "known are " + RefreshPolicyName.allCases.map(\.rawValue).joined(separator: ", "))
      }
      refresh = policy
    }
    protection = try members.protection("protect")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("issuer", issuer)
    members.add("client_id", clientID)
    members.add("provider", service?.rawValue)
    members.add("scope", scope)
    members.add("resource", resources)
    members.add("audience", audience)
    members.add("token_endpoint_auth_method", tokenEndpointAuthMethod)
    authentication.addMembers(to: &members)
    signing.addMembers(to: &members)
    addConnectionMembers(to: &members)
    members.add("pins", pins)
    members.add("token_endpoint", endpoints.token)
    members.add("device_authorization_endpoint", endpoints.deviceAuthorization)
    members.add("userinfo_endpoint", endpoints.userinfo)
    members.add("revocation_endpoint", endpoints.revocation)
    members.add("registration_endpoint", endpoints.registration)
    members.add("jwks_uri", endpoints.jwks)
    members.add("redirect_uri", redirectURI)
    members.add("keep", keepsAccessToken)
    members.add("dpop", dpop)
    members.add("origins", origins)
    members.add("refresh", refresh?.rawValue)
    members.add("protect", protection?.rawValue)
  }
}

/// A setting that can be unset, by its name in ``AccountSettings/json``.
package enum AccountSetting: String, Sendable, CaseIterable {
  case provider
  case scope, resource, audience
  case tokenEndpointAuthMethod = "token_endpoint_auth_method"
  case basicUnencoded = "basic_unencoded"
  case clientCertificate = "client_certificate"
  case clientKeyAlgorithm = "client_key_algorithm"
  case clientKeyID = "client_key_id"
  case assertionAudience = "assertion_audience"
  case idTokenAlgorithm = "id_token_algorithm"
  case userInfoAlgorithm = "userinfo_algorithm"
  case caFile = "ca_file"
  case pins
  case allowHTTPLoopback = "allow_http_loopback"
  case tokenEndpoint = "token_endpoint"
  case deviceAuthorizationEndpoint = "device_authorization_endpoint"
  case userinfoEndpoint = "userinfo_endpoint"
  case revocationEndpoint = "revocation_endpoint"
  case registrationEndpoint = "registration_endpoint"
  case jwksURI = "jwks_uri"
  case redirectURI = "redirect_uri"
  /// The proxy and the hosts that are excluded from it.
  case proxy
  case keep
  case dpop
  case origins
  case refresh
}
