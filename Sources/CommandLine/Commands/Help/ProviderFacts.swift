internal import Vocabulary

/// Describes known services, in ``Prose`` notation.
enum ProviderFacts {
  /// Titled facts about a service. `text` translates a phrase.
  static func facts(_ provider: Provider, _ text: (Phrase) -> String) -> [(String, String)] {
    func sentence(_ english: String) -> String {
      let text = text(Phrase(stringLiteral: english))
      return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }
    if let obstacle = provider.obstacle { return [(text(Phrase("Not possible")), sentence(obstacle))] }
    var facts: [(String, String)] = []
    if let registration = provider.registration {
      var phrase = Phrase("\(registration.page), as \(registration.kind)")
      if let uri = provider.redirectURI { phrase = Phrase("\(phrase), with the redirect URI `\(uri)`") }
      if let option = registration.option { phrase = Phrase("\(phrase) and \"\(option)\" switched on") }
      facts.append((text(Phrase("Register")), "\(text(phrase))."))
    }
    let issuer = provider.issuer == nil ? " --issuer URL" : ""
    let redirect = provider.has(.ownRedirectURI) ? " --redirect-uri URI" : ""
    let secret = provider.has(.secretNeeded) ? " --client-secret-file FILE" : ""
    let client = provider.clientID == nil ? " --client-id ID" : ""
    facts.append(
      (text(Phrase("Sign in")), "`agent login \(provider.name.rawValue)\(issuer)\(client)\(redirect)\(secret)`"))
    if provider.issuer != nil, provider.isSelfHostable {
      facts.append((text(Phrase("Self-hosted")), "`agent login \(provider.name.rawValue) --issuer URL --client-id ID`"))
    }
    if let issuer = provider.issuer { facts.append((text(Phrase("Issuer")), "`\(issuer)`")) }
    if let example = provider.issuerExample { facts.append((text(Phrase("Issuer")), "\(example).")) }
    let scope = provider.scope.joined(separator: " ")
    if !scope.isEmpty { facts.append((text(Phrase("Scope")), text(Phrase("By default `\(scope)`.")))) }
    let limits = provider.limits.map(sentence).joined(separator: " ")
    if !limits.isEmpty { facts.append((text(Phrase("Notes")), limits)) }
    if let page = provider.sessionsPage { facts.append((text(Phrase("Revoke access at")), page)) }
    return facts
  }

  /// Departures from the standards, with the pages that document them.
  static func quirks(_ provider: Provider) -> [(quirk: Provider.Quirk, url: String)] {
    Provider.Quirk.allCases.compactMap { quirk in provider.quirks[quirk].map { (quirk, $0) } }
  }

  static func meaning(_ quirk: Provider.Quirk) -> String {
    switch quirk {
    case .noMetadata: "It publishes no metadata"
    case .scopeWithCommas: "Responses separate scopes with commas"
    case .scopeInArray: "The scope in its answers is an array"
    case .scopesInDeviceGrant: "The device grant sends the scope as `scopes`"
    case .errorInMessage: "An error is in `message`"
    case .deadTokenWithoutError: "A refresh after the end of a session gets status 400 without an error"
    case .userTokenType: "A Bearer token has the type `user`"
    case .issuerWithoutScheme: "An ID Token may name the issuer without `https://`"
    case .tenantIssuer: "All tenants share one issuer"
    case .unannouncedDeviceEndpoint: "The device authorization endpoint is not in its metadata"
    case .slashInIssuer: "The issuer in its metadata may have an extra or missing trailing slash"
    case .secretNeeded: "Tokens require the client secret"
    case .ownRedirectURI: "It accepts only redirect URIs registered with their port"
    case .secretForCode: "Browser sign-ins need the client secret, device sign-ins do not"
    case .publicSecret: "The client secret of an installed program is not confidential"
    case .separateGrants: "Revoking a refresh token does not end the user's other sessions"
    }
  }
}
