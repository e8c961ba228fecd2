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
    case .glewlwyd: glewlwyd
    case .gmail: gmail
    case .google: google
    case .huggingface: huggingface
    case .identityCenter: identityCenter
    case .keycloak: keycloak
    case .okta: okta
    case .outlook: outlook
    case .salesforce: salesforce
    case .shopify: shopify
    case .slack: slack
    case .twitch: twitch
    case .yahoo: yahoo
    case .zitadel: zitadel
    }
  }

  /// Creates a variant of a provider, with the same server.
  init(_ name: ProviderName, _ title: String, like other: Provider) {
    self.init(name, title)
    issuer = other.issuer
    issuerTemplates = other.issuerTemplates
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
