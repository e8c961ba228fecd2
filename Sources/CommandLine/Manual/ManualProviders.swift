internal import Vocabulary

/// The page agent-providers(7) and `agent help providers`, from the table of providers.
enum ManualProviders {
  static let topic = "providers"

  static var sections: [ManualSection] {
    [
      ManualSection("NAME", [.raw(".Nm agent-providers\n.Nd services that agent knows\n")]),
      ManualSection("DESCRIPTION", description.map { .text($0) }),
      ManualSection("PROVIDERS", Provider.all.flatMap { [.heading($0.name.rawValue)] + blocks($0) }),
      ManualSection("SEE ALSO", [.seeAlso([("agent", 1), ("agent-login", 1), ("agent-config", 5)])]),
    ]
  }

  static let description = [
    "A provider is a service whose particulars `agent` knows. `agent login NAME` signs in to it. An issuer or a host that"
      + " is the provider's own selects it too; `--provider NAME` does for a server of one's own, with `--issuer URL`.",
    "A service wants a client id of one's own, which is registered there once and named once: with `--client-id ID`, or"
      + " when `agent login` asks for it. An administrator can have client ids ready in"
      + " `/etc/agent/clients.json`, see agent-config(5).",
    "A particular of one server never counts for another. Each departure from the standards is named together with the"
      + " page that tells of it.",
  ]

  /// The facts about a provider, one paragraph each, in the notation of ``Prose``.
  static func facts(_ provider: Provider) -> [(String, String)] {
    if let obstacle = provider.obstacle { return [("Not possible", "\(obstacle).")] }
    var facts: [(String, String)] = []
    if let registration = provider.registration {
      var text = "\(registration.page), as \(registration.kind)"
      if let uri = provider.redirectURI { text += ", with the redirect URI `\(uri)`" }
      if let option = registration.option { text += " and \"\(option)\" switched on" }
      facts.append(("Register", "\(text)."))
    }
    let issuer = provider.issuer == nil ? " --issuer URL" : ""
    let redirect = provider.has(.ownRedirectURI) ? " --redirect-uri URI" : ""
    let secret = provider.has(.secretNeeded) ? " --client-secret-file FILE" : ""
    facts.append(
      ("Sign in", "`agent login \(provider.name.rawValue)\(issuer) --client-id ID\(redirect)\(secret)`"))
    if provider.issuer != nil, provider.hasOwnServers {
      facts.append(("A server of one's own", "`agent login \(provider.name.rawValue) --issuer URL --client-id ID`"))
    }
    if let issuer = provider.issuer { facts.append(("Issuer", "`\(issuer)`")) }
    if let example = provider.issuerExample { facts.append(("Issuer", "\(example).")) }
    if !provider.scope.isEmpty { facts.append(("Scope", "By default `\(provider.scope.joined(separator: " "))`.")) }
    if !provider.limits.isEmpty { facts.append(("Mind", provider.limits.map(sentence).joined(separator: " "))) }
    if let page = provider.sessionsPage { facts.append(("End sessions by hand", page)) }
    return facts
  }

  private static func sentence(_ text: String) -> String { "\(text.prefix(1).uppercased())\(text.dropFirst())." }

  private static func blocks(_ provider: Provider) -> [ManualBlock] {
    let facts = facts(provider).map { Manual.Item(term: $0.0, meaning: $0.1) }
    let quirks = Provider.Quirk.allCases.compactMap { quirk in
      provider.quirks[quirk].map { Manual.Item(term: quirk.rawValue, meaning: "\(meaning(quirk)): \($0)") }
    }
    return [.text("\(provider.title)."), .list(facts, macro: "Sy")]
      + (quirks.isEmpty ? [] : [.text("Departures from the standards:"), .list(quirks, macro: "Cm")])
  }

  private static func meaning(_ quirk: Provider.Quirk) -> String {
    switch quirk {
    case .noMetadata: "It publishes no metadata"
    case .scopeWithCommas: "The scope in its answers has commas"
    case .scopeInArray: "The scope in its answers is an array"
    case .scopesInDeviceGrant: "The device grant has the scope as `scopes`"
    case .errorInMessage: "An error is in `message`"
    case .userTokenType: "A Bearer token has the type `user`"
    case .issuerWithoutScheme: "An ID Token may name the issuer without `https://`"
    case .tenantIssuer: "One issuer stands for many tenants"
    case .unannouncedDeviceEndpoint: "The device authorization endpoint is not in its metadata"
    case .slashInIssuer: "Its metadata may name the issuer with a slash at its end, or without"
    case .secretNeeded: "It gives no token without the client secret"
    case .ownRedirectURI: "It takes no redirect URI but one that was registered with its port"
    case .secretForCode: "A sign-in by browser needs the client secret, and one by device does not"
    case .publicSecret: "The client secret of an installed program is not confidential"
    case .separateGrants: "The revocation of a refresh token ends no other session of the user"
    }
  }
}
