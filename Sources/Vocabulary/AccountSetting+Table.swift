/// All account settings.
///
/// To add one, add a property to ``AccountSettings`` and a row here (invariant: one fact, one place).
extension AccountSetting {
  package static let table = Table()

  package static let all = Mirror(reflecting: table).children.compactMap { $0.value as? AccountSetting }

  /// The settings for connections, allowed in requests without an account.
  package static let connection = [
    table.caFile, table.allowHTTPLoopback, table.proxy, table.proxyExclusions, table.proxySource,
  ]

  package static let withLoginOption = [
    table.issuer, table.clientID, table.provider, table.scope, table.resource, table.caFile, table.allowHTTPLoopback,
    table.origins, table.redirectURI, table.keepsAccessToken,
  ]

  /// Settings for which the command line accepts `@FILE`.
  package static let jsonTexts = [table.claims, table.authorizationDetails]

  // Commands that shells run use these options without creating the table.

  package static let scope = AccountSetting(
    "scope", \.scope, Option("scope", in: .access, short: "s", "SCOPE", splitsAtSpaces: true),
    "All scopes (default: `openid` and more); they replace earlier ones; repeat the option, or separate them by spaces",
    details:
      "Replaces earlier scopes. Default: `openid`, and those of `profile`, `email` and `offline_access` that the server announces.",
    appliesAtSignIn: true)

  package static let resource = AccountSetting(
    "resource", \.resources, Option("resource", in: .access, "URI"),
    "Request tokens for this resource (RFC 8707); may be repeated", appliesAtSignIn: true)

  package static let audience = AccountSetting(
    "audience", \.audience, Option("audience", in: .access, "NAME"),
    "Request tokens with this audience; the server must support it", appliesAtSignIn: true)

  package static let authorizationDetails = AccountSetting(
    "authorization_details", \.authorizationDetails, Option("authorization-details", in: .access, "JSON"),
    "Request this authorization (RFC 9396); `@FILE` reads it from a file",
    details: "A JSON array of objects with a `type`.", appliesAtSignIn: true)

  /// One row per setting, in the order of the settings file and manual.
  package struct Table: Sendable {
    package let issuer = AccountSetting(
      "issuer", \.issuer, Option("issuer", in: .service, "URL"),
      "URL of the authorization server; its issuer, exactly as in its discovery document",
      details: "Required.", isSealed: true, canBeUnset: false)

    package let clientID = AccountSetting(
      "client_id", \.clientID, Option("client-id", in: .service, "ID"),
      "The client identifier registered there; or the URL of the client's metadata",
      details: "Default: that of the provider or of a client file, or one that the sign-in registers.",
      isSealed: true, canBeUnset: false)

    package let provider = AccountSetting(
      "provider", \.provider, isOpen: true, Option("provider", in: .service, "NAME"),
      "Use the built-in settings for this provider",
      details: "Default: the one with this issuer, if any.", appliesAtSignIn: true, isSealed: true)

    package let scope = AccountSetting.scope

    package let resource = AccountSetting.resource

    package let audience = AccountSetting.audience

    package let parameters = AccountSetting(
      "parameters", \.parameters, Option("parameter", in: .access, "NAME=VALUE"),
      "Send this additional parameter to sign in; may be repeated",
      details: "Sent in authorization and device authorization requests."
        + " Not allowed: parameters that `agent` sets itself, `request`, `request_uri`, `response_mode`, `registration`,"
        + " `id_token_hint`, and those that begin with `client_` or `code_challenge`.", appliesAtSignIn: true)

    package let claims = AccountSetting(
      "claims", \.claims, Option("claims", in: .access, "JSON"),
      "Request these claims (OpenID Connect Core, section 5.5); `@FILE` reads them from a file",
      details: "A JSON object.", appliesAtSignIn: true)

    package let authorizationDetails = AccountSetting.authorizationDetails

    package let tokenEndpointAuthMethod = AccountSetting(
      "token_endpoint_auth_method", \.tokenEndpointAuthMethod,
      Option("token-endpoint-auth-method", in: .client, "METHOD"),
      "How the client authenticates; default: by its credentials and the server's metadata",
      details: "`client_secret_basic` and `client_secret_post` require a secret, `private_key_jwt` a private key"
        + " (RFC 7523), `tls_client_auth` and `self_signed_tls_client_auth` a certificate (RFC 8705). They are in the"
        + " vault.",
      defaultValue: ClientAuthenticationMethod.none, isSealed: true)

    package let basicUnencoded = AccountSetting(
      "basic_unencoded", \.omitsBasicEncoding, Option("basic-unencoded", in: .client),
      "Omit the form encoding in client_secret_basic, for servers that do not decode it",
      details: "See RFC 6749, section 2.3.1.")

    package let clientCertificate = AccountSetting(
      "client_certificate", \.usesClientCertificate, Option("client-certificate-file", in: .client, isShared: true),
      "Use the client certificate in the vault, and the server's endpoints for mutual TLS",
      details: "Set when the client gets a certificate.")

    package let clientKeyAlgorithm = AccountSetting(
      "client_key_algorithm", \.clientKeyAlgorithm, among: SigningAlgorithm.asymmetric,
      Option("client-key-algorithm", in: .client, "ALGORITHM"),
      "Signing algorithm of private_key_jwt; default: that of the key")

    package let clientKeyID = AccountSetting(
      "client_key_id", \.clientKeyID, Option("client-key-id", in: .client, "ID"),
      "Key ID of the client's key at the server; a JSON Web Key may have its own",
      details: "Sent as `kid`.")

    package let assertionFile = AccountSetting(
      "assertion_file", \.assertionFile, kind: .file, Option("assertion-file", in: .workload, "FILE"),
      "Sign in with the JWT in this file; a platform writes it, and renewals read it again",
      details:
        "An absolute path, whose directories and links only this user and root may own or change. At most 64 KiB.")

    package let assertionFrom = AccountSetting(
      "assertion_from", \.assertionFrom, Option("assertion-from", in: .workload, "PLATFORM"),
      "Sign in with the JWT of this platform; for its jobs or pods, also to renew",
      details: "agent-workload(7) describes each.")

    package let assertionVariable = AccountSetting(
      "assertion_variable", \.assertionVariable, Option("assertion-variable", in: .workload, "NAME"),
      "Variable with the JWT of --assertion-from gitlab-ci; its name in id_tokens: of the job",
      details: "Default: `GITLAB_OIDC_TOKEN`.")

    package let assertionAccount = AccountSetting(
      "assertion_account", \.assertionAccount, Option("assertion-account", in: .workload, "ACCOUNT"),
      "Sign in with a JWT that this account's server issues for its user; also to renew",
      details: "agent-workload(7) describes it.")

    package let assertionGrant = AccountSetting(
      "assertion_grant", \.assertionGrant, Option("assertion-grant", in: .workload, "GRANT"),
      "How the assertion gets a token: as a grant, in an exchange, or as the client's credential",
      details: "Default: `jwt-bearer`; see agent-workload(7).")

    package let assertionAudience = AccountSetting(
      "assertion_audience", \.assertionAudience, Option("assertion-audience", in: .client, "AUDIENCE"),
      "Audience of assertions: issuer, token_endpoint, endpoint, or any other text",
      details:
        "Default: `issuer`. `token_endpoint` and `endpoint`, that of the request, stand for their URLs. It is the"
        + " `aud` that a client signs for `private_key_jwt`, and that the JWT of a platform must have.")

    package let idTokenAlgorithm = AccountSetting(
      "id_token_algorithm", \.idTokenAlgorithm, Option("id-token-algorithm", in: .protection, "ALGORITHM"),
      "Accept only ID Tokens with this algorithm; HS256, HS384 and HS512 use the client secret",
      details:
        "The client's `id_token_signed_response_alg`. With HS256, HS384 and HS512 the secret has at least 32, 48 and 64"
        + " bytes. Default: the announced algorithms for which the issuer has keys.")

    package let userInfoAlgorithm = AccountSetting(
      "userinfo_algorithm", \.userInfoAlgorithm, among: SigningAlgorithm.asymmetric,
      Option("userinfo-algorithm", in: .protection, "ALGORITHM"),
      "Accept only UserInfo signed with this algorithm",
      details:
        "The client's `userinfo_signed_response_alg`. By default, signed responses are verified and plain ones accepted."
    )

    package let trustedAudiences = AccountSetting(
      "trusted_audiences", \.trustedAudiences, Option("trust-audience", in: .protection, "AUDIENCE"),
      "Also accept ID Tokens for this audience; may be repeated",
      details: "Default: only the client. A token with several audiences must also have the client as its `azp`.")

    package let caFile = AccountSetting(
      "ca_file", \.caFile, kind: .file, Option("ca-file", in: .network, "FILE"),
      "Also trust the certificate authorities in this file; PEM, for this account only",
      details: "An absolute path. Certificates added after the sign-in are not used until the setting is set again.",
      isSealed: true)

    package let pins = AccountSetting(
      "pins", \.pins, Option("pin", in: .network, "sha256//BASE64"),
      "Accept only servers with this public key; may be repeated", isSealed: true)

    package let allowHTTPLoopback = AccountSetting(
      "allow_http_loopback", \.allowHTTPLoopback, Option("allow-http-loopback", in: .network),
      "Allow plain http to 127.0.0.1, [::1] and localhost, for development", isSealed: true)

    package let authorizationEndpoint = AccountSetting(
      "authorization_endpoint", \.authorizationEndpoint, Option("authorization-endpoint", in: .endpoints, "URL"),
      "Use this authorization endpoint", isSealed: true)

    package let tokenEndpoint = AccountSetting(
      "token_endpoint", \.tokenEndpoint, Option("token-endpoint", in: .endpoints, "URL"), "Use this token endpoint",
      isSealed: true)

    package let deviceAuthorizationEndpoint = AccountSetting(
      "device_authorization_endpoint", \.deviceAuthorizationEndpoint,
      Option("device-authorization-endpoint", in: .endpoints, "URL"),
      "Use this device authorization endpoint", isSealed: true)

    package let userinfoEndpoint = AccountSetting(
      "userinfo_endpoint", \.userinfoEndpoint, Option("userinfo-endpoint", in: .endpoints, "URL"),
      "Use this UserInfo endpoint", isSealed: true)

    package let revocationEndpoint = AccountSetting(
      "revocation_endpoint", \.revocationEndpoint, Option("revocation-endpoint", in: .endpoints, "URL"),
      "Use this revocation endpoint", isSealed: true)

    package let registrationEndpoint = AccountSetting(
      "registration_endpoint", \.registrationEndpoint, Option("registration-endpoint", in: .endpoints, "URL"),
      "Use this client registration endpoint", isSealed: true)

    package let jwksURI = AccountSetting(
      "jwks_uri", \.jwksURI, Option("jwks-uri", in: .endpoints, "URL"), "Read the issuer's keys from this URL",
      isSealed: true)

    package let redirectURI = AccountSetting(
      "redirect_uri", \.redirectURI, Option("redirect-uri", in: .signIn, "URI"),
      "The registered redirect URI; compared byte by byte, and without a port any port is used",
      details: "`http` to `127.0.0.1`, `[::1]` or `localhost`, or `https` for `--paste`. Default: that of the provider;"
        + " else `http://127.0.0.1/callback` if the server's responses contain its issuer (RFC 9207), or"
        + " `http://127.0.0.1/ISSUER` with the issuer's URL without `https://`. An account keeps the one of its sign-in."
    )

    package let proxy = AccountSetting(
      "proxy", \.proxy, Option("proxy", in: .network, "URL"),
      "Use this proxy; or `none`, or `environment` for that of the caller's environment",
      details:
        "A URL that begins with `http`, `https`, `socks5`, or `socks5h` for a proxy that also resolves names, such"
        + " as `ssh -D`. The environment's is that in `https_proxy`, `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY`, with the"
        + " exceptions in `no_proxy` or `NO_PROXY`. A sign-in uses it unless `--proxy` named another or `none`. Only the"
        + " environment's proxy may have a password, stored in the vault.")

    package let proxyExclusions = AccountSetting(
      "no_proxy", \.proxyExclusions, nil,
      "Hosts to reach without the proxy, separated by commas: names, addresses or ranges such as `10.0.0.0/8`",
      details: "Read from the environment, together with its proxy.", canBeUnset: false)

    package let proxySource = AccountSetting(
      "proxy_source", \.proxySource, nil,
      "`option` if `--proxy` named the proxy or `none`; sign-ins then keep it instead of the environment's",
      canBeUnset: false)

    package let keepsAccessToken = AccountSetting(
      "keep", \.keepsAccessToken, Option("keep", in: .protection),
      "Keep the access token in the vault if the server issues no refresh token")

    package let dpop = AccountSetting(
      "dpop", \.usesDPoP, Option("dpop", in: .protection),
      "Bind the tokens to a key (DPoP); it never leaves `agentd`, so a stolen token is useless",
      details: "See RFC 9449.", appliesAtSignIn: true)

    package let keyStorage = AccountSetting(
      "key", \.keyStorage, Option("key", in: .protection, "PLACE"),
      "Where to create the keys for tokens and new clients: in the vault or in the TPM",
      details:
        "Keys in the TPM (`tpm2`) sign with ES256 and cannot be copied. Default: `tpm2` if the TPM is present and"
        + " opens the vault by itself and the server accepts ES256, else `vault`. A key from a file stays where it is.",
      appliesAtSignIn: true)

    package let profile = AccountSetting(
      "profile", \.profile, Option("profile", in: .protection, "PROFILE"),
      "Refuse servers and responses that violate this security profile; fapi2 is FAPI 2.0",
      details:
        "With `fapi2`, the account signs in with a browser, a pushed request, PKCE and `iss`. Its client authenticates by"
        + " `private_key_jwt` or a certificate, its tokens are bound by DPoP or the certificate, and signatures are PS256,"
        + " ES256 or EdDSA. This needs no further options and is checked again at each refresh.",
      isSealed: true)

    package let origins = AccountSetting(
      "origins", \.origins, Option("host", in: .protection, "HOST"),
      "Also permit the access token for this host; may be repeated",
      details:
        "In the file, each is `https://HOST` or `https://HOST:PORT`; WHERE TOKENS GO describes other schemes, paths and"
        + " details. Default: only that of UserInfo.")

    package let refresh = AccountSetting(
      "refresh", \.refresh, Option("refresh", in: .renewal, "POLICY"),
      "When tokens are refreshed (default: `proactive`); see agent-config(5)",
      defaultValue: .proactive)

    package let variables = AccountSetting(
      "variables", \.variables, Option("var", in: .variables, "NAME=FIELD"),
      "Set this variable for shells and commands, instead of the default ones; may be repeated",
      details: "agent-variables(7) lists the fields. `--var` of `agent env` and `agent exec` replaces these.")

    package let tokenFiles = AccountSetting(
      "token_files", \.tokenFiles, nil,
      "Files that contain the access token, or after `id_token:` the ID Token, while the account is signed in",
      details: "`agent token-file` adds and removes them. Each is an absolute path; see agent-token-file(1).")

    package let protection = AccountSetting(
      "protect", \.protection, Option("protect", in: .protection, "LEVEL"),
      "What opens the session in the vault (default: `device`); this device, a passphrase, or the TPM with a PIN",
      details: "`agent account set` also changes the present session; an edit of the file applies to the next sign-in."
        + " Default: that of the present session, else `device`.",
      canBeUnset: false)
  }
}
