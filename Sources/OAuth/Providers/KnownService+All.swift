extension KnownService {
  /// All that we know, sorted by name.
  package static let all: [KnownService] = [
    apple, auth0, authentik, cognito, dex, entra, github, gitlab, google, keycloak, okta, slack, zitadel,
  ]

  // MARK: Services in one place

  /// No metadata, no ID Token, scopes with commas, tokens without expiry for OAuth apps. GitHub Enterprise
  /// Server is the same under an issuer of its own.
  private static let github: KnownService = {
    var service = KnownService("github", "GitHub")
    service.issuer = "https://github.com"
    service.paths = Paths(
      authorization: "/login/oauth/authorize", token: "/login/oauth/access_token",
      deviceAuthorization: "/login/device/code")
    // An empty scope gives back whatever was granted before.
    service.scope = ["read:user"]
    service.scopeSeparator = .comma
    service.sessionsPage = "https://github.com/settings/applications"
    service.advice = [
      Advice(
        error: "device_flow_disabled",
        text: "switch on \"Enable Device Flow\" in the settings of the app at GitHub"),
      Advice(
        error: "incorrect_client_credentials",
        text: "check the client id; a sign-in by browser needs the client secret of the app as well"),
      Advice(error: "redirect_uri_mismatch", text: "register http://127.0.0.1/ as the app's callback URL at GitHub"),
      Advice(
        error: "unverified_user_email", text: "verify the e-mail address of your GitHub account, then sign in again"),
      Advice(
        error: "bad_refresh_token",
        text: "the session is over: GitHub's refresh tokens work once, for six months"),
    ]
    return service
  }()

  private static let gitlab: KnownService = {
    var service = KnownService("gitlab", "GitLab")
    service.issuer = "https://gitlab.com"
    service.scope = ["openid", "read_user"]
    service.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must allow the device authorization grant; each GitLab server has its own applications")
    ]
    return service
  }()

  /// A refresh token comes only with `access_type=offline`, and only with consent; the scope
  /// `offline_access` is refused. "Desktop" and "limited input" clients have a secret that is none.
  private static let google: KnownService = {
    var service = KnownService("google", "Google")
    service.issuer = "https://accounts.google.com"
    service.scope = ["openid", "email"]
    service.authorizationParameters = [
      Parameter(name: "access_type", value: "offline"), Parameter(name: "prompt", value: "consent"),
    ]
    service.tokenEndpointAuthMethod = "client_secret_post"
    service.advice = [
      Advice(
        error: "invalid_scope",
        text: "Google's device flow allows few scopes only: sign in with --browser for the others"),
      Advice(
        error: "invalid_client",
        text: "Google's desktop and device clients need their client secret too: --client-secret-file FILE"),
      Advice(
        error: "invalid_grant",
        text: "Google ends refresh tokens after six idle months, and after seven days for an app in testing"),
      Advice(error: "admin_policy_enforced", text: "the administrator of your Google organisation blocks these scopes"),
    ]
    return service
  }()

  /// `http://localhost` is the only loopback redirect whose port is not compared; no revocation endpoint.
  private static let entra: KnownService = {
    var service = KnownService("entra", "Microsoft Entra ID")
    service.issuerExample = "https://login.microsoftonline.com/TENANT-ID/v2.0"
    service.scope = ["openid", "profile", "offline_access"]
    service.redirectHost = "localhost"
    service.sessionsPage = "https://mysignins.microsoft.com/"
    service.advice = [
      Advice(
        error: "AADSTS7000218",
        text: "switch on \"Allow public client flows\" in the app's registration, or give the client secret"),
      Advice(error: "AADSTS700016", text: "the tenant does not know this client id: check both"),
      Advice(error: "AADSTS700082", text: "the refresh token was idle for too long: sign in again"),
      Advice(
        error: "AADSTS700084",
        text: "the redirect URI is registered for a web page app: its tokens live for a day"),
      Advice(error: "AADSTS70043", text: "your organisation asks for a new sign-in from time to time"),
      Advice(error: "AADSTS50173", text: "the session was revoked, mostly by a new password: sign in again"),
      Advice(error: "AADSTS50076", text: "a second factor is asked for: sign in again"),
      Advice(
        error: "AADSTS50079",
        text: "a second factor must be registered first: sign in to the organisation's portal"),
      Advice(error: "AADSTS65001", text: "nobody consented to these scopes: ask the administrator, or ask for less"),
      Advice(
        error: "AADSTS53003",
        text: "a conditional access policy of your organisation blocks this: mostly the device flow, so try --browser"),
      Advice(
        error: "AADSTS50011", text: "register http://localhost as a redirect URI for mobile and desktop applications"),
      Advice(error: "AADSTS28000", text: "scopes of two resources cannot be asked for in one request"),
    ]
    return service
  }()

  // MARK: Services that each customer has under a name of their own

  private static let okta: KnownService = {
    var service = KnownService("okta", "Okta")
    service.issuerExample = "https://NAME.okta.com or https://NAME.okta.com/oauth2/default"
    service.scope = ["openid", "profile", "offline_access"]
    service.advice = [
      Advice(error: "unauthorized_client", text: "allow the grant type in the app's general settings at Okta"),
      Advice(
        error: "invalid_scope",
        text: "offline_access must be allowed for the app and by the authorization server"),
    ]
    return service
  }()

  private static let auth0: KnownService = {
    var service = KnownService("auth0", "Auth0")
    service.issuerExample = "https://NAME.auth0.com/ with the slash at its end"
    service.scope = ["openid", "profile", "offline_access"]
    service.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must be of type native, with the device code grant in its advanced settings"),
      Advice(
        error: "invalid_grant", text: "the session is over, or its refresh token was used twice; sign in again"),
    ]
    return service
  }()

  private static let keycloak: KnownService = {
    var service = KnownService("keycloak", "Keycloak")
    service.issuerExample = "https://HOST/realms/REALM"
    service.advice = [
      Advice(
        error: "unauthorized_client",
        text: "switch on \"OAuth 2.0 Device Authorization Grant\" for the client, or sign in with --browser"),
      Advice(
        error: "invalid_scope", text: "offline_access needs the role of that name and the client's optional scope"),
    ]
    return service
  }()

  private static let authentik: KnownService = {
    var service = KnownService("authentik", "authentik")
    service.issuerExample = "https://HOST/application/o/SLUG/ with the slash at its end"
    service.scope = ["openid", "profile", "offline_access"]
    service.advice = [
      Advice(error: "invalid_scope", text: "offline_access must be among the scopes that are chosen in authentik")
    ]
    return service
  }()

  private static let zitadel: KnownService = {
    var service = KnownService("zitadel", "Zitadel")
    service.issuerExample = "https://NAME.zitadel.cloud"
    service.scope = ["openid", "profile", "offline_access"]
    service.advice = [
      Advice(
        error: "unauthorized_client",
        text: "allow the device code grant and refresh tokens in the application's"
          + " settings")
    ]
    return service
  }()

  private static let dex: KnownService = {
    var service = KnownService("dex", "Dex")
    service.issuerExample = "https://HOST/dex"
    service.scope = ["openid", "profile", "offline_access"]
    return service
  }()

  /// No device grant; the redirect URI must be registered with its port.
  private static let cognito: KnownService = {
    var service = KnownService("cognito", "Amazon Cognito")
    service.issuerExample = "https://cognito-idp.REGION.amazonaws.com/POOL"
    service.scope = ["openid"]
    service.advice = [
      Advice(
        error: "redirect_mismatch",
        text: "register a redirect URI with its port at Cognito, and name the same: --redirect-uri"
          + " http://localhost:PORT/")
    ]
    return service
  }()

  // MARK: Services that cannot be signed in to from a terminal

  private static let slack: KnownService = {
    var service = KnownService("slack", "Slack")
    service.obstacle = "Slack has no device grant and takes only https redirect addresses"
    return service
  }()

  private static let apple: KnownService = {
    var service = KnownService("apple", "Apple")
    service.obstacle = "Apple has no device grant and takes only https redirect addresses of a domain"
    return service
  }()
}
