/// An account's specified settings, without secrets. Nil, false and empty mean unspecified: unchanged in a request,
/// default in the settings file.
package struct AccountSettings: Sendable, Hashable {
  package var issuer: String?
  package var clientID: String?
  /// Nil to infer the provider from the issuer.
  package var provider: ProviderName?

  /// If empty, the issuer's default.
  package var scope: [String] = []
  /// Resource indicators for the tokens (RFC 8707).
  package var resources: [String] = []
  package var audience: String?
  /// Additional sign-in parameters, as `NAME=VALUE`.
  package var parameters: [String] = []
  /// The JSON object `claims` (OpenID Connect Core section 5.5).
  package var claims: String?
  /// The JSON array `authorization_details` (RFC 9396).
  package var authorizationDetails: String?

  /// Default: `none` without credentials, otherwise a method that the server announces.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Whether to omit form encoding in HTTP Basic (RFC 6749 section 2.3.1).
  package var omitsBasicEncoding = false
  /// Whether to use the vault's certificate for TLS (RFC 8705).
  package var usesClientCertificate = false
  /// The `alg` of assertions (RFC 7523); nil for the key's.
  package var clientKeyAlgorithm: SigningAlgorithm?
  /// The `kid` of assertions.
  package var clientKeyID: String?
  /// The `aud` of assertions (default: the issuer).
  package var assertionAudience: String?
  /// Absolute path of a platform's JWT for sign-ins and renewals (RFC 7523 section 2.1).
  package var assertionFile: String?
  /// The platform whose JWT signs in and renews tokens.
  package var assertionFrom: AssertionPlatform?
  /// The CI job's variable with the JWT; nil for the platform's default.
  package var assertionVariable: String?
  /// The account whose ID Token is exchanged for the JWT at its own server.
  package var assertionAccount: String?
  /// Default: ``AssertionGrant/jwtBearer``.
  package var assertionGrant: AssertionGrant?

  /// Nil for any that the issuer announces.
  package var idTokenAlgorithm: SigningAlgorithm?
  /// If set, UserInfo must be signed with it.
  package var userInfoAlgorithm: SigningAlgorithm?
  /// Accepted ID Token audiences besides the client (OpenID Connect Core section 3.1.3.7, step 3).
  package var trustedAudiences: [String] = []

  /// Absolute path of additional certificate authorities in PEM.
  package var caFile: String?
  /// Public key pins as `sha256//BASE64`.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  // Endpoints that override the metadata (RFC 8414 section 2).
  package var authorizationEndpoint: String?
  package var tokenEndpoint: String?
  package var deviceAuthorizationEndpoint: String?
  package var userinfoEndpoint: String?
  package var revocationEndpoint: String?
  package var registrationEndpoint: String?
  package var jwksURI: String?

  /// The registered redirect URI (default: any loopback port).
  package var redirectURI: String?
  /// In the settings file, without user name and password.
  package var proxy: String?
  /// Hosts to reach directly, in curl's format.
  package var proxyExclusions: String?
  /// Where ``proxy`` comes from (default: the latest sign-in's environment).
  package var proxySource: ProxySource?
  /// Whether to store the access token if the server issues no refresh token.
  package var keepsAccessToken = false
  /// Whether the next sign-in binds tokens to a key (RFC 9449).
  package var usesDPoP = false
  /// Where the next sign-in generates keys (default: the TPM, if used to open the vault).
  package var keyStorage: KeyStorage?
  package var profile: SecurityProfile?
  /// Origins that may get the access token. In a request, they are added and may omit `https://`.
  package var origins: [String] = []
  /// Default: ``RefreshPolicy/proactive``.
  package var refresh: RefreshPolicy?
  /// Environment variables as `NAME=FIELD`, instead of the default ones.
  package var variables: [String] = []
  /// Files that contain a token while the account is signed in, each a ``TokenFileSetting/value``.
  package var tokenFiles: [String] = []
  /// The next sign-in's protection level; nil to keep the current one.
  package var protection: Protection?

  package init() {}

  package var endpoints: [EndpointRole: String] {
    let named = [
      EndpointRole.authorization: authorizationEndpoint, .token: tokenEndpoint,
      .deviceAuthorization: deviceAuthorizationEndpoint, .userinfo: userinfoEndpoint, .revocation: revocationEndpoint,
      .registration: registrationEndpoint, .keys: jwksURI,
    ]
    return named.compactMapValues { $0 }
  }

  /// Applies the settings that `other` specifies.
  package mutating func apply(_ other: AccountSettings) {
    for setting in AccountSetting.all {
      guard let value = setting.value(in: other) else { continue }
      // Values from settings are valid.
      try? setting.set(value, in: &self)
    }
  }
}
