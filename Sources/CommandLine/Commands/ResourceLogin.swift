internal import Encoding
internal import Platform
internal import Wire

/// A sign-in that names a resource instead of an authorization server (RFC 9728).
///
/// `agentd` reads what the resource says of itself; the person decides whether the authorization server that it names
/// is to be trusted (RFC 9728 section 7.6), and only then is that one contacted at all.
struct ResourceLogin {
  private let invocation: Invocation
  private let url: String
  private let onlyForNewAccount: Bool

  /// Nil when the command line names no URL that could be a resource.
  init?(_ invocation: Invocation) throws(Failure) {
    // A service that is known, or endpoints that are named, need no metadata.
    guard !invocation.has(.provider), !invocation.has(.tokenEndpoint) else { return nil }
    self.invocation = invocation
    if let operand = LoginOptions.urlOperand(invocation) {
      url = operand
      onlyForNewAccount = false
      // An issuer that is named twice is one.
      guard invocation.text(.issuer).map({ !$0.utf8.elementsEqual(operand.utf8) }) ?? true else { return nil }
    } else {
      let resources = invocation.texts(.resource)
      guard resources.count == 1, !invocation.has(.issuer), try invocation.account() != nil else { return nil }
      url = resources[0]
      onlyForNewAccount = true
    }
  }

  /// Fills in what the resource and the person say.
  func complete(_ request: inout LoginRequest) throws(Failure) {
    var question = DiscoverRequest(url: url)
    question.account = request.account
    question.onlyForNewAccount = onlyForNewAccount
    question.settings = request.settings
    let answer = try DaemonClient(invocation).ask(.discover(question))
    if let account = answer["account"]?.string {
      request.account = account
      request.issuer = invocation.text(.issuer)
    } else if answer["issuer_metadata_found"]?.bool == true {
      guard let other = invocation.text(.issuer) else { return }
      throw Failure(.invalidRequest, "two issuers are named: \"\(url)\" and \"\(other)\"")
    } else {
      try take(answer, &request)
    }
  }

  private func take(_ answer: JSONObject, _ request: inout LoginRequest) throws(Failure) {
    let servers = (answer["authorization_servers"]?.array ?? []).compactMap(\.string)
    guard let resource = answer["resource"]?.string, resource.utf8.elementsEqual(url.utf8), !servers.isEmpty,
      let origin = try? URI(resource).origin
    else { throw Failure(.internalError, "the daemon's answer about the resource makes no sense") }
    request.issuer = try issuer(among: servers)
    request.account = request.account ?? answer["name"]?.string
    if !request.resources.contains(resource) { request.resources.append(resource) }
    if request.scope.isEmpty { request.scope = (answer["scopes"]?.array ?? []).compactMap(\.string) }
    if !request.origins.contains(origin) { request.origins.append(origin) }
  }

  // MARK: Trust

  private func issuer(among servers: [String]) throws(Failure) -> String {
    if let named = invocation.text(.issuer) {
      guard servers.contains(where: { $0.utf8.elementsEqual(named.utf8) }) else {
        throw Failure(
          .accessDenied, "the resource does not take tokens of \(named)",
          hint: "it names \(TerminalText.clean(servers[0], limit: 300))")
      }
      return named
    }
    guard !invocation.has(.noInput) else { throw untrusted(servers[0]) }
    for server in servers {
      guard let isTrusted = try Confirmation.ask(Self.question(url, server)) else { throw untrusted(server) }
      if isTrusted { return server }
    }
    throw Failure(.accessDenied, "no authorization server of the resource was confirmed; nothing was sent there")
  }

  static func question(_ resource: String, _ issuer: String) -> String {
    "The resource \(TerminalText.clean(resource, limit: 2048)) takes tokens of\nthe authorization server"
      + " \(TerminalText.clean(issuer, limit: 2048)).\nSign in there, and let its tokens go to the resource?"
  }

  /// Exit status 3: somebody must say that the server is to be trusted.
  private func untrusted(_ issuer: String) -> Failure {
    let issuer = TerminalText.clean(issuer, limit: 2048)
    var command = "agent login \(Self.isPlain(url) ? url : "URL")"
    if onlyForNewAccount, let name = invocation.operands.first, Self.isPlain(name) { command += " --account \(name)" }
    command += " --issuer \(Self.isPlain(issuer) ? issuer : "ISSUER")"
    return Failure(
      .issuerNotTrusted, "the resource names the authorization server \(issuer), which nobody has confirmed",
      hint: "if you trust it: \(command)")
  }

  /// Whether a text can stand in a command that a person may copy into a shell.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-._:/+@,=%".utf8.contains(byte)
      }
    }
  }
}
