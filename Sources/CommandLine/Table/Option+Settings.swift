internal import Wire

extension Options {
  /// The settings of an account, for the commands that set one up or change it.
  static var accountSettings: [OptionDeclaration] {
    [
      Option.issuer.declaration, Option.clientID.declaration, Option.provider.declaration, Option.scope.declaration,
      Option.resource.declaration, Option.audience.declaration,
      Option.tokenEndpointAuthMethod.declaration, Option.basicUnencoded.declaration,
      Option.clientKeyAlgorithm.declaration, Option.clientKeyID.declaration,
      Option.assertionAudience.declaration, Option.idTokenAlgorithm.declaration, Option.userInfoAlgorithm.declaration,
      Option.caFile.declaration, Option.pin.declaration,
      Option.allowHTTPLoopback.declaration, Option.tokenEndpoint.declaration,
      Option.deviceAuthorizationEndpoint.declaration, Option.userinfoEndpoint.declaration,
      Option.revocationEndpoint.declaration, Option.registrationEndpoint.declaration, Option.jwksURI.declaration,
      Option.redirectURI.declaration, Option.keep.declaration,
      Option.dpop.declaration, Option.host.declaration, Option.refresh.declaration, Option.protect.declaration,
    ] + levelSecrets
  }
}

extension AccountSetting {
  /// The setting's name for `--unset`: that of its option, where it has one.
  var word: String {
    switch self {
    case .pins: Option.pin.name
    case .origins: Option.host.name
    case .clientCertificate: Option.clientCertificateFile.name
    default: String(rawValue.map { $0 == "_" ? "-" : $0 })
    }
  }
}

extension Option<String?> {
  static var issuer: Self { Self("issuer", .text("URL"), "Issuer URL, exactly as in its discovery document") }
  static var clientID: Self { Self("client-id", .text("ID"), "The client identifier registered there") }
  static var audience: Self {
    Self("audience", .text("NAME"), "Ask for tokens with this audience, where the server takes one")
  }
  static var caFile: Self {
    Self(
      "ca-file", .file("FILE"),
      "Trust the certificate authorities in this PEM file besides the system's, for this account only")
  }
  static var tokenEndpoint: Self { Self("token-endpoint", .text("URL"), "Use this token endpoint") }
  static var deviceAuthorizationEndpoint: Self {
    Self("device-authorization-endpoint", .text("URL"), "Use this device authorization endpoint")
  }
  static var userinfoEndpoint: Self { Self("userinfo-endpoint", .text("URL"), "Use this UserInfo endpoint") }
  static var revocationEndpoint: Self { Self("revocation-endpoint", .text("URL"), "Use this revocation endpoint") }
  static var registrationEndpoint: Self {
    Self("registration-endpoint", .text("URL"), "Use this client registration endpoint")
  }
  static var jwksURI: Self { Self("jwks-uri", .text("URL"), "Take the issuer's keys from here") }
  static var redirectURI: Self {
    Self(
      "redirect-uri", .text("URI"),
      "The redirect URI that is registered for the client, byte for byte; without a port any port is used")
  }
  static var tokenEndpointAuthMethod: Self {
    Self(
      "token-endpoint-auth-method",
      .choice(
        "METHOD",
        [
          "none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
          "self_signed_tls_client_auth",
        ]), "How the client proves who it is; without it, what it has and the server's announcement decide")
  }
  static var clientKeyAlgorithm: Self {
    Self(
      "client-key-algorithm", .choice("ALGORITHM", ClientAuthenticationSettings.algorithms),
      "What private_key_jwt signs with; without it, what the key is for")
  }
  static var clientKeyID: Self {
    Self(
      "client-key-id", .text("ID"),
      "The name by which the server knows the client's key; a JSON Web Key may bring its own")
  }
  static var idTokenAlgorithm: Self {
    Self(
      "id-token-algorithm", .choice("ALGORITHM", ResponseSigningSettings.idTokenAlgorithms),
      "Accept only ID Tokens with this algorithm; one of HS256 to HS512 means the client secret")
  }
  static var userInfoAlgorithm: Self {
    Self(
      "userinfo-algorithm", .choice("ALGORITHM", ResponseSigningSettings.userInfoAlgorithms),
      "Accept only UserInfo that is signed, with this algorithm")
  }
  static var refreshTokenFile: Self { file("refresh-token-file", with: "the refresh token") }
  static var refreshTokenFD: Self { descriptor("refresh-token-fd", with: "the refresh token") }
}

extension Option<KnownServiceName?> {
  static var provider: Self {
    Self("provider", "NAME", KnownServiceName.self, "Use the built-in settings for this provider")
  }
}

extension Option<[String]> {
  static var scope: Self {
    Self(
      "scope", short: "s", each: .text("SCOPE"), splitAt: " ",
      "What to ask for; may be given several times, or hold several separated by spaces")
  }
  static var resource: Self {
    Self(
      "resource", each: .text("URI"),
      "Ask for tokens that are good at this resource (RFC 8707); may be given several times")
  }
  static var pin: Self {
    Self("pin", each: .text("sha256//BASE64"), "Accept only servers with this public key; may be given several times")
  }
  static var host: Self {
    Self("host", each: .text("HOST"), "Let requests take the access token to this host too; may be given several times")
  }
}

extension Option<Bool> {
  static var allowHTTPLoopback: Self {
    Self("allow-http-loopback", "Allow plain http to 127.0.0.1 and [::1], for development")
  }
  static var keep: Self { Self("keep", "Keep the access token in the vault when the server gives no refresh token") }
  static var dpop: Self {
    Self("dpop", "Bind the tokens to a key that never leaves `agentd` (DPoP), so that a stolen token is of no use")
  }
  static var basicUnencoded: Self {
    Self(
      "basic-unencoded",
      "Send id and secret of client_secret_basic as they are, for servers that do not undo the encoding")
  }
}

extension Option<RefreshPolicyName?> {
  static var refresh: Self {
    Self(
      "refresh", "POLICY", RefreshPolicyName.self,
      "When tokens are renewed, see agent-config(5); without it before they expire, while they are in use")
  }
}

extension Option<ClientAuthenticationSettings.Audience?> {
  static var assertionAudience: Self {
    Self(
      "assertion-audience", "AUDIENCE", ClientAuthenticationSettings.Audience.self,
      "Whom private_key_jwt names as its reader: the issuer, or for older servers the token endpoint or each"
        + " endpoint")
  }
}

extension Option<[AccountSetting]> {
  static var unsetSettings: Self {
    Self(
      "unset", "SETTING", several: AccountSetting.allCases, by: { $0.word },
      "Take this setting back; may be given several times")
  }
}
