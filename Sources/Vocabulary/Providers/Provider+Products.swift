// Products with a host name for each customer.
extension Provider {
  static let okta: Provider = {
    var provider = Provider(.okta, "Okta")
    provider.issuerExample = "https://NAME.okta.com"
    provider.hasOwnServers = true
    provider.issuerTemplates = [
      "https://{name}.okta.com", "https://{name}.okta.com/oauth2/{id}", "https://{name}.oktapreview.com",
      "https://{name}.oktapreview.com/oauth2/{id}",
    ]
    provider.scope = ["openid", "profile", "offline_access"]
    provider.registration = Registration(
      page: "the Admin Console, Applications", kind: "OIDC app of the type Native Application with refresh tokens",
      option: "Device Authorization")
    provider.redirectURI = "http://localhost:47600/callback"
    provider.sessionsPage = "the Admin Console, Directory, the person, \"Clear User Sessions\" with OAuth tokens"
    provider.quirks = [.separateGrants: "https://developer.okta.com/docs/guides/revoke-tokens/main/"]
    provider.advice = [
      Advice(error: "unauthorized_client", text: "allow the grant type in the app's general settings at Okta"),
      Advice(
        error: "invalid_scope",
        text: "offline_access must be allowed for the app and by the authorization server"),
    ]
    return provider
  }()

  static let auth0: Provider = {
    var provider = Provider(.auth0, "Auth0")
    provider.issuerExample = "https://NAME.auth0.com/ with the slash at its end"
    provider.hasOwnServers = true
    provider.issuerTemplates = ["https://{name}.auth0.com/", "https://{name}.{region}.auth0.com/"]
    provider.scope = ["openid", "profile", "offline_access"]
    provider.registration = Registration(
      page: "https://manage.auth0.com/", kind: "application of the type Native", option: "Device Code")
    provider.redirectURI = "http://127.0.0.1:47600/callback"
    provider.sessionsPage = "https://manage.auth0.com/"
    provider.limits = [
      "without --audience NAME the access token is valid only for UserInfo",
      "a sign-out ends the sessions of this application on all machines",
    ]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "the application must be of type native, with the device code grant in its advanced settings"),
      Advice(
        error: "invalid_grant", text: "the session has ended, or its refresh token was used twice; sign in again"),
    ]
    return provider
  }()

  static let keycloak: Provider = {
    var provider = Provider(.keycloak, "Keycloak")
    provider.issuerExample = "https://HOST/realms/REALM"
    provider.hasOwnServers = true
    provider.registration = Registration(
      page: "the Admin Console, Clients, Create client", kind: "client without client authentication",
      option: "OAuth 2.0 Device Authorization Grant")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.sessionsPage = "the Account Console, Applications"
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "enable \"OAuth 2.0 Device Authorization Grant\" for the client, or sign in with --browser"),
      Advice(
        error: "invalid_scope", text: "offline_access requires the role of that name and the client's optional scope"),
    ]
    return provider
  }()

  static let authentik: Provider = {
    var provider = Provider(.authentik, "authentik")
    provider.issuerExample = "https://HOST/application/o/SLUG/ with the slash at its end"
    provider.hasOwnServers = true
    provider.registration = Registration(
      page: "the Admin interface, Applications, Providers", kind: "OAuth2/OpenID provider of the client type Public")
    provider.redirectURI = "http://127.0.0.1:47600/callback"
    provider.sessionsPage = "the Admin interface, Directory, Users, the person, \"Refresh Tokens\""
    provider.scope = ["openid", "profile", "offline_access"]
    provider.advice = [
      Advice(error: "invalid_scope", text: "offline_access must be among the scopes selected in authentik")
    ]
    return provider
  }()

  static let zitadel: Provider = {
    var provider = Provider(.zitadel, "Zitadel")
    provider.issuerExample = "https://NAME.zitadel.cloud"
    provider.hasOwnServers = true
    provider.registration = Registration(
      page: "the Management Console, Projects, the project, Applications", kind: "application of the type Native",
      option: "Device Code")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.sessionsPage = "the Management Console, Users, the person, \"Sessions\""
    provider.issuerTemplates = ["https://{name}.zitadel.cloud", "https://{name}.{region}.zitadel.cloud"]
    provider.scope = ["openid", "profile", "offline_access"]
    provider.limits = ["its ID Tokens are for the project too: the error names the --trust-audience that it needs"]
    provider.advice = [
      Advice(
        error: "unauthorized_client",
        text: "allow the device code grant and refresh tokens in the application's"
          + " settings")
    ]
    return provider
  }()

  static let dex: Provider = {
    var provider = Provider(.dex, "Dex")
    provider.issuerExample = "https://HOST/dex"
    provider.hasOwnServers = true
    provider.registration = Registration(
      page: "the server's configuration, staticClients", kind: "client with public: true")
    provider.redirectURI = "http://localhost"
    provider.sessionsPage = "the server's gRPC API, RevokeRefresh"
    provider.scope = ["openid", "profile", "offline_access"]
    // dex sends `invalid_request` for these and `invalid_grant` for others:
    // https://github.com/dexidp/dex/blob/master/server/refreshhandlers.go
    provider.deadRefreshTokens = ["Refresh token"]
    return provider
  }()

  static let glewlwyd: Provider = {
    var provider = Provider(.glewlwyd, "Glewlwyd")
    provider.issuerExample = "https://HOST/api/oidc"
    provider.hasOwnServers = true
    provider.registration = Registration(
      page: "the administration page, Clients", kind: "client that is not confidential",
      option: "device authorization")
    provider.redirectURI = "http://127.0.0.1:47600/callback"
    provider.sessionsPage = "the profile page, Sessions"
    // Version 2.7.5 returns nothing; its documents do not mention it.
    provider.quirks = [.deadTokenWithoutError: "https://github.com/babelouest/glewlwyd/blob/master/docs/OIDC.md"]
    return provider
  }()

  static let cognito: Provider = {
    var provider = Provider(.cognito, "Amazon Cognito")
    provider.issuerExample = "https://cognito-idp.REGION.amazonaws.com/POOL"
    provider.issuerTemplates = ["https://cognito-idp.{region}.amazonaws.com/{pool}"]
    provider.registration = Registration(
      page: "https://console.aws.amazon.com/cognito/v2/idp/user-pools",
      kind: "app client of the user pool, without a client secret")
    provider.sessionsPage = "https://console.aws.amazon.com/cognito/v2/idp/user-pools"
    provider.scope = ["openid"]
    provider.quirks = [
      .ownRedirectURI:
        "https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-app-integration.html"
    ]
    provider.limits = [
      "it has no device grant, and needs a redirect URI with its port: --redirect-uri http://localhost:PORT/"
    ]
    provider.advice = [
      Advice(
        error: "redirect_mismatch",
        text: "register a redirect URI with its port at Cognito, and use it here: --redirect-uri http://localhost:PORT/"
      )
    ]
    return provider
  }()
}
