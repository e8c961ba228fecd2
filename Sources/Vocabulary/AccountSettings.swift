/// The settings of an account, as far as they were named. No member is a secret, and no setting alone can send a
/// secret anywhere: the vault keeps those that say where secrets go, see ``AccountSetting/isSealed``.
///
/// A value that is nil, false or empty is not named. In a request that means that it is not changed, in the settings
/// file that it has its default. Each member has its row in ``AccountSetting/all``.
package struct AccountSettings: Sendable, Hashable {
  package var issuer: String?
  package var clientID: String?
  package var provider: ProviderName?

  /// Requested scope values; empty means the default for the issuer.
  package var scope: [String] = []
  /// The resources of the tokens (RFC 8707).
  package var resources: [String] = []
  package var audience: String?
  /// Further parameters of sign-ins, as `NAME=VALUE`.
  package var parameters: [String] = []
  /// `claims` of sign-ins (OpenID Connect Core 1.0 section 5.5), a JSON object.
  package var claims: String?
  /// `authorization_details` of sign-ins (RFC 9396), a JSON array.
  package var authorizationDetails: String?

  /// Nil means `none` for a client without credentials, and otherwise the method that the server announces.
  package var tokenEndpointAuthMethod: ClientAuthenticationMethod?
  /// HTTP Basic without the form encoding of RFC 6749 section 2.3.1, for servers that do not decode it.
  package var basicUnencoded = false
  /// A certificate is sent in the TLS handshake (RFC 8705). The certificate itself is in the vault.
  package var clientCertificate = false
  /// The `alg` of assertions (RFC 7523); nil leaves it to the key.
  package var clientKeyAlgorithm: SigningAlgorithm?
  /// The `kid` of assertions.
  package var clientKeyID: String?
  /// As ``AssertionAudience/init(_:)`` reads it; nil means the issuer.
  package var assertionAudience: String?
  /// Absolute path of a JWT that a platform hands out, by which the account signs in and renews (RFC 7523 section 2.1).
  package var assertionFile: String?
  /// The platform that hands out the JWT, by which the account signs in and renews.
  package var assertionFrom: AssertionPlatform?
  /// The variable of the job that holds it; nil means the usual one of the platform.
  package var assertionVariable: String?
  /// The account by whose ID Token a JWT is got from its authorization server.
  package var assertionAccount: String?
  /// How that gets a token; nil means ``AssertionGrant/jwtBearer``.
  package var assertionGrant: AssertionGrant?

  /// The `alg` of ID Tokens; nil accepts those that the issuer announces.
  package var idTokenAlgorithm: SigningAlgorithm?
  /// The `alg` of UserInfo, which must then be signed; nil accepts a plain answer too.
  package var userInfoAlgorithm: SigningAlgorithm?
  /// Other audiences that ID Tokens may be for (OpenID Connect Core 1.0 section 3.1.3.7, step 3).
  package var trustedAudiences: [String] = []

  /// Absolute path of a PEM file with certificate authorities, trusted besides the system's.
  package var caFile: String?
  /// `sha256//BASE64` public key pins.
  package var pins: [String] = []
  package var allowHTTPLoopback = false

  // Endpoints that replace those of the metadata, under their names there (RFC 8414 section 2).
  package var authorizationEndpoint: String?
  package var tokenEndpoint: String?
  package var deviceAuthorizationEndpoint: String?
  package var userinfoEndpoint: String?
  package var revocationEndpoint: String?
  package var registrationEndpoint: String?
  package var jwksURI: String?

  /// The registered redirect URI; nil means a loopback address with any port.
  package var redirectURI: String?
  /// The proxy's URL; in the settings file without user name and password.
  package var proxy: String?
  /// The hosts that the proxy is not for, as curl reads them.
  package var proxyExclusions: String?
  /// Whether an access token that cannot be refreshed is stored in the vault.
  package var keepsAccessToken = false
  /// Whether the tokens of the next sign-in are bound to a key (RFC 9449).
  package var dpop = false
  /// Where the next sign-in makes its keys; nil means the TPM where that opens the vault by itself.
  package var keyStorage: KeyStorage?
  /// The security profile that server, client and answers must keep, from the sign-in on.
  package var profile: SecurityProfile?
  /// Origins that may get the access token. A request adds its own to those that are there, and may name a host only.
  package var origins: [String] = []
  package var refresh: RefreshPolicy?
  /// `NAME=FIELD`: the variables that are set instead of the usual ones.
  package var variables: [String] = []
  /// The protection of the record that the next sign-in writes; nil keeps that of the present record.
  package var protection: Protection?

  package init() {}
}

extension AccountSettings {
  /// The endpoints that replace those of the metadata, by their role.
  package var endpoints: [EndpointRole: String] {
    let named = [
      EndpointRole.authorization: authorizationEndpoint, .token: tokenEndpoint,
      .deviceAuthorization: deviceAuthorizationEndpoint, .userinfo: userinfoEndpoint, .revocation: revocationEndpoint,
      .registration: registrationEndpoint, .keys: jwksURI,
    ]
    return named.compactMapValues { $0 }
  }

  /// Takes over each setting that `other` names.
  package mutating func apply(_ other: AccountSettings) {
    for setting in AccountSetting.all {
      guard let value = setting.value(in: other) else { continue }
      // A value that was read from settings fits them.
      try? setting.set(value, in: &self)
    }
  }
}
