package import Vocabulary

extension ProviderName {
  package static let apple = Self("apple"),
    atlassian = Self("atlassian"),
    auth0 = Self("auth0"),
    bitbucket = Self("bitbucket"),
    codeberg = Self("codeberg"),
    cognito = Self("cognito"),
    dex = Self("dex"),
    entra = Self("entra"),
    forgejo = Self("forgejo"),
    github = Self("github"),
    gitlab = Self("gitlab"),
    glewlwyd = Self("glewlwyd"),
    gmail = Self("gmail"),
    google = Self("google"),
    identityCenter = Self("identity-center"),
    keycloak = Self("keycloak"),
    okta = Self("okta"),
    outlook = Self("outlook"),
    salesforce = Self("salesforce"),
    shopify = Self("shopify"),
    slack = Self("slack"),
    twitch = Self("twitch")

  private init(_ name: StaticString) { self.init(rawValue: "\(name)")! }
}
