extension Provider {
  package static let builtIn = [
    apple, atlassian, auth0, authentik, bitbucket, codeberg, cognito, dex, discord, dropbox, entra, forgejo, gitea,
    github, gitlab, glewlwyd, gmail, google, huggingface, identityCenter, keycloak, okta, outlook, salesforce,
    shopify, slack, twitch, yahoo, zitadel,
  ]

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
