internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

/// Determines whether a URL is an issuer, or a resource whose metadata names its issuers (RFC 9728).
final class DiscoverRequests: DaemonPart {

  func discover(_ request: DiscoverRequest, _ ticket: Ticket) throws(Failure) {
    var request = request
    request.url = AccountConfiguration.issuer(pasted: request.url)
    let settings = try settings()
    if let answer = try Self.localAnswer(to: request, settings) { return loop.send(.result(answer), to: ticket) }
    let known = Self.account(of: request, settings)
    var configuration = known?.configuration ?? AccountConfiguration(issuer: request.url, clientID: "")
    try configuration.change(to: request.settings)
    let proxyCredentials = try configuration.replaceProxyUnlessNamed(from: request.settings)
    let cancellation = context.cancellation(of: ticket)
    jobs.runWaiting(as: WaitShare(ticket), cancellation) { [services, configuration, request] () throws(SessionError) in
      let secret = try proxyCredentials.map { (text) throws(SessionError) in try ClientSecret.secureCopy(of: text) }
      let finding = try services.classify(
        request.url, configuration, proxyCredentials: secret, cancellation: cancellation)
      return (finding, try Self.serversWithClient(finding, services.settingsDirectory))
    } then: { [self] outcome in
      switch outcome {
      case .failure(.oauth(let error)) where error.code == .invalidURL:
        loop.send(.failure(Failure(invalidURL: request.url)), to: ticket)
      case .failure(.oauth(let error)) where [.insecureURL, .invalidIssuer].contains(error.code):
        var failure = Failure(.oauth(error), account: request.account)
        failure.code = .invalidRequest
        loop.send(.failure(failure), to: ticket)
      case .success((.resource(let resource), let servers)) where known?.configuration.isNamed(by: resource) != true:
        loop.send(.result(Self.answer(resource, servers, request, settings, known)), to: ticket)
      case .success where known == nil:
        loop.send(.result(JSONObject([("issuer_metadata_found", true)])), to: ticket)
      case .failure(let error) where known == nil:
        var failure = Failure(error, account: request.account)
        if case .oauth(let problem) = error, problem.subject == .resourceWithoutKnownServer {
          failure.advice = Self.adviceWithoutMetadata(request, settings)
        }
        loop.send(.failure(failure), to: ticket)
      case .success, .failure:
        loop.send(.result(JSONObject([("account", .string(known?.name.text ?? ""))])), to: ticket)
      }
    }
  }

  /// Nil if a server must be asked.
  private static func localAnswer(to request: DiscoverRequest, _ settings: Settings) throws(Failure) -> JSONObject? {
    func isSame(_ text: String) -> Bool { text.hasSameBytes(as: request.url) }
    let accounts: [(AccountName, AccountConfiguration)]
    if let text = request.account {
      let name = try AccountName(requested: text)
      guard let configuration = settings[name] else { return nil }
      if request.onlyForNewAccount { return JSONObject([("account", .string(name.text))]) }
      accounts = [(name, configuration)]
    } else {
      accounts = settings.accounts.map { ($0.name, $0.configuration) }
    }
    if accounts.contains(where: { isSame($0.1.issuer) }) { return JSONObject([("issuer_metadata_found", true)]) }
    if Self.account(of: request, settings) != nil { return nil }
    // Servers without sign-in are not contacted.
    let provider =
      Provider.of(baseURL: request.url) ?? Provider.of(issuer: request.url).flatMap { $0.obstacle == nil ? nil : $0 }
    return provider.map { JSONObject([("provider", .string($0.name.rawValue))]) }
  }

  /// The account that lists the requested resource.
  private static func account(
    of request: DiscoverRequest, _ settings: Settings
  ) -> (name: AccountName, configuration: AccountConfiguration)? {
    settings.accounts.map { ($0.name, $0.configuration) }.first { name, configuration in
      request.account.map { $0.hasSameBytes(as: name.text) } ?? true
        && configuration.resources.contains { $0.hasSameBytes(as: request.url) }
    }
  }

  /// Suggests the default endpoints of older MCP servers, which have no metadata.
  private static func adviceWithoutMetadata(_ request: DiscoverRequest, _ settings: Settings) -> Phrase? {
    guard let origin = (try? URI(request.url))?.origin, ShellWord.isHarmless(request.url),
      let name = request.account
        ?? LoginSettings.names(forHostOf: request.url).first(where: { settings[$0] == nil })?.text
    else { return nil }
    var words = [
      "agent", "account", "add", name, "--issuer", origin, "--authorization-endpoint", "\(origin)/authorize",
      "--token-endpoint", "\(origin)/token", "--registration-endpoint", "\(origin)/register", "--host", request.url,
    ]
    if request.settings.allowHTTPLoopback { words.append("--allow-http-loopback") }
    let command = words.map(ShellWord.quoted).joined(separator: " ")
    return Phrase("if it is an older MCP server: \(command) && agent login \(name) --register")
  }

  private static func serversWithClient(
    _ finding: URLKind, _ settingsDirectory: String
  ) throws(SessionError) -> [String] {
    guard case .resource(let resource) = finding else { return [] }
    var servers: [String] = []
    for issuer in resource.authorizationServers.map(\.text) {
      var configuration = AccountConfiguration(issuer: issuer, clientID: "")
      configuration.adoptProvider()
      if try ClientsFile.complete(&configuration, in: settingsDirectory) != nil { servers.append(issuer) }
    }
    return servers
  }

  private static func answer(
    _ resource: ProtectedResource, _ serversWithClient: [String], _ request: DiscoverRequest, _ settings: Settings,
    _ known: (name: AccountName, configuration: AccountConfiguration)?
  ) -> JSONObject {
    var answer = JSONObject([
      ("issuer_metadata_found", false), ("resource", .string(resource.identifier)),
      ("authorization_servers", .array(resource.authorizationServers.map { .string($0.text) })),
      ("scopes", .array(resource.scopes.map { .string($0) })),
    ])
    if !serversWithClient.isEmpty {
      answer["servers_with_client"] = .array(serversWithClient.map { .string($0) })
    }
    if resource.requiresBoundTokens { answer["dpop_bound_access_tokens_required"] = true }
    answer["dpop_signing_alg_values_supported"] = resource.proofAlgorithms.map { .array($0.map(JSON.string)) }
    answer["account_issuer"] = request.account.flatMap { try? AccountName($0) }
      .flatMap { settings[$0] }.map { .string($0.issuer) }
    let free = LoginSettings.names(forHostOf: resource.identifier).first { settings[$0] == nil }
    answer["name"] = (known?.name ?? free).map { .string($0.text) }
    return answer
  }
}
