// Other services with a single host.
extension Provider {
  static let atlassian: Provider = {
    var provider = Provider(.atlassian, "Atlassian")
    provider.issuer = "https://auth.atlassian.com"
    provider.hosts = ["atlassian.com"]
    provider.paths = [.authorization: "/authorize", .token: "/oauth/token"]
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
    provider.quirks = [.noMetadata: page, .secretNeeded: page]
    // The error for a wrong client secret is `access_denied`.
    provider.errorNames = ["unauthorized": "invalid_client"]
    // 403 and `unauthorized_client`: https://github.com/ParabolInc/parabol/issues/11849
    provider.deadRefreshTokens = ["refresh_token is invalid"]
    provider.limits = ["it has no device grant, no ID Token and no revocation endpoint"]
    provider.advice = [
      Advice(
        error: "unauthorized_client", text: "check the client id and the client secret of the app", needsSecret: true),
      Advice(error: "access_denied", text: "check the client id, and set the secret with --client-secret-prompt"),
    ]
    return provider
  }()

  static let dropbox: Provider = {
    var provider = Provider(.dropbox, "Dropbox")
    provider.issuer = "https://www.dropbox.com"
    provider.hosts = ["dropbox.com"]
    provider.paths = [.authorization: "/oauth2/authorize", .token: "https://api.dropboxapi.com/oauth2/token"]
    provider.registration = Registration(page: "https://www.dropbox.com/developers/apps/create", kind: "scoped app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["account_info.read"]
    provider.authorizationParameters = [Parameter(name: "token_access_type", value: "offline")]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://www.dropbox.com/account/connected_apps"
    let page = "https://developers.dropbox.com/oauth-guide"
    provider.quirks = [.noMetadata: page]
    provider.limits = ["it supports neither the device grant nor ID Tokens nor standard revocation"]
    return provider
  }()

  static let shopify: Provider = {
    var provider = Provider(.shopify, "Shopify")
    provider.issuerExample = "https://NAME.myshopify.com"
    provider.issuerTemplates = ["https://{name}.myshopify.com"]
    provider.paths = [.authorization: "/admin/oauth/authorize", .token: "/admin/oauth/access_token"]
    provider.registration = Registration(page: "https://dev.shopify.com/dashboard", kind: "app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["read_products"]
    // Without this parameter, the token does not expire and there is no refresh token.
    provider.codeParameters = [Parameter(name: "expiring", value: "1")]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "the store's admin, Settings, Apps and sales channels"
    let page =
      "https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant"
    // From memory: an invalid refresh token gets a 400 with HTML. The documents only describe successful responses.
    provider.quirks = [
      .noMetadata: page, .secretNeeded: page, .scopeWithCommas: page, .deadTokenWithoutError: page,
    ]
    provider.limits = [
      "its API wants the token in the header X-Shopify-Access-Token",
      "it has no device grant, no ID Token and no revocation endpoint",
    ]
    return provider
  }()

  /// Slack, for tokens of a user. An app with PKCE is a public client.
  static let slack: Provider = {
    var provider = Provider(.slack, "Slack")
    provider.issuer = "https://slack.com"
    provider.paths = [.authorization: "/oauth/v2_user/authorize", .token: "/api/oauth.v2.user.access"]
    provider.registration = Registration(
      page: "https://api.slack.com/apps", kind: "app", option: "PKCE")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["users:read"]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://slack.com/apps/manage"
    let page = "https://docs.slack.dev/authentication/using-pkce"
    let method = "https://docs.slack.dev/reference/methods/oauth.v2.user.access"
    provider.quirks = [
      .noMetadata: page, .userTokenType: method, .scopeWithCommas: method,
    ]
    provider.errorNames = [
      "invalid_refresh_token": "invalid_grant", "token_expired": "invalid_grant", "token_revoked": "invalid_grant",
      "invalid_code": "invalid_grant", "code_already_used": "invalid_grant", "invalid_client_id": "invalid_client",
      "bad_client_secret": "invalid_client", "ratelimited": "slow_down", "internal_error": "server_error",
    ]
    provider.limits = [
      "it has no device grant and no ID Token; bot scopes are not granted to a redirect URI of this machine",
      "a session ends after 30 days without a refresh; without token rotation it is a single token that never expires",
    ]
    provider.advice = [
      Advice(
        error: "bad_redirect_uri", text: "register http://localhost:47600/callback: https://api.slack.com/apps",
        namesPage: true),
      Advice(error: "invalid_client_id", text: "check the client id, which contains a dot"),
      Advice(
        error: "bad_client_secret", text: "enable PKCE in the settings of the app: https://api.slack.com/apps",
        namesPage: true),
    ]
    return provider
  }()

  static let discord: Provider = {
    var provider = Provider(.discord, "Discord")
    provider.issuer = "https://discord.com"
    provider.registration = Registration(
      page: "https://discord.com/developers/applications", kind: "application", option: "Public Client")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["identify"]
    provider.sessionsPage = "https://discord.com/channels/@me"
    return provider
  }()

  static let twitch: Provider = {
    var provider = Provider(.twitch, "Twitch")
    provider.issuer = "https://id.twitch.tv/oauth2"
    provider.hosts = ["twitch.tv", "www.twitch.tv"]
    provider.paths = [.deviceAuthorization: "/device", .revocation: "/revoke"]
    provider.registration = Registration(
      page: "https://dev.twitch.tv/console/apps/create", kind: "application of the client type Public")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["user:read:email"]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://www.twitch.tv/settings/connections"
    let page = "https://dev.twitch.tv/docs/authentication/getting-tokens-oauth/"
    provider.quirks = [
      .scopeInArray: page, .scopesInDeviceGrant: page, .errorInMessage: page,
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

  static let salesforce: Provider = {
    var provider = Provider(.salesforce, "Salesforce")
    provider.issuer = "https://login.salesforce.com"
    provider.issuerTemplates = [
      "https://test.salesforce.com", "https://{domain}.my.salesforce.com", "https://{domain}.sandbox.my.salesforce.com",
    ]
    provider.hosts = ["salesforce.com"]
    provider.registration = Registration(
      page: "https://login.salesforce.com/lightning/setup/ManageExternalClientApplication/home",
      kind: "external client app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["openid", "api", "refresh_token"]
    provider.sessionsPage = "Personal Settings, Connections"
    provider.deviceObstacle = "its device flow is not that of RFC 8628"
    provider.limits = ["its device flow is not that of RFC 8628: on a machine without a browser sign in with --paste"]
    return provider
  }()

  static let yahoo: Provider = {
    var provider = Provider(.yahoo, "Yahoo")
    provider.issuer = "https://api.login.yahoo.com"
    provider.hosts = ["yahoo.com", "login.yahoo.com"]
    provider.registration = Registration(page: "https://developer.yahoo.com/apps/create/", kind: "public client")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["openid"]
    provider.sessionsPage = "https://login.yahoo.com/account/activity"
    provider.limits = ["it has no device grant"]
    return provider
  }()

  static let apple: Provider = {
    var provider = Provider(.apple, "Apple")
    provider.issuerTemplates = ["https://appleid.apple.com"]
    provider.hosts = ["apple.com", "www.apple.com", "account.apple.com"]
    provider.obstacle = "Apple has no device grant and accepts only https redirect URIs of a domain"
    return provider
  }()

  static let identityCenter: Provider = {
    var provider = Provider(.identityCenter, "AWS IAM Identity Center")
    provider.issuerTemplates = [
      "https://{directory}.awsapps.com/start", "https://identitycenter.amazonaws.com/{instance}",
      "https://oidc.{region}.amazonaws.com", "https://portal.sso.{region}.amazonaws.com",
      "https://{instance}.portal.{region}.app.aws", "https://oidc.{region}.amazonaws.com.cn",
      "https://start.{partition}.awsapps.cn/directory/{directory}",
      "https://start.{partition}.awsapps.com/directory/{directory}",
    ]
    provider.obstacle = "it uses its own API instead of OAuth; use the AWS CLI: aws sso login"
    return provider
  }()
}
