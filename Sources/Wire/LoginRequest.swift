/// Starts a sign-in and, when an issuer is named, sets up the account for it.
///
/// No secret is a member. A client secret is read by the daemon from a descriptor that travels with
/// the request (`SCM_RIGHTS`) when ``sendsClientSecret`` is set.
package struct LoginRequest: Sendable, Hashable {
  /// The account; nil means the active one, or a name made from the issuer's host.
  package var account: String?

  /// The issuer; nil signs in again with the account's stored settings.
  package var issuer: String?
  package var clientID: String?

  /// Empty means the account's stored scope, or the daemon's default.
  package var scope: [String] = []

  /// `none`, `client_secret_basic` or `client_secret_post` (OpenID Connect Core, section 9); nil
  /// picks none without a secret, and what the server announces with one.
  package var tokenEndpointAuthMethod: String?
  package var sendsClientSecret = false

  /// An absolute path to certificate authorities in PEM form, trusted besides the system's.
  package var caFile: String?

  /// `sha256//BASE64` public key pins.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  /// Endpoints named by hand because the metadata leaves them out.
  package var endpoints = NamedEndpoints()

  /// The proxy in the caller's environment, kept with the account.
  package var proxy: String?
  package var proxyExclusions: String?

  /// Keep a token that cannot be refreshed in the vault.
  package var keepsAccessToken = false

  package init() {}

  /// Endpoints under their metadata names (RFC 8414, section 2).
  package struct NamedEndpoints: Sendable, Hashable {
    package var token: String?
    package var deviceAuthorization: String?
    package var userinfo: String?
    package var revocation: String?
    package var jwks: String?

    package init() {}
  }

  /// Whether anything but the account's name was given, so that stored settings would change.
  package var changesSettings: Bool {
    var bare = LoginRequest()
    bare.account = account
    bare.proxy = proxy
    bare.proxyExclusions = proxyExclusions
    return self != bare
  }
}

extension LoginRequest {
  init(_ members: RequestMembers) throws(Failure) {
    self.init()
    account = try members.text("account")
    issuer = try members.text("issuer")
    clientID = try members.text("client_id")
    scope = try members.texts("scope")
    tokenEndpointAuthMethod = try members.text("token_endpoint_auth_method")
    sendsClientSecret = try members.flag("client_secret_descriptor")
    caFile = try members.text("ca_file")
    pins = try members.texts("pins")
    allowHTTPLoopback = try members.flag("allow_http_loopback")
    endpoints.token = try members.text("token_endpoint")
    endpoints.deviceAuthorization = try members.text("device_authorization_endpoint")
    endpoints.userinfo = try members.text("userinfo_endpoint")
    endpoints.revocation = try members.text("revocation_endpoint")
    endpoints.jwks = try members.text("jwks_uri")
    proxy = try members.text("proxy")
    proxyExclusions = try members.text("no_proxy")
    keepsAccessToken = try members.flag("keep")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("issuer", issuer)
    members.add("client_id", clientID)
    members.add("scope", scope)
    members.add("token_endpoint_auth_method", tokenEndpointAuthMethod)
    members.add("client_secret_descriptor", sendsClientSecret)
    members.add("ca_file", caFile)
    members.add("pins", pins)
    members.add("allow_http_loopback", allowHTTPLoopback)
    members.add("token_endpoint", endpoints.token)
    members.add("device_authorization_endpoint", endpoints.deviceAuthorization)
    members.add("userinfo_endpoint", endpoints.userinfo)
    members.add("revocation_endpoint", endpoints.revocation)
    members.add("jwks_uri", endpoints.jwks)
    members.add("proxy", proxy)
    members.add("no_proxy", proxyExclusions)
    members.add("keep", keepsAccessToken)
  }
}
