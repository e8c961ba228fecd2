package import Vocabulary

extension Provider {
  package static func named(_ name: ProviderName) -> Provider {
    switch name {
    case .apple: apple
    case .auth0: auth0
    case .authentik: authentik
    case .cognito: cognito
    case .dex: dex
    case .entra: entra
    case .github: github
    case .gitlab: gitlab
    case .google: google
    case .keycloak: keycloak
    case .okta: okta
    case .slack: slack
    case .zitadel: zitadel
    }
  }

  // MARK: Providers in one place

  /// No metadata, no ID Token, scopes with commas, tokens without expiry for OAuth apps. GitHub Enterprise
  /// Server is the same under an issuer of its own.
  private static let github: Provider = {
    var provider = Provider(.github, "GitHub")
    provider.issuer = "https://github.com/login/oauth"
    // Its answers name the issuer since April 2026.
    provider.issuerPath = "/login/oauth"
    provider.publishesMetadata = false
    provider.registration = Registration(
      page: "https://github.com/settings/applications/new", kind: "OAuth app", option: "Enable Device Flow")
    provider.paths = Paths(
      authorization: "/login/oauth/authorize", token: "/login/oauth/access_token",
      deviceAuthorization: "/login/device/code")
    // An empty scope gives back whatever was granted before.
    provider.scope = ["read:user"]
    provider.scopeSeparator = .comma
    provider.sessionsPage = "https://github.com/settings/applications"
    provider.advice = [
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
    return provider
  }()

  private static let gitlab: Provider = {
    var provider = Provider(.gitlab, "GitLab")
    provider.issuer = "https://gitlab.com"
    // Its metadata lack it.
    provider.paths = Paths(deviceAuthorization: "/oauth/authorize_device")
    provider.registration = Registration(
      page: "https://gitlab.com/-/user_settings/applications", kind: "application that is not confidential")
    provider.scope = ["openid", "read_user"]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must allow the device authorization grant; each GitLab server has its own applications")
    ]
    return provider
  }()

  /// A refresh token comes only with `access_type=offline`, and only with consent; the scope
  /// `offline_access` is refused. "Desktop" and "limited input" clients have a secret that is none.
  private static let google: Provider = {
    var provider = Provider(.google, "Google")
    provider.issuer = "https://accounts.google.com"
    provider.hosts = ["google.com"]
    provider.registration = Registration(
      page: "https://console.cloud.google.com/apis/credentials", kind: "OAuth client of the type Desktop app")
    provider.scope = ["openid", "email"]
    provider.authorizationParameters = [
      Parameter(name: "access_type", value: "offline"), Parameter(name: "prompt", value: "consent"),
    ]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.advice = [
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
    return provider
  }()

  /// `http://localhost` is the only loopback redirect URI whose port is not compared, and its path is; no revocation
  /// endpoint.
  private static let entra: Provider = {
    var provider = Provider(.entra, "Microsoft Entra ID")
    provider.issuerExample = "https://login.microsoftonline.com/TENANT-ID/v2.0"
    provider.scope = ["openid", "profile", "offline_access"]
    provider.redirectURI = "http://localhost"
    provider.registration = Registration(
      page: "https://entra.microsoft.com/", kind: "app for mobile and desktop", option: "Allow public client flows")
    provider.sessionsPage = "https://mysignins.microsoft.com/"
    provider.advice = [
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
    return provider
  }()

  // MARK: Services that each customer has under a name of their own

  private static let okta: Provider = {
    var provider = Provider(.okta, "Okta")
    provider.issuerExample = "https://NAME.okta.com or https://NAME.okta.com/oauth2/default"
    provider.scope = ["openid", "profile", "offline_access"]
    provider.advice = [
      Advice(error: "unauthorized_client", text: "allow the grant type in the app's general settings at Okta"),
      Advice(
        error: "invalid_scope",
        text: "offline_access must be allowed for the app and by the authorization server"),
    ]
    return provider
  }()

  private static let auth0: Provider = {
    var provider = Provider(.auth0, "Auth0")
    provider.issuerExample = "https://NAME.auth0.com/ with the slash at its end"
    provider.scope = ["openid", "profile", "offline_access"]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must be of type native, with the device code grant in its advanced settings"),
      Advice(
        error: "invalid_grant", text: "the session is over, or its refresh token was used twice; sign in again"),
    ]
    return provider
  }()

  private static let keycloak: Provider = {
    var provider = Provider(.keycloak, "Keycloak")
    provider.issuerExample = "https://HOST/realms/REALM"
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "switch on \"OAuth 2.0 Device Authorization Grant\" for the client, or sign in with --browser"),
      Advice(
        error: "invalid_scope", text: "offline_access needs the role of that name and the client's optional scope"),
    ]
    return provider
  }()

  private static let authentik: Provider = {
    var provider = Provider(.authentik, "authentik")
    provider.issuerExample = "https://HOST/application/o/SLUG/ with the slash at its end"
    provider.scope = ["openid", "profile", "offline_access"]
    provider.advice = [
      Advice(error: "invalid_scope", text: "offline_access must be among the scopes that are chosen in authentik")
    ]
    return provider
  }()

  private static let zitadel: Provider = {
    var provider = Provider(.zitadel, "Zitadel")
    provider.issuerExample = "https://NAME.zitadel.cloud"
    provider.scope = ["openid", "profile", "offline_access"]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "allow the device code grant and refresh tokens in the application's"
          + " settings")
    ]
    return provider
  }()

  private static let dex: Provider = {
    var provider = Provider(.dex, "Dex")
    provider.issuerExample = "https://HOST/dex"
    provider.scope = ["openid", "profile", "offline_access"]
    return provider
  }()

  /// No device grant; the redirect URI must be registered with its port.
  private static let cognito: Provider = {
    var provider = Provider(.cognito, "Amazon Cognito")
    provider.issuerExample = "https://cognito-idp.REGION.amazonaws.com/POOL"
    provider.scope = ["openid"]
    provider.advice = [
      Advice(
        error: "redirect_mismatch",
        text: "register a redirect URI with its port at Cognito, and name the same: --redirect-uri"
          + " http://localhost:PORT/")
    ]
    return provider
  }()

  // MARK: Services that cannot be signed in to from a terminal

  private static let slack: Provider = {
    var provider = Provider(.slack, "Slack")
    provider.obstacle = "Slack has no device grant and takes only https redirect addresses"
    return provider
  }()

  private static let apple: Provider = {
    var provider = Provider(.apple, "Apple")
    provider.obstacle = "Apple has no device grant and takes only https redirect addresses of a domain"
    return provider
  }()
}
