internal import Encoding
internal import Platform
internal import Wire

enum TokenCommand {
  static let token = Command(
    .token, topic: .tokens,
    summary: "Print a valid access token",
    options: [Option.minValid.declaration] + Options.tokenTarget + [
      Option.wait.declaration, Option.forceRefresh.declaration, Option.header.declaration, Option.idToken.declaration,
      Option.ask.declaration,
    ],
    shortHelp: ["ask", "min-valid", "force-refresh", "header", "id-token", "scope", "resource", "audience"],
    operands: .account,
    examples: [
      Example(
        "Call an API without the token on the command line, where other users could see it",
        "agent token --header | curl -H @- https://api.example.com/me"),
      Example("Stop a script if not signed in", "token=$(agent token) || exit"),
      Example("Get a token valid for at least 10 minutes", "agent token work --min-valid 10m"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let wantsIDToken = invocation[.idToken]
    var request = TokenRequest(
      account: try invocation.account(), minimumValiditySeconds: invocation[.minValid],
      forceRefresh: invocation[.forceRefresh], extras: TokenRequest.Extras(wantsIDToken: wantsIDToken))
    request.waitSeconds = invocation[.wait]
    request.target = try TokenRequest.Target(invocation)
    let asked = Request.token(request)
    let form = try form(invocation)
    let client = DaemonClient(invocation)
    return try SignInOffer.action(invocation, client) { [request] () throws(Failure) in
      try client.askForToken(asked) { (answer, line) throws(Failure) in
        try SecretText.with(capacity: line.count + 64) { (text) throws(Failure) in
          try append(wantsIDToken ? .idToken : .accessToken, of: answer, from: line, as: form, to: &text)
          try Console.answer(text.bytes.span)
        }
        request.note(answer.description, client.console)
        if Terminal.isTerminal(1), Terminal.isTerminal(2) {
          client.console.note("the token stays on the screen; better use a pipe: agent token --header | curl -H @- URL")
        }
        if form == .header, !wantsIDToken, answer.description.tokenType.lowercased() == "dpop" {
          client.console.note("each request with this token also needs a proof: agent proof, or agent request")
        }
      }
      return 0
    }
  }

  enum Form { case bare, header, json }

  private static func form(_ invocation: Invocation) throws(Failure) -> Form {
    switch (invocation[.header], invocation[.json]) {
    case (true, true): throw invocation.conflict(Option.header.declaration, Option.json.declaration)
    case (true, false): return .header
    case (false, true): return .json
    case (false, false): return .bare
    }
  }

  /// Writes a token and a newline. JSON contains the access token, and the ID Token if requested. Throws
  /// `missing_value` without an ID Token, `interaction_required` if it has expired.
  static func append(
    _ token: TokenField, of answer: TokenAnswer, from line: Span<UInt8>, as form: Form, to text: inout SecretText
  ) throws(Failure) {
    if form == .json { appendJSON(answer, from: line, to: &text) }
    if form != .json || token == .idToken {
      try token.withValue(in: answer, from: line) { (value) throws(Failure) in
        guard let value else {
          let account = answer.description.account
          throw answer.description.isIDTokenExpired ? .expiringIDToken(of: account) : .missingIDToken(of: account)
        }
        switch form {
        case .bare: text.append(contentsOf: value)
        case .header:
          let scheme = token == .idToken ? "Bearer" : try TokenText.scheme(of: answer)
          text.append(utf8: "Authorization: \(scheme) ")
          text.append(contentsOf: value)
        case .json: text.append(member: "id_token", bytes: value)
        }
      }
    }
    text.append(utf8: form == .json ? "}\n" : "\n")
  }

  /// Omits the closing brace.
  private static func appendJSON(_ answer: TokenAnswer, from line: Span<UInt8>, to text: inout SecretText) {
    let description = answer.description
    text.append(utf8: "{\"account\":")
    text.append(jsonString: description.account)
    text.append(member: "issuer", .string(description.issuer))
    SecretText.with(capacity: line.count) { token in
      answer.appendAccessToken(from: line, to: &token)
      text.append(member: "access_token", bytes: token.bytes.span)
    }
    text.append(member: "token_type", .string(description.tokenType))
    text.append(member: "scope", description.scope.map(JSON.string))
    text.append(member: "expires_at", description.expiresAt.map(JSON.int))
    text.append(member: "offline", description.isOffline ? true : nil)
  }
}

extension TokenRequest {
  init(_ invocation: Invocation, _ variables: TokenVariables) throws(Failure) {
    self.init(
      account: try invocation.account(), minimumValiditySeconds: invocation[.minValid], extras: variables.extras)
    waitSeconds = invocation[.wait]
  }

  /// Warns if the requested lifetime is not guaranteed or the ID Token was omitted.
  func note(_ answer: TokenDescription, _ console: Console) {
    if answer.isIDTokenExpired { console.note(Failure.expiringIDTokenText(of: answer.account)) }
    guard minimumValiditySeconds ?? 0 > 0, answer.expiresAt == nil else { return }
    console.note(Phrase("the server does not report how long tokens of \(answer.account) are valid"))
  }
}

extension TokenRequest.Target {
  /// The requested token according to the options; empty for the account's own token.
  init(_ invocation: Invocation) throws(Failure) {
    self.init(
      scope: invocation[.scope], resources: invocation[.resource], audience: invocation[.audience],
      authorizationDetails: try invocation[.authorizationDetails].map { (text) throws(Failure) in
        try SettingsOptions.json(text, within: invocation[.timeout])
      },
      usesTokenExchange: invocation[.exchange])
  }
}
