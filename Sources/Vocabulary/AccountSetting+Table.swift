/// Every setting of an account, in the order of the settings file and the manual.
///
/// To add one, add a property to ``AccountSettings`` and a row here. A test fails for a property without a row (one fact,
/// one place).
extension AccountSetting {
  package static let all = [
    issuer, clientID, provider, scope, resource, audience, parameters, claims, authorizationDetails,
    tokenEndpointAuthMethod, basicUnencoded, clientCertificate,
    clientKeyAlgorithm, clientKeyID, assertionFile, assertionFrom, assertionVariable, assertionAccount, assertionGrant,
    assertionAudience, idTokenAlgorithm, userInfoAlgorithm, trustedAudiences, caFile,
    pins,
    allowHTTPLoopback, authorizationEndpoint, tokenEndpoint, deviceAuthorizationEndpoint, userinfoEndpoint,
    revocationEndpoint, registrationEndpoint, jwksURI, redirectURI, proxy, proxyExclusions, proxySource,
    keepsAccessToken, dpop, keyStorage, profile,
    origins, refresh, variables,
    protection,
  ]

  /// The settings of a connection to a server, which also apply without an account.
  package static let connection = [caFile, allowHTTPLoopback, proxy, proxyExclusions, proxySource]

  /// The settings that take effect at the next sign-in, which the manual notes. Excludes the protection, since a
  /// command that changes it moves the session.
  static let countingAtSignIn = [
    provider, scope, resource, audience, parameters, claims, authorizationDetails, dpop, keyStorage,
  ]

  /// The settings with JSON values. On the command line, `@FILE` reads the value from a file.
  package static let jsonTexts = [claims, authorizationDetails]

  /// The endpoints that override those of the metadata.
  package static let endpoints = [
    authorizationEndpoint, tokenEndpoint, deviceAuthorizationEndpoint, userinfoEndpoint, revocationEndpoint,
    registrationEndpoint, jwksURI,
  ]

  package static let issuer = AccountSetting(
    "issuer", \.issuer, Option("issuer", in: .service, "URL"),
    "URL of the authorization server; its issuer, exactly as in its discovery document",
    details: "Required.", isSealed: true, canBeUnset: false)

  package static let clientID = AccountSetting(
    "client_id", \.clientID, Option("client-id", in: .service, "ID"),
    "The client identifier registered there; or the URL of the client's metadata",
    details: "Required.",
    isSealed: true, canBeUnset: false)

  package static let provider = AccountSetting(
    "provider", \.provider, Option("provider", in: .service, "NAME"), "Use the built-in settings for this provider",
    details: "By default that whose issuer it is, if any.", isSealed: true)

  package static let scope = AccountSetting(
    "scope", \.scope, Option("scope", in: .access, short: "s", "SCOPE", splitsAtSpaces: true),
    "Scopes to ask for; may be given several times, or hold several separated by spaces",
    details: "By default `openid`, with `profile`, `email` and `offline_access` where the server announces them.")

  package static let resource = AccountSetting(
    "resource", \.resources, Option("resource", in: .access, "URI"),
    "Ask for tokens for this resource (RFC 8707); may be given several times",
    details: "By default none.")

  package static let audience = AccountSetting(
    "audience", \.audience, Option("audience", in: .access, "NAME"),
    "Ask for tokens with this audience; the server must support it",
    details: "By default none.")

  package static let parameters = AccountSetting(
    "parameters", \.parameters, Option("parameter", in: .access, "NAME=VALUE"),
    "Send this parameter too when signing in; may be given several times",
    details: "By default none. Sent in authorization requests, pushed or not, and in requests for a device code. No"
      + " parameter that the program sets itself, nor `request`, `request_uri`, `response_mode`, `registration`,"
      + " `id_token_hint`, or one that begins with `client_` or `code_challenge`.")

  package static let claims = AccountSetting(
    "claims", \.claims, Option("claims", in: .access, "JSON"),
    "Ask for these claims (OpenID Connect Core, section 5.5); `@FILE` reads them from a file",
    details: "A JSON object. By default none.")

  package static let authorizationDetails = AccountSetting(
    "authorization_details", \.authorizationDetails, Option("authorization-details", in: .access, "JSON"),
    "Ask for this authorization (RFC 9396); `@FILE` reads it from a file",
    details: "A JSON array of objects with a `type`. By default none.")

  package static let tokenEndpointAuthMethod = AccountSetting(
    "token_endpoint_auth_method", \.tokenEndpointAuthMethod,
    Option("token-endpoint-auth-method", in: .client, "METHOD"),
    "How the client authenticates; by default chosen from its credentials and the server's metadata",
    details: "`client_secret_basic` and `client_secret_post` need a secret, `private_key_jwt` a private key (RFC 7523),"
      + " `tls_client_auth` and `self_signed_tls_client_auth` a certificate (RFC 8705). Secret, key and certificate are"
      + " in the vault.",
    fallback: ClientAuthenticationMethod.none, isSealed: true)

  package static let basicUnencoded = AccountSetting(
    "basic_unencoded", \.basicUnencoded, Option("basic-unencoded", in: .client),
    "Send client_secret_basic without form encoding, for servers that do not decode it",
    details: "The encoding is that of RFC 6749, section 2.3.1.")

  package static let clientCertificate = AccountSetting(
    "client_certificate", \.clientCertificate, Option("client-certificate-file", in: .client, isShared: true),
    "Use the client certificate in the vault, and the server's endpoints for mutual TLS",
    details: "A certificate that is given sets it.")

  package static let clientKeyAlgorithm = AccountSetting(
    "client_key_algorithm", \.clientKeyAlgorithm, among: SigningAlgorithm.asymmetric,
    Option("client-key-algorithm", in: .client, "ALGORITHM"),
    "Signing algorithm of private_key_jwt; by default the one that the key is for")

  package static let clientKeyID = AccountSetting(
    "client_key_id", \.clientKeyID, Option("client-key-id", in: .client, "ID"),
    "Key ID of the client's key at the server; a JSON Web Key may have its own",
    details: "Sent as `kid`; by default none.")

  package static let assertionAudience = AccountSetting(
    "assertion_audience", \.assertionAudience, Option("assertion-audience", in: .client, "AUDIENCE"),
    "Audience of assertions: the issuer, or for other servers token_endpoint, endpoint, or their own name for it",
    details:
      "By default `issuer`. `token_endpoint` and `endpoint`, which is the one that is asked, mean their URLs, and any"
      + " other text itself. It is the `aud` of what the client signs for `private_key_jwt`, and what the `aud` of"
      + " what a platform hands out must hold, where by default the URL of the token endpoint does as well.")

  package static let assertionFile = AccountSetting(
    "assertion_file", \.assertionFile, kind: .file, Option("assertion-file", in: .signIn, "FILE"),
    "Sign in, and renew, by the JWT in this file, which a platform hands out; needs no person",
    details:
      "An absolute path; by default none. The file is read anew for each request, and used as `assertion_grant`"
      + " says. It has at most 64 KiB, is reached by directories and symbolic links of this user or root alone, and no"
      + " other user may write to it. Counts for accounts that signed in so.")

  package static let assertionFrom = AccountSetting(
    "assertion_from", \.assertionFrom, Option("assertion-from", in: .signIn, "PLATFORM"),
    "Sign in, and renew, by the JWT that this platform hands out to its jobs and pods; needs no person",
    details:
      "By default none. `github-actions` asks the service that `ACTIONS_ID_TOKEN_REQUEST_URL` and"
      + " `ACTIONS_ID_TOKEN_REQUEST_TOKEN` name for one with the audience, `gitlab-ci` takes the one in"
      + " `assertion_variable`, and `kubernetes` reads `/var/run/secrets/kubernetes.io/serviceaccount/token`, or"
      + " `assertion_file` where that is set. Variables are those of the command that needs a token. Counts for accounts"
      + " that signed in so.")

  package static let assertionVariable = AccountSetting(
    "assertion_variable", \.assertionVariable, Option("assertion-variable", in: .signIn, "NAME"),
    "Environment variable with the JWT of --assertion-from gitlab-ci, as id_tokens: of the job names it",
    details: "By default `GITLAB_OIDC_TOKEN`. It stands beside `assertion_from` with `gitlab-ci` alone.")

  package static let assertionAccount = AccountSetting(
    "assertion_account", \.assertionAccount, Option("assertion-account", in: .signIn, "ACCOUNT"),
    "Sign in, and renew, by a JWT that the server of this account gives for its user",
    details:
      "By default none. For each request that server is asked to trade the ID Token of that account for an assertion"
      + " (draft-ietf-oauth-identity-assertion-authz-grant). Counts for accounts that signed in so.")

  package static let assertionGrant = AccountSetting(
    "assertion_grant", \.assertionGrant, Option("assertion-grant", in: .signIn, "GRANT"),
    "How the JWT that is handed out gets a token: as a grant, in an exchange, or as the client's proof",
    details:
      "By default `jwt-bearer`, by RFC 7523, section 2.1. With `token-exchange` it is the subject token of an exchange"
      + " (RFC 8693), with `client-credentials` it proves who the client is (RFC 7523, section 2.2), which has no other"
      + " credentials then.")

  package static let idTokenAlgorithm = AccountSetting(
    "id_token_algorithm", \.idTokenAlgorithm, Option("id-token-algorithm", in: .protection, "ALGORITHM"),
    "Accept only ID Tokens with this algorithm; one of HS256 to HS512 means the client secret",
    details:
      "It is the `id_token_signed_response_alg` that the client is registered with. The secret then has 32, 48 or"
      + " 64 bytes at least. By default the algorithms of the issuer's keys that it announces.")

  package static let userInfoAlgorithm = AccountSetting(
    "userinfo_algorithm", \.userInfoAlgorithm, among: SigningAlgorithm.asymmetric,
    Option("userinfo-algorithm", in: .protection, "ALGORITHM"),
    "Accept only UserInfo that is signed, with this algorithm",
    details:
      "It is the `userinfo_signed_response_alg` that the client is registered with. By default a signed answer is"
      + " verified, and a plain one is accepted.")

  package static let trustedAudiences = AccountSetting(
    "trusted_audiences", \.trustedAudiences, Option("trust-audience", in: .protection, "AUDIENCE"),
    "Accept ID Tokens that are for this audience too; may be given several times",
    details: "By default for the client alone. A token with several audiences must also name the client as its `azp`.")

  package static let caFile = AccountSetting(
    "ca_file", \.caFile, kind: .file, Option("ca-file", in: .network, "FILE"),
    "Also trust the certificate authorities in this file; PEM, for this account only",
    details:
      "An absolute path; by default none. The system's are those in its directory and in its bundle, such as"
      + " /etc/ssl/certs/ca-certificates.crt. Certificates that are added to the file after the sign-in are not used until"
      + " the setting is set again.", isSealed: true)

  package static let pins = AccountSetting(
    "pins", \.pins, Option("pin", in: .network, "sha256//BASE64"),
    "Accept only servers with this public key; may be given several times", details: "By default any.", isSealed: true)

  package static let allowHTTPLoopback = AccountSetting(
    "allow_http_loopback", \.allowHTTPLoopback, Option("allow-http-loopback", in: .network),
    "Allow plain http to 127.0.0.1, [::1] and localhost, for development", isSealed: true)

  package static let authorizationEndpoint = AccountSetting(
    "authorization_endpoint", \.authorizationEndpoint, Option("authorization-endpoint", in: .endpoints, "URL"),
    "Use this authorization endpoint", details: endpointDefault, isSealed: true)

  package static let tokenEndpoint = AccountSetting(
    "token_endpoint", \.tokenEndpoint, Option("token-endpoint", in: .endpoints, "URL"), "Use this token endpoint",
    details: endpointDefault, isSealed: true)

  package static let deviceAuthorizationEndpoint = AccountSetting(
    "device_authorization_endpoint", \.deviceAuthorizationEndpoint,
    Option("device-authorization-endpoint", in: .endpoints, "URL"),
    "Use this device authorization endpoint", details: endpointDefault, isSealed: true)

  package static let userinfoEndpoint = AccountSetting(
    "userinfo_endpoint", \.userinfoEndpoint, Option("userinfo-endpoint", in: .endpoints, "URL"),
    "Use this UserInfo endpoint",
    details: endpointDefault, isSealed: true)

  package static let revocationEndpoint = AccountSetting(
    "revocation_endpoint", \.revocationEndpoint, Option("revocation-endpoint", in: .endpoints, "URL"),
    "Use this revocation endpoint",
    details: endpointDefault, isSealed: true)

  package static let registrationEndpoint = AccountSetting(
    "registration_endpoint", \.registrationEndpoint, Option("registration-endpoint", in: .endpoints, "URL"),
    "Use this client registration endpoint", details: endpointDefault, isSealed: true)

  package static let jwksURI = AccountSetting(
    "jwks_uri", \.jwksURI, Option("jwks-uri", in: .endpoints, "URL"), "Read the issuer's keys from this URL",
    details: endpointDefault,
    isSealed: true)

  private static let endpointDefault = "By default that of the server's metadata."

  package static let redirectURI = AccountSetting(
    "redirect_uri", \.redirectURI, Option("redirect-uri", in: .signIn, "URI"),
    "The redirect URI registered for the client; byte for byte, and without a port any port is used",
    details: "It is `http` to `127.0.0.1`, `[::1]` or `localhost`, or, for `--paste`, `https`. By default that of"
      + " the provider; else `http://127.0.0.1/callback` where the server names itself in its answers (RFC 9207), and"
      + " `http://127.0.0.1/ISSUER`, with the issuer's URL without `https://`, where it does not. An account keeps the"
      + " one that it signed in with.")

  package static let variables = AccountSetting(
    "variables", \.variables, Option("var", in: .variables, "NAME=FIELD"),
    "Set this variable for shells and commands, and only those named; may be given several times",
    details: "By default the usual ones. The fields are those of agent-env(1). `--var` there takes their place.")

  package static let proxy = AccountSetting(
    "proxy", \.proxy, Option("proxy", in: .network, "URL"),
    "Use this proxy; `none` uses none, `environment` that of the caller's environment",
    details: "The URL begins with `http`, `https`, `socks5` or `socks5h`, for a proxy that also resolves names, as"
      + " `ssh -D` is. The environment's is that in `https_proxy`, `HTTPS_PROXY`, `all_proxy` or `ALL_PROXY`, with the"
      + " exceptions in `no_proxy` or `NO_PROXY`. A sign-in takes it unless `--proxy` named another, or `none`. Only there"
      + " a proxy may have a password, which is kept in the vault.")

  package static let proxyExclusions = AccountSetting(
    "no_proxy", \.proxyExclusions, nil,
    "The hosts to reach without the proxy, separated by commas: names, addresses or ranges such as `10.0.0.0/8`",
    details: "By default none. It is set together with the proxy of the environment.", canBeUnset: false)

  package static let proxySource = AccountSetting(
    "proxy_source", \.proxySource, nil,
    "Whether `--proxy` named the proxy or `none` (`option`), so that no sign-in replaces it by the environment's",
    canBeUnset: false)

  package static let keepsAccessToken = AccountSetting(
    "keep", \.keepsAccessToken, Option("keep", in: .protection),
    "Keep the access token in the vault when the server gives no refresh token")

  package static let dpop = AccountSetting(
    "dpop", \.dpop, Option("dpop", in: .protection),
    "Bind the tokens to a key (DPoP); it never leaves `agentd`, so that a stolen token is useless",
    details: "See RFC 9449.")

  package static let keyStorage = AccountSetting(
    "key", \.keyStorage, Option("key", in: .protection, "PLACE"),
    "Where the keys are made that tokens are bound to or that a new client has: in the vault, or in the TPM",
    details: "In the TPM (`tpm2`) they sign with ES256 and cannot be copied. By default there, where the TPM opens the"
      + " vault by itself, is not away and the server takes ES256, and else in the vault (`vault`). A key that a file"
      + " brings stays where it is.")

  package static let profile = AccountSetting(
    "profile", \.profile, Option("profile", in: .protection, "PROFILE"),
    "Refuse a server or an answer that does less than this security profile demands; fapi2 is FAPI 2.0",
    details:
      "With `fapi2` the account signs in by browser with a pushed request, PKCE and `iss`, its client proves itself by"
      + " `private_key_jwt` or a certificate, its tokens are bound by DPoP or the certificate, and signatures are PS256,"
      + " ES256 or EdDSA: all this by itself, and again at each renewal. By default none.",
    isSealed: true)

  package static let origins = AccountSetting(
    "origins", \.origins, Option("host", in: .protection, "HOST"),
    "Also permit the access token for this host; may be given several times",
    details:
      "In the file each is `https://HOST` or `https://HOST:PORT`, or another scheme, a path and details as in WHERE"
      + " TOKENS GO. By default only that of UserInfo.")

  package static let refresh = AccountSetting(
    "refresh", \.refresh, Option("refresh", in: .renewal, "POLICY"),
    "When tokens are renewed (default: `proactive`); see agent-config(5)",
    fallback: .proactive)

  package static let protection = AccountSetting(
    "protect", \.protection, Option("protect", in: .protection, "LEVEL"),
    "How the session in the vault opens; by this device, by a passphrase, or by the TPM with a PIN",
    details: "Counts at the next sign-in; by default as the record before, else `device`. The vault alone says how the"
      + " present record opens.",
    canBeUnset: false)
}
