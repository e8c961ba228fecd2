/// The specified settings of an account. Contains no secrets, and no setting alone can send a secret anywhere: the
/// vault keeps those that control where secrets go, see ``AccountSetting/isSealed``.
///
/// Nil, false and empty mean unspecified: unchanged in a request, the default in the settings file. Each property has a
/// row in ``AccountSetting/all``.
package struct AccountSettings: Sendable, Hashable {
  package var issuer: String?
  package var clientID: String?
  package var provider: ProviderName?

  /// The requested scopes; if empty, the issuer's default.
  package var scope: [String] = []
  /// The resources of the tokens (RFC 8707).
  package var resources: [String] = []
  package var audience: String?
  /// Additional parameters of sign-ins, as `NAME=VALUE`.
  package var parameters: [String] = []
  /// `claims` of sign-ins (OpenID Connect Core 1.0 section 5.5), a JSON object.
  package var claims: String?
  /// `authorization_details` of sign-ins (RFC 9396), a JSON array.
  package var authorizationDetails: String?

  /// The default is `none` for a client without credentials, otherwise the method that the server announces.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// HTTP Basic without the form encoding of RFC 6749 section 2.3.1, for servers that do not decode it.
  package var basicUnencoded = false
  /// Whether to send a certificate in the TLS handshake (RFC 8705). The certificate itself is in the vault.
  package var clientCertificate = false
  /// The `alg` of assertions (RFC 7523); nil to choose it by the key.
  package var clientKeyAlgorithm: SigningAlgorithm?
  /// The `kid` of assertions.
  package var clientKeyID: String?
  /// As parsed by ``AssertionAudience/init(_:)`` (default: the issuer).
  package var assertionAudience: String?
  /// The absolute path of a JWT provided by a platform, with which the account signs in and renews (RFC 7523 section
  /// 2.1).
  package var assertionFile: String?
  /// The platform that provides the JWT with which the account signs in and renews.
  package var assertionFrom: AssertionPlatform?
  /// The job's variable with the JWT; nil for the platform's default.
  package var assertionVariable: String?
  /// The account whose ID Token is exchanged for a JWT at its authorization server.
  package var assertionAccount: String?
  /// How the JWT is used to get a token (default: ``AssertionGrant/jwtBearer``).
  package var assertionGrant: AssertionGrant?

  /// The `alg` of ID Tokens; nil accepts those that the issuer announces.
  package var idTokenAlgorithm: SigningAlgorithm?
  /// The `alg` of UserInfo, which must then be signed; nil also accepts an unsigned response.
  package var userInfoAlgorithm: SigningAlgorithm?
  /// Additional accepted audiences of ID Tokens (OpenID Connect Core 1.0 section 3.1.3.7, step 3).
  package var trustedAudiences: [String] = []

  /// The absolute path of a PEM file with certificate authorities, trusted in addition to the system's.
  package var caFile: String?
  /// Public key pins as `sha256//BASE64`.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  // Endpoints that override those of the metadata, with their names there (RFC 8414 section 2).
  package var authorizationEndpoint: String?
  package var tokenEndpoint: String?
  package var deviceAuthorizationEndpoint: String?
  package var userinfoEndpoint: String?
  package var revocationEndpoint: String?
  package var registrationEndpoint: String?
  package var jwksURI: String?

  /// The registered redirect URI (default: a loopback address with any port).
  package var redirectURI: String?
  /// The proxy's URL; in the settings file without user name and password.
  package var proxy: String?
  /// Hosts to reach without the proxy, in curl's format.
  package var proxyExclusions: String?
  /// Where the proxy, or its absence, comes from (default: the environment of the last sign-in).
  package var proxySource: ProxySource?
  /// Whether to store an access token that cannot be refreshed in the vault.
  package var keepsAccessToken = false
  /// Whether to bind the tokens of the next sign-in to a key (RFC 9449).
  package var dpop = false
  /// Where the next sign-in generates its keys (default: the TPM, if the vault opens with it automatically).
  package var keyStorage: KeyStorage?
  /// The security profile to enforce from the sign-in on.
  package var profile: SecurityProfile?
  /// Origins that may get the access token. In a request they are added to existing ones, and may be just a host.
  package var origins: [String] = []
  package var refresh: RefreshPolicy?
  /// `NAME=FIELD`: variables to set instead of the default ones.
  package var variables: [String] = []
  /// Files that contain a token while the account is signed in; see ``StandingTokenFile``.
  package var tokenFiles: [String] = []
  /// The protection of the record that the next sign-in writes; nil to keep the current one.
  package var protection: Protection?

  package init() {}
}

extension AccountSettings {
  /// The endpoints that override those of the metadata, by role.
  package var endpoints: [EndpointRole: String] {
    let named = [
      EndpointRole.authorization: authorizationEndpoint, .token: tokenEndpoint,
      .deviceAuthorization: deviceAuthorizationEndpoint, .userinfo: userinfoEndpoint, .revocation: revocationEndpoint,
      .registration: registrationEndpoint, .keys: jwksURI,
    ]
    return named.compactMapValues { $0 }
  }

  /// Copies every setting that `other` specifies.
  package mutating func apply(_ other: AccountSettings) {
    for setting in AccountSetting.all {
      guard let value = setting.value(in: other) else { continue }
      // Values read from settings are valid.
      try? setting.set(value, in: &self)
    }
  }
}
