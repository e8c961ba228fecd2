extension Provider {
  package static func named(_ name: ProviderName) -> Provider {
    switch name {
    case .apple: apple
    case .atlassian: atlassian
    case .auth0: auth0
    case .authentik: authentik
    case .bitbucket: bitbucket
    case .codeberg: codeberg
    case .cognito: cognito
    case .dex: dex
    case .discord: discord
    case .dropbox: dropbox
    case .entra: entra
    case .forgejo: forgejo
    case .gitea: gitea
    case .github: github
    case .gitlab: gitlab
    case .gmail: gmail
    case .google: google
    case .huggingface: huggingface
    case .keycloak: keycloak
    case .okta: okta
    case .outlook: outlook
    case .salesforce: salesforce
    case .slack: slack
    case .twitch: twitch
    case .yahoo: yahoo
    case .zitadel: zitadel
    }
  }

  // MARK: Code hosts

  /// GitHub Enterprise Server is the same under an issuer of its own. The tokens of OAuth apps have no expiry.
  private static let github: Provider = {
    var provider = Provider(.github, "GitHub")
    provider.issuer = "https://github.com/login/oauth"
    // Its answers name the issuer since April 2026.
    provider.issuerPath = "/login/oauth"
    provider.registration = Registration(
      page: "https://github.com/settings/applications/new", kind: "OAuth app", option: "Enable Device Flow")
    provider.paths = Paths(
      authorization: "/login/oauth/authorize", token: "/login/oauth/access_token",
      deviceAuthorization: "/login/device/code")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.tokenEndpointAuthMethod = .secretPost
    // An empty scope gives back whatever was granted before.
    provider.scope = ["read:user"]
    provider.sessionsPage = "https://github.com/settings/applications"
    let apps = "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps"
    provider.quirks = [.noMetadata: apps, .scopeWithCommas: apps, .secretForCode: apps]
    provider.errorNames = ["bad_refresh_token": "invalid_grant"]
    provider.limits = [
      "a sign-in by browser needs the client secret of the app too",
      "it has no ID Token, so the user is not known, and no revocation endpoint",
      "of the tokens of one user, app and scope the eleventh ends the first",
    ]
    provider.advice = [
      Advice(
        error: "device_flow_disabled",
        text: "switch on \"Enable Device Flow\" in the settings of the app at GitHub"),
      Advice(
        error: "incorrect_client_credentials",
        text: "check the client id; a sign-in by browser needs the client secret of the app as well"),
      Advice(
        error: "redirect_uri_mismatch",
        text: "register http://127.0.0.1/callback as the app's callback URL: https://github.com/settings/developers"),
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
    provider.paths = Paths(deviceAuthorization: "/oauth/authorize_device")
    provider.registration = Registration(
      page: "https://gitlab.com/-/user_settings/applications", kind: "application that is not confidential")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.scope = ["openid", "read_user"]
    provider.sessionsPage = "https://gitlab.com/-/user_settings/applications"
    let api = "https://docs.gitlab.com/api/oauth2/"
    provider.quirks = [.unannouncedDeviceEndpoint: api, .separateGrants: api]
    provider.limits = ["each GitLab server has its own applications: name the server with --issuer URL"]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must allow the device authorization grant; each GitLab server has its own applications")
    ]
    return provider
  }()

  private static func gitea(_ name: ProviderName, _ title: String, _ documentation: String) -> Provider {
    var provider = Provider(name, title)
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.scope = ["openid", "read:user"]
    // It says so with `unauthorized_client`.
    provider.errorNames = [
      "unable to parse refresh token": "invalid_grant", "token was already used": "invalid_grant",
    ]
    provider.limits = [
      "it has no device grant: on a machine without a browser sign in with --paste",
      "it has no revocation endpoint",
    ]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must not be a confidential client, and its redirect URI be http://127.0.0.1/callback")
    ]
    return provider
  }

  private static let gitea: Provider = {
    var provider = gitea(.gitea, "Gitea", "https://docs.gitea.com/development/oauth2-provider")
    provider.issuer = "https://gitea.com"
    provider.registration = Registration(
      page: "https://gitea.com/user/settings/applications",
      kind: "OAuth2 application that is not a confidential client")
    provider.sessionsPage = "https://gitea.com/user/settings/applications"
    return provider
  }()

  private static let forgejo: Provider = {
    var provider = gitea(.forgejo, "Forgejo", "https://forgejo.org/docs/latest/user/oauth2-provider/")
    provider.issuerExample = "https://HOST"
    return provider
  }()

  private static let codeberg: Provider = {
    var provider = gitea(.codeberg, "Codeberg", "https://forgejo.org/docs/latest/user/oauth2-provider/")
    provider.issuer = "https://codeberg.org"
    provider.registration = Registration(
      page: "https://codeberg.org/user/settings/applications",
      kind: "OAuth2 application that is not a confidential client")
    provider.sessionsPage = "https://codeberg.org/user/settings/applications"
    return provider
  }()

  private static let bitbucket: Provider = {
    var provider = Provider(.bitbucket, "Bitbucket")
    provider.issuer = "https://bitbucket.org"
    provider.paths = Paths(authorization: "/site/oauth2/authorize", token: "/site/oauth2/access_token")
    provider.registration = Registration(
      page: "https://bitbucket.org/account/workspaces/", kind: "OAuth consumer of a workspace")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["account"]
    provider.tokenEndpointAuthMethod = .secretBasic
    provider.sessionsPage = "https://bitbucket.org/account/settings/app-authorizations/"
    let page = "https://developer.atlassian.com/cloud/bitbucket/oauth-2/"
    provider.quirks = [.noMetadata: page, .comparedPort: page]
    provider.limits = [
      "it needs the consumer's secret: --client-secret-file FILE",
      "it has no device grant, no ID Token and no revocation endpoint",
    ]
    provider.advice = [
      Advice(error: "unauthorized_client", text: "check the key and the secret of the consumer"),
      Advice(error: "invalid_client", text: "check the consumer's key, and give its secret: --client-secret-file FILE"),
    ]
    return provider
  }()

  private static let huggingface: Provider = {
    var provider = Provider(.huggingface, "Hugging Face")
    provider.issuer = "https://huggingface.co"
    provider.registration = Registration(
      page: "https://huggingface.co/settings/applications/new", kind: "public OAuth app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["openid", "profile"]
    provider.sessionsPage = "https://huggingface.co/settings/connected-applications"
    provider.quirks = [.comparedPort: "https://huggingface.co/docs/hub/oauth"]
    return provider
  }()

  // MARK: Google and Microsoft

  /// A refresh token comes only with `access_type=offline`, and only with consent; the scope `offline_access` is
  /// refused.
  private static let google: Provider = {
    var provider = Provider(.google, "Google")
    provider.issuer = "https://accounts.google.com"
    provider.hosts = ["google.com"]
    provider.registration = Registration(
      page: "https://console.cloud.google.com/apis/credentials", kind: "OAuth client of the type Desktop app")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.scope = ["openid", "email"]
    provider.authorizationParameters = [
      Parameter(name: "access_type", value: "offline"), Parameter(name: "prompt", value: "consent"),
    ]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://myaccount.google.com/connections"
    provider.quirks = [.publicSecret: "https://developers.google.com/identity/protocols/oauth2/native-app"]
    provider.limits = [
      "its client secret is needed, though it is none: --client-secret-file FILE",
      "the device flow has a client of its own type (TVs and Limited Input devices), and allows few scopes",
      "a session of an app in testing ends after seven days, any other after six idle months",
      "a sign-out ends the sessions of this app on all machines",
    ]
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
      Advice(
        error: "redirect_uri_mismatch",
        text: "register a client of the type Desktop app: https://console.cloud.google.com/apis/credentials"),
      Advice(error: "admin_policy_enforced", text: "the administrator of your Google organisation blocks these scopes"),
    ]
    return provider
  }()

  private static let gmail: Provider = {
    var provider = Provider(.gmail, "Gmail", like: google)
    provider.scope = ["openid", "email", "https://mail.google.com/"]
    provider.limits.append("the device flow does not allow its scope")
    return provider
  }()

  /// `http://localhost` is the only loopback redirect URI whose port is not compared, and its path is; no revocation
  /// endpoint.
  private static let entra: Provider = {
    var provider = Provider(.entra, "Microsoft Entra ID")
    provider.issuer = "https://login.microsoftonline.com/common/v2.0"
    let hosts = ["login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"]
    // A domain name has up to four parts here.
    let tenants = ["{tenant}", "{a}.{b}", "{a}.{b}.{c}", "{a}.{b}.{c}.{d}"]
    provider.issuerTemplates = hosts.flatMap { host in tenants.map { "https://\(host)/\($0)/v2.0" } }
    provider.hosts = ["entra.microsoft.com", "microsoft.com"]
    provider.scope = ["openid", "profile", "offline_access"]
    provider.redirectURI = "http://localhost"
    provider.registration = Registration(
      page: "https://entra.microsoft.com/", kind: "app for mobile and desktop", option: "Allow public client flows")
    provider.sessionsPage = "https://mysignins.microsoft.com/"
    provider.quirks = [
      .tenantIssuer: "https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc"
    ]
    provider.limits = [
      "an app of one organisation needs that organisation's issuer: --issuer"
        + " https://login.microsoftonline.com/TENANT-ID/v2.0",
      "one token is for one resource: its scopes are asked for together, others with agent token --scope",
      "it has no revocation endpoint",
    ]
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
      Advice(
        error: "AADSTS50194",
        text: "the app is registered for one organisation: --issuer https://login.microsoftonline.com/TENANT-ID/v2.0"),
      Advice(
        error: "AADSTS9002331",
        text: "the app is registered for personal accounts: --issuer https://login.microsoftonline.com/consumers/v2.0"),
      Advice(error: "AADSTS65001", text: "nobody consented to these scopes: ask the administrator, or ask for less"),
      Advice(
        error: "AADSTS53003",
        text: "a conditional access policy of your organisation blocks this: mostly the device flow, so try --browser"),
      Advice(
        error: "AADSTS50011",
        text: "register http://localhost as a redirect URI for mobile and desktop applications:"
          + " https://entra.microsoft.com/"),
      Advice(error: "AADSTS28000", text: "scopes of two resources cannot be asked for in one request"),
    ]
    return provider
  }()

  private static let outlook: Provider = {
    var provider = Provider(.outlook, "Outlook", like: entra)
    provider.scope = [
      "openid", "profile", "offline_access", "https://outlook.office.com/IMAP.AccessAsUser.All",
      "https://outlook.office.com/POP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send",
    ]
    return provider
  }()

  // MARK: Other services

  private static let atlassian: Provider = {
    var provider = Provider(.atlassian, "Atlassian")
    provider.issuer = "https://auth.atlassian.com"
    provider.hosts = ["atlassian.com"]
    provider.paths = Paths(authorization: "/authorize", token: "/oauth/token")
    provider.registration = Registration(
      page: "https://developer.atlassian.com/console/myapps/", kind: "OAuth 2.0 integration (3LO)")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["read:me", "offline_access"]
    provider.authorizationParameters = [
      Parameter(name: "audience", value: "api.atlassian.com"), Parameter(name: "prompt", value: "consent"),
    ]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://id.atlassian.com/manage-profile/apps"
    let page = "https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/"
    provider.quirks = [.noMetadata: page, .comparedPort: page]
    provider.limits = [
      "it needs the client secret: --client-secret-file FILE",
      "it has no device grant, no ID Token and no revocation endpoint",
    ]
    provider.advice = [
      Advice(error: "unauthorized_client", text: "check the client id and the client secret of the app"),
      Advice(error: "access_denied", text: "check the client id, and give the secret: --client-secret-file FILE"),
    ]
    return provider
  }()

  private static let dropbox: Provider = {
    var provider = Provider(.dropbox, "Dropbox")
    provider.issuer = "https://www.dropbox.com"
    provider.hosts = ["dropbox.com"]
    provider.paths = Paths(authorization: "/oauth2/authorize", token: "https://api.dropboxapi.com/oauth2/token")
    provider.registration = Registration(page: "https://www.dropbox.com/developers/apps/create", kind: "scoped app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["account_info.read"]
    provider.authorizationParameters = [Parameter(name: "token_access_type", value: "offline")]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://www.dropbox.com/account/connected_apps"
    let page = "https://developers.dropbox.com/oauth-guide"
    provider.quirks = [.noMetadata: page, .comparedPort: page]
    provider.limits = ["it has no device grant, no ID Token and no revocation endpoint of the standard"]
    return provider
  }()

  /// The tokens of a user. An app with PKCE is a public client.
  private static let slack: Provider = {
    var provider = Provider(.slack, "Slack")
    provider.issuer = "https://slack.com"
    provider.paths = Paths(authorization: "/oauth/v2_user/authorize", token: "/api/oauth.v2.user.access")
    provider.registration = Registration(
      page: "https://api.slack.com/apps", kind: "app", option: "PKCE")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["users:read"]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://slack.com/apps/manage"
    let page = "https://docs.slack.dev/authentication/using-pkce"
    let method = "https://docs.slack.dev/reference/methods/oauth.v2.user.access"
    provider.quirks = [
      .noMetadata: page, .comparedPort: page, .userTokenType: method, .scopeWithCommas: method,
    ]
    provider.errorNames = [
      "invalid_refresh_token": "invalid_grant", "token_expired": "invalid_grant", "token_revoked": "invalid_grant",
      "invalid_code": "invalid_grant", "code_already_used": "invalid_grant", "invalid_client_id": "invalid_client",
      "bad_client_secret": "invalid_client", "ratelimited": "slow_down", "internal_error": "server_error",
    ]
    provider.limits = [
      "it has no device grant and no ID Token; bot scopes are not granted to a redirect URI of this machine",
      "a session ends after thirty days without a refresh; without token rotation it is one token without an end",
    ]
    provider.advice = [
      Advice(error: "bad_redirect_uri", text: "register http://localhost:47600/callback: https://api.slack.com/apps"),
      Advice(error: "invalid_client_id", text: "check the client id, which has a dot in it"),
      Advice(error: "bad_client_secret", text: "switch on PKCE in the settings of the app: https://api.slack.com/apps"),
    ]
    return provider
  }()

  private static let discord: Provider = {
    var provider = Provider(.discord, "Discord")
    provider.issuer = "https://discord.com"
    provider.registration = Registration(
      page: "https://discord.com/developers/applications", kind: "application", option: "Public Client")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["identify"]
    provider.sessionsPage = "https://discord.com/channels/@me"
    provider.quirks = [.comparedPort: "https://discord.com/developers/docs/topics/oauth2"]
    return provider
  }()

  private static let twitch: Provider = {
    var provider = Provider(.twitch, "Twitch")
    provider.issuer = "https://id.twitch.tv/oauth2"
    provider.hosts = ["twitch.tv", "www.twitch.tv"]
    provider.paths = Paths(deviceAuthorization: "/device", revocation: "/revoke")
    provider.registration = Registration(
      page: "https://dev.twitch.tv/console/apps/create", kind: "application of the client type Public")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["user:read:email"]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://www.twitch.tv/settings/connections"
    let page = "https://dev.twitch.tv/docs/authentication/getting-tokens-oauth/"
    provider.quirks = [
      .scopeInArray: page, .scopesInDeviceGrant: page, .errorInMessage: page, .comparedPort: page,
      .unannouncedDeviceEndpoint: page, .secretForCode: page,
    ]
    provider.errorNames = [
      "invalid refresh token": "invalid_grant", "invalid device code": "expired_token",
      "invalid client": "invalid_client",
      "invalid client secret": "invalid_client", "invalid authorization code": "invalid_grant",
      "missing client secret": "invalid_client", "invalid client id": "invalid_client",
    ]
    provider.limits = ["a sign-in by browser needs the client secret, and an application of the type Confidential"]
    return provider
  }()

  private static let salesforce: Provider = {
    var provider = Provider(.salesforce, "Salesforce")
    provider.issuer = "https://login.salesforce.com"
    provider.issuerTemplates = [
      "https://test.salesforce.com", "https://{domain}.my.salesforce.com", "https://{domain}.sandbox.my.salesforce.com",
    ]
    provider.hosts = ["salesforce.com"]
    provider.registration = Registration(
      page: "https://login.salesforce.com/lightning/setup/ManageExternalClientApplication/home",
      kind: "external client app", option: "Enable Device Flow")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["openid", "api", "refresh_token"]
    provider.quirks = [
      .comparedPort: "https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_web_server_flow.htm"
    ]
    return provider
  }()

  private static let yahoo: Provider = {
    var provider = Provider(.yahoo, "Yahoo")
    provider.issuer = "https://api.login.yahoo.com"
    provider.hosts = ["yahoo.com", "login.yahoo.com"]
    provider.registration = Registration(page: "https://developer.yahoo.com/apps/create/", kind: "public client")
    provider.scope = ["openid"]
    provider.sessionsPage = "https://login.yahoo.com/account/activity"
    provider.limits = ["it has no device grant"]
    return provider
  }()

  private static let apple: Provider = {
    var provider = Provider(.apple, "Apple")
    provider.obstacle = "Apple has no device grant and takes only https redirect addresses of a domain"
    return provider
  }()

  /// The same server under another name.
  private init(_ name: ProviderName, _ title: String, like other: Provider) {
    self.init(name, title)
    issuer = other.issuer
    isVariant = true
    registration = other.registration
    redirectURI = other.redirectURI
    authorizationParameters = other.authorizationParameters
    tokenEndpointAuthMethod = other.tokenEndpointAuthMethod
    sessionsPage = other.sessionsPage
    quirks = other.quirks
    limits = other.limits
    advice = other.advice
  }
}
