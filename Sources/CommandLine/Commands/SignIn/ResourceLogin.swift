internal import Encoding
internal import Wire

/// A sign-in to a resource instead of an authorization server (RFC 9728). The user must trust the authorization server
/// before it is contacted (RFC 9728 section 7.6). Registers a client if none is known there (RFC 7591).
struct ResourceLogin {
  private let invocation: Invocation
  private let url: String
  /// Whether to use the metadata only for a new account.
  private let onlyForNewAccount: Bool

  /// Nil if no given URL could be a resource.
  init?(_ invocation: Invocation) throws(Failure) {
    // A known service or explicit endpoints need no metadata.
    let manual = [AccountSetting.table.provider, AccountSetting.table.tokenEndpoint]
    guard !manual.contains(where: { invocation.has($0.declaration) }) else { return nil }
    self.invocation = invocation
    if let operand = LoginOptions.urlOperand(invocation) {
      url = operand
      onlyForNewAccount = false
      // The issuer may be given twice.
      guard invocation[.issuer].map({ !$0.hasSameBytes(as: operand) }) ?? true else { return nil }
    } else {
      let resources = invocation[.resource]
      let namesIssuer = invocation[.issuer] != nil
      // With both, the resource determines the scopes of the registered client.
      guard resources.count == 1, !namesIssuer || invocation[.register], try invocation.account() != nil else {
        return nil
      }
      url = resources[0]
      onlyForNewAccount = true
    }
  }

  /// Adds the resource's metadata and the server that the user chose.
  func complete(_ request: inout LoginRequest, _ client: DaemonClient) throws(Failure) {
    var question = DiscoverRequest(url: url)
    question.account = request.account
    question.onlyForNewAccount = onlyForNewAccount
    question.settings = request.settings
    let answer: JSONObject
    do throws(Failure) { answer = try client.ask(.discover(question)) } catch {
      guard onlyForNewAccount, invocation[.issuer] != nil else { throw error }
      return client.console.note("\(url) publishes no metadata: \(error.text)")
    }
    if let account = answer["account"]?.string {
      request.account = account
      request.issuer = invocation[.issuer]
    } else if let provider = answer["provider"]?.string {
      request.provider = ProviderName(rawValue: provider)
      request.account = request.account ?? provider
      request.issuer = invocation[.issuer]
    } else if answer["issuer_metadata_found"]?.bool == true {
      guard let other = invocation[.issuer] else { return }
      throw Failure(.invalidRequest, "two issuers given: \"\(url)\" and \"\(other)\"")
    } else {
      try applyMetadata(answer, &request)
    }
  }

  private func applyMetadata(_ answer: JSONObject, _ request: inout LoginRequest) throws(Failure) {
    let servers = (answer["authorization_servers"]?.array ?? []).compactMap(\.string)
    guard let resource = answer["resource"]?.string, matchesURL(resource), !servers.isEmpty else {
      throw Failure(.internalError, "cannot read the daemon's answer about the resource")
    }
    let known = answer["account_issuer"]?.string
    let ready = (answer["servers_with_client"]?.array ?? []).compactMap(\.string)
    let (issuer, registers) = try chooseIssuer(among: servers) {
      Self.needsClient(request, at: $0, known: [known].compactMap { $0 } + ready)
    }
    // Keep the spelling of the server's metadata.
    request.issuer = known.flatMap { Self.isSameServer($0, issuer) ? $0 : nil } ?? issuer
    request.registersClient = registers
    request.account = request.account ?? answer["name"]?.string
    request.beganAtResource = true
    if !request.resources.contains(resource) { request.resources.append(resource) }
    if request.scope.isEmpty {
      request.scope = (answer["scopes"]?.array ?? []).compactMap(\.string)
      request.requestsOfflineAccess = true
    }
    if answer["dpop_bound_access_tokens_required"]?.bool == true { request.usesDPoP = true }
    request.proofAlgorithms = (answer["dpop_signing_alg_values_supported"]?.array ?? []).compactMap(\.string)
  }

  private func matchesURL(_ resource: String) -> Bool {
    if resource.hasSameBytes(as: url) { return true }
    guard let origin = (try? URI(url))?.origin else { return false }
    return [origin, origin + "/"].contains { $0.hasSameBytes(as: resource) }
  }

  /// Whether a sign-in at `server` must register a client. At the `known` servers, one exists.
  private static func needsClient(_ request: LoginRequest, at server: String, known: [String]) -> Bool {
    if request.registersClient { return true }
    // A secret implies a client whose ID is missing.
    guard request.clientID == nil, !request.passedSecrets.contains(.clientSecret) else { return false }
    return !known.contains { isSameServer($0, server) }
  }

  /// Whether two issuers differ at most in a trailing slash, which resources may add.
  static func isSameServer(_ one: String, _ other: String) -> Bool {
    if one.hasSameBytes(as: other) { return true }
    guard let one = try? URI(one), let other = try? URI(other),
      [one, other].allSatisfy({ ["", "/"].contains($0.path) && $0.query == nil && $0.fragment == nil })
    else { return false }
    return one.text.utf8.dropLast(one.path.utf8.count).elementsEqual(other.text.utf8.dropLast(other.path.utf8.count))
  }

  /// The issuer as spelled in the trusted server's metadata, if the failure suggests it.
  static func issuerSpelling(in failure: Failure, at issuer: String?) -> String? {
    let named = failure.advice?.corrections.flatMap(\.added).first { $0.name == Option.issuer.name }?.value
    guard let named, let issuer, isSameServer(named, issuer), !named.hasSameBytes(as: issuer) else { return nil }
    return named
  }

  /// Asks which server to trust, unless an option names it. `registersAt` returns whether a server requires a new
  /// client.
  private func chooseIssuer(
    among servers: [String], registersAt: (String) -> Bool
  ) throws(Failure) -> (String, registers: Bool) {
    if let named = invocation[.issuer] {
      guard servers.contains(where: { Self.isSameServer($0, named) }) else {
        throw Failure(
          .accessDenied,
          "the resource does not accept tokens from \(named), only from \(TerminalText.clean(servers[0], limit: 300))")
      }
      return (named, registersAt(named))
    }
    guard !invocation[.noInput] else { throw confirmationFailure(servers[0], registers: registersAt(servers[0])) }
    for server in servers {
      let registers = registersAt(server)
      guard let isTrusted = try Confirmation.ask(Self.question(url, server, registers: registers)) else {
        throw confirmationFailure(server, registers: registers)
      }
      if isTrusted { return (server, registers) }
    }
    throw Failure(.accessDenied, "no authorization server of the resource was confirmed; nothing was sent there")
  }

  static func question(_ resource: String, _ issuer: String, registers: Bool) -> Phrase {
    let fact = Phrase("The resource \(resource) accepts tokens from\nthe authorization server \(issuer).")
    return registers
      ? Phrase("\(fact)\nRegister a client there, sign in, and send its tokens to the resource?")
      : Phrase("\(fact)\nSign in there, and send its tokens to the resource?")
  }

  /// The failure if the user must confirm the server. Its hint is the complete command.
  private func confirmationFailure(_ issuer: String, registers: Bool) -> Failure {
    let shown = TerminalText.clean(issuer, limit: 2048)
    let message = Phrase("the resource names the authorization server \(shown), which is not confirmed")
    guard ShellWord.isHarmless(issuer) else {
      return Failure(.issuerNotTrusted, message, hint: "if you trust it, use \("--issuer")")
    }
    // Pass an account given together with its resource as an option.
    let left: [OptionDeclaration] =
      onlyForNewAccount
      ? [Option.issuer.declaration, Option.resource.declaration, Option.account.declaration]
      : [Option.issuer.declaration]
    var command = HintCommand(invocation, operands: [url], without: left)
    if onlyForNewAccount, let name = try? invocation.account() { command.add(Option.account.declaration, name) }
    command.add(Option.issuer.declaration, issuer)
    return Failure(
      .issuerNotTrusted, message,
      hint: registers
        ? Phrase("if you trust it and want to register a client there: \(command.text)")
        : Phrase("if you trust it: \(command.text)"))
  }
}
