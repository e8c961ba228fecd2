// Source code hosts.
extension Provider {
  /// GitHub, also as Enterprise Server with its own issuer. The tokens of OAuth apps do not expire.
  static let github: Provider = {
    var provider = Provider(.github, "GitHub")
    provider.issuer = "https://github.com/login/oauth"
    provider.hasOwnServers = true
    // Responses contain the issuer since April 2026.
    provider.issuerPath = "/login/oauth"
    provider.registration = Registration(
      page: "https://github.com/settings/applications/new", kind: "OAuth app", option: "Enable Device Flow")
    provider.paths = [
      .authorization: "/login/oauth/authorize", .token: "/login/oauth/access_token",
      .deviceAuthorization: "/login/device/code",
    ]
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.tokenEndpointAuthMethod = .secretPost
    // With an empty scope, GitHub returns the earlier grant.
    provider.scope = ["read:user"]
    provider.sessionsPage = "https://github.com/settings/applications"
    let apps = "https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps"
    provider.quirks = [.noMetadata: apps, .scopeWithCommas: apps, .secretForCode: apps]
    provider.errorNames = ["bad_refresh_token": "invalid_grant"]
    provider.limits = [
      "tokens of OAuth apps never expire and have no refresh token; agent account set --keep stores them in the vault",
      "a sign-in by browser needs the client secret of the app too",
      "it issues no ID Token, so the user is unknown, and has no revocation endpoint",
      "GitHub keeps ten tokens per user, app and scope; an eleventh revokes the oldest",
    ]
    provider.advice = [
      Advice(
        error: "device_flow_disabled",
        text: "enable \"Enable Device Flow\" in the settings of the app: https://github.com/settings/developers",
        namesPage: true),
      Advice(
        error: "incorrect_client_credentials",
        text: "check the client id; signing in with a browser also requires the client secret of the app",
        needsSecret: true),
      Advice(
        error: "redirect_uri_mismatch",
        text: "register http://127.0.0.1/callback as the app's callback URL: https://github.com/settings/developers",
        namesPage: true),
      Advice(
        error: "unverified_user_email", text: "verify the e-mail address of your GitHub account, then sign in again"),
      Advice(
        error: "bad_refresh_token",
        text: "the session has ended: GitHub's refresh tokens work once, for six months"),
    ]
    return provider
  }()

  static let gitlab: Provider = {
    var provider = Provider(.gitlab, "GitLab")
    provider.issuer = "https://gitlab.com"
    provider.hasOwnServers = true
    provider.paths = [.deviceAuthorization: "/oauth/authorize_device"]
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

  private static func gitea(_ name: ProviderName, _ title: String) -> Provider {
    var provider = Provider(name, title)
    provider.registration = Registration(
      page: "User Settings, Applications", kind: "OAuth2 application that is not a confidential client")
    provider.sessionsPage = "User Settings, Applications"
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.scope = ["openid", "read:user"]
    provider.quirks = [
      .slashInIssuer: "https://github.com/go-gitea/gitea/blob/main/templates/user/auth/oidc_wellknown.tmpl"
    ]
    // The server reports this as `unauthorized_client`.
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
        text:
          "the application must not be a confidential client, and its redirect URI must be http://127.0.0.1/callback")
    ]
    return provider
  }

  static let gitea: Provider = {
    var provider = gitea(.gitea, "Gitea")
    provider.issuer = "https://gitea.com"
    provider.hasOwnServers = true
    provider.registration?.page = "https://gitea.com/user/settings/applications"
    provider.sessionsPage = "https://gitea.com/user/settings/applications"
    return provider
  }()

  static let forgejo: Provider = {
    var provider = gitea(.forgejo, "Forgejo")
    provider.issuerExample = "https://HOST"
    provider.hasOwnServers = true
    return provider
  }()

  static let codeberg: Provider = {
    var provider = gitea(.codeberg, "Codeberg")
    provider.issuer = "https://codeberg.org"
    provider.registration?.page = "https://codeberg.org/user/settings/applications"
    provider.sessionsPage = "https://codeberg.org/user/settings/applications"
    return provider
  }()

  static let bitbucket: Provider = {
    var provider = Provider(.bitbucket, "Bitbucket")
    provider.issuer = "https://bitbucket.org"
    provider.paths = [.authorization: "/site/oauth2/authorize", .token: "/site/oauth2/access_token"]
    provider.registration = Registration(
      page: "https://bitbucket.org/account/workspaces/", kind: "OAuth consumer of a workspace")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["account"]
    provider.tokenEndpointAuthMethod = .secretBasic
    provider.sessionsPage = "https://bitbucket.org/account/settings/app-authorizations/"
    let page = "https://developer.atlassian.com/cloud/bitbucket/oauth-2/"
    provider.quirks = [.noMetadata: page, .secretNeeded: page]
    // `invalid_request`: https://github.com/readthedocs/readthedocs.org/issues/2992
    provider.deadRefreshTokens = ["Invalid refresh_token"]
    provider.limits = ["it has no device grant, no ID Token and no revocation endpoint"]
    provider.advice = [
      Advice(error: "unauthorized_client", text: "check the key and the secret of the consumer", needsSecret: true),
      Advice(error: "invalid_client", text: "check the consumer's key, and set its secret", needsSecret: true),
    ]
    return provider
  }()

  static let huggingface: Provider = {
    var provider = Provider(.huggingface, "Hugging Face")
    provider.issuer = "https://huggingface.co"
    provider.registration = Registration(
      page: "https://huggingface.co/settings/applications/new", kind: "public OAuth app")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.scope = ["openid", "profile"]
    provider.sessionsPage = "https://huggingface.co/settings/connected-applications"
    return provider
  }()
}
