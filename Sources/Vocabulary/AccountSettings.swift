/// The settings specified for an account, without secrets. Nil, false and empty mean unspecified: unchanged in a
/// request, the default in the settings file.
package struct AccountSettings: Sendable, Hashable {
  package var issuer: String?
  package var clientID: String?
  /// Nil to infer the provider from the issuer.
  package var provider: ProviderName?

  /// The requested scopes; if empty, the issuer's default.
  package var scope: [String] = []
  /// The resources of the tokens (RFC 8707).
  package var resources: [String] = []
  package var audience: String?
  /// Additional parameters of sign-ins, as `NAME=VALUE`.
  package var parameters: [String] = []
  /// The JSON object `claims` of sign-ins (OpenID Connect Core section 5.5).
  package var claims: String?
  /// The JSON array `authorization_details` of sign-ins (RFC 9396).
  package var authorizationDetails: String?

  /// How the client authenticates (default: `none` without credentials, otherwise a method that the server announces).
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// Whether to omit the form encoding in HTTP Basic (RFC 6749 section 2.3.1).
  package var omitsBasicEncoding = false
  /// Whether to use the vault's certificate in TLS handshakes (RFC 8705).
  package var usesClientCertificate = false
  /// The `alg` of assertions (RFC 7523); nil to derive it from the key.
  package var clientKeyAlgorithm: SigningAlgorithm?
  /// The `kid` of assertions.
  package var clientKeyID: String?
  /// The `aud` of assertions, for ``AssertionAudience/init(_:)`` (default: the issuer).
  package var assertionAudience: String?
  /// The absolute path of a file with a platform's JWT for sign-ins and renewals (RFC 7523 section 2.1).
  package var assertionFile: String?
  /// The platform whose JWT signs in and renews tokens.
  package var assertionFrom: AssertionPlatform?
  /// The CI job's environment variable with the JWT; nil for the platform's default.
  package var assertionVariable: String?
  /// The account whose server issues the JWT in exchange for an ID Token of that account.
  package var assertionAccount: String?
  /// How to use the JWT (default: ``AssertionGrant/jwtBearer``).
  package var assertionGrant: AssertionGrant?

  /// The `alg` of ID Tokens; nil for any that the issuer announces.
  package var idTokenAlgorithm: SigningAlgorithm?
  /// The `alg` of UserInfo, which must then be signed; nil also accepts unsigned responses.
  package var userInfoAlgorithm: SigningAlgorithm?
  /// Accepted audiences of ID Tokens besides the client (OpenID Connect Core section 3.1.3.7, step 3).
  package var trustedAudiences: [String] = []

  /// The absolute path of a PEM file with additional certificate authorities.
  package var caFile: String?
  /// Public key pins as `sha256//BASE64`.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  // Endpoints that override the metadata, by their names there (RFC 8414 section 2).
  package var authorizationEndpoint: String?
  package var tokenEndpoint: String?
  package var deviceAuthorizationEndpoint: String?
  package var userinfoEndpoint: String?
  package var revocationEndpoint: String?
  package var registrationEndpoint: String?
  package var jwksURI: String?

  /// The registered redirect URI (default: any loopback port).
  package var redirectURI: String?
  /// The proxy's URL. In the settings file, it contains no user name and password.
  package var proxy: String?
  /// Hosts to reach without the proxy, in curl's format.
  package var proxyExclusions: String?
  /// Where the proxy setting comes from (default: the environment of the last sign-in).
  package var proxySource: ProxySource?
  /// Whether to store an access token in the vault if there is no refresh token.
  package var keepsAccessToken = false
  /// Whether the next sign-in binds tokens to a key (RFC 9449).
  package var usesDPoP = false
  /// Where the next sign-in generates keys (default: the TPM, if used to open the vault).
  package var keyStorage: KeyStorage?
  package var profile: SecurityProfile?
  /// Origins that may get the access token. A request's origins are added to the account's, and may omit `https://`.
  package var origins: [String] = []
  /// When to renew tokens (default: ``RefreshPolicy/proactive``).
  package var refresh: RefreshPolicy?
  /// Environment variables as `NAME=FIELD`, instead of the default ones.
  package var variables: [String] = []
  /// Files with a token while the account is signed in. Each is a ``TokenFileSetting/value``.
  package var tokenFiles: [String] = []
  /// The protection level of the next sign-in's record; nil to keep the current one.
  package var protection: Protection?

  package init() {}

  /// The endpoints that override the metadata.
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
      // A value read from settings is valid.
      try? setting.set(value, in: &self)
    }
  }
}
