/// The names of the known services in settings and on the command line.
package enum KnownServiceName: String, Sendable, CaseIterable {
  case apple, auth0, authentik, cognito, dex, entra, github, gitlab, google, keycloak, okta, slack, zitadel
}
