internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

extension Failure {
  /// Cannot listen for the redirect. `port` is nil unless the error concerns one.
  init(port: Int?, _ problem: SystemError, _ login: SignInCommand) {
    guard let port, problem.isAddressInUse else {
      self.init(
        .redirectUnavailable, "cannot receive the sign-in's answer: \(Phrase(stringLiteral: problem.message))",
        hint: login.withPaste)
      return
    }
    self.init(
      .redirectUnavailable,
      "cannot receive the sign-in's answer: another program is listening on port \(port)",
      hint: "stop that program, or sign in without a listener: \(login.withPaste)")
  }

  /// Another program or sign-in uses the port.
  init(port: Int, _ holder: PortListener, _ login: SignInCommand) {
    let program = holder.program.map { TerminalText.clean($0, limit: 64) }
    let whose =
      switch (program, holder.process) {
      case (let program?, let process?): Phrase("\(program), process \(process)")
      case (_, let process?): Phrase("process \(process)")
      default: Phrase("a program of user \(holder.userName ?? String(holder.user))")
      }
    guard !holder.isThisProgram else {
      self.init(
        .redirectUnavailable,
        "cannot receive the sign-in's answer: port \(port) is in use by another sign-in, of \(whose)",
        hint: "finish that sign-in first, or sign in without a listener: \(login.withPaste)")
      return
    }
    self.init(
      .redirectUnavailable,
      "cannot receive the sign-in's answer: port \(port) is in use by \(whose)",
      hint: "stop that program, or sign in without a listener: \(login.withPaste)")
  }

  init(_ missing: MissingClient, _ login: SignInCommand) {
    let server = TerminalText.clean(missing.server)
    let redirect = missing.redirectURI.map { TerminalText.clean($0, limit: 2048) }
    let fact = Phrase("\(server) requires your own client ID")
    let text =
      switch (missing.registration, missing.registration?.option, redirect) {
      case (let page?, let option?, let uri?):
        Phrase(
          "\(fact): register one at \(page.page) as \(page.kind), with the redirect URI \(uri) and \"\(option)\" enabled"
        )
      case (let page?, _, let uri?):
        Phrase("\(fact): register one at \(page.page) as \(page.kind), with the redirect URI \(uri)")
      case (let page?, _, nil): Phrase("\(fact): register one at \(page.page) as \(page.kind)")
      case (nil, _, let uri?): Phrase("\(fact): register a public client there, with the redirect URI \(uri)")
      case (nil, _, nil): fact
      }
    let hint: Phrase =
      if missing.canRegister, !login.namesSecret {
        Phrase("to have one registered: \(login.withRegistration)")
      } else if missing.canPublish, !login.namesSecret {
        Phrase("set it with \("--client-id"); to publish one at your own URL: agent help account client-metadata")
      } else {
        Phrase("set it with \("--client-id"), or run on a terminal: \(login.withPrompts)")
      }
    self.init(.clientNeeded, text, hint: hint)
  }

  init(_ missing: MissingSecret, _ login: SignInCommand) {
    let fact =
      missing.isForBrowser
      ? Phrase("signing in to \(missing.provider) with a browser requires the client secret")
      : Phrase("\(missing.provider) issues tokens only with the client secret")
    self.init(
      .clientNeeded, missing.page.map { Phrase("\(fact), which is shown at \($0)") } ?? fact,
      hint: Phrase("\(login.withSecretPrompt); or set its file with \("--client-secret-file")"))
    needsClientSecret = true
  }

  /// Explains why a URL cannot be a client ID (draft-ietf-oauth-client-id-metadata-document-03).
  init(_ problem: ClientURLProblem, _ login: SignInCommand) {
    switch problem {
    case .malformed:
      self.init(
        .invalidRequest,
        "client metadata must be at an https URL with a path, without dot segments, fragment or default port, and with a lowercase scheme and host",
        hint: "agent help account client-metadata")
    case .secret:
      self.init(
        .invalidRequest,
        "a client ID that is a metadata URL cannot have a secret",
        hint: "omit the secret, or use a client key with \("--client-key-file")")
    case .certificate:
      self.init(
        .invalidRequest, "a client identified by published metadata cannot use a certificate",
        hint: "omit the certificate: the key alone identifies the client")
    case .unannounced(let canRegister):
      let registered = Phrase(
        "use a client registered there with \("--client-id"); if it is this URL, set its redirect URI with \("--redirect-uri")"
      )
      self.init(
        .invalidConfiguration,
        "the server does not accept a metadata URL as a client ID (client_id_metadata_document_supported)",
        hint: canRegister
          ? Phrase("\(registered); or have one registered: \(login.withRegistration)") : registered)
    }
  }

  init(_ problem: AssertionProblem, of source: AssertionSource) {
    let assertion = source.phrase
    switch problem {
    case .malformed: self.init(.assertionRejected, "\(assertion) is not a signed JWT in compact form")
    case .tooLong:
      self.init(.assertionRejected, "\(assertion) is longer than \(BearerAssertion.maximumBytes) bytes")
    case .claim(let name):
      self.init(
        .assertionRejected, "\(assertion) has no usable claim \(name)",
        hint: "RFC 7523, section 3, requires the claims iss, sub, aud and exp")
    case .expired(let seconds):
      self.init(
        .assertionNeeded, "\(assertion) expired \(ReadableTime.short(seconds)) ago (exp)", hint: source.replacementHint)
    case .notYetValid(let seconds):
      self.init(
        .assertionNeeded, "\(assertion) becomes valid in \(ReadableTime.short(seconds)) (nbf)",
        hint: "check this machine's clock")
    case .wrongAudience(let expected):
      self.init(
        .assertionRejected, "\(assertion) is not for \(TerminalText.clean(expected, limit: 2048)) (aud)",
        hint:
          "request one for it from the platform; if the server accepts another audience, use \("--assertion-audience")"
      )
    case .wrongClient(let expected):
      self.init(
        .assertionRejected, "\(assertion) is not for the client \(TerminalText.clean(expected)) (client_id)",
        hint: "the server that issued it must know this client by that name")
    case .refused(let status):
      self.init(
        .assertionNeeded, "received no assertion from GitHub Actions (HTTP status \(status))",
        hint: "the job needs the permission id-token: write, and can request assertions while it runs")
    }
  }

  /// The variables with the assertion are not set.
  init(variablesOf source: AssertionSource, _ account: String) {
    let names = Phrase.all(source.variables.map { TerminalText.clean($0) })
    if case .workflow = source {
      self.init(
        .assertionNeeded, "\(account) signs in with an assertion of GitHub Actions, but \(names) are not set",
        hint: "give the job the permission id-token: write, and run the command in one of its steps")
    } else {
      self.init(
        .assertionNeeded, "\(account) signs in with the assertion in the variable \(names), which is not set",
        hint:
          "run the command in the job and set the variable under id_tokens: there, or another one with \("--assertion-variable")"
      )
    }
    variables = source.variables
  }

  /// No valid ID Token of `account` can serve as an assertion.
  init(idTokenOf account: String, isExpired: Bool) {
    self = isExpired ? .expiringIDToken(of: account) : .missingIDToken(of: account)
    code = .assertionNeeded
  }
}

extension AssertionSource {
  /// As in "the assertion in the file".
  fileprivate var phrase: Phrase {
    switch self {
    case .file(let path): Phrase("the assertion in \(TerminalText.clean(path, limit: 2048))")
    case .variable(let name): Phrase("the assertion in the variable \(TerminalText.clean(name))")
    case .workflow: Phrase("the assertion of GitHub Actions")
    case .account(let account): Phrase("the assertion for the user of \(account)")
    case .signInRequest: Phrase("the assertion passed to this command")
    }
  }

  fileprivate var replacementHint: Phrase {
    switch self {
    case .file: Phrase("let the platform write a new one there; some platforms replace the file automatically")
    case .variable: Phrase("it was created with the job, so only a new job has a new one")
    case .signInRequest: Phrase("pass a new one")
    case .workflow, .account: Phrase("check this machine's clock")
    }
  }
}
