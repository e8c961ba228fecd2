internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes a session error for users.
  ///
  /// - Parameters:
  ///   - account: The requested account.
  ///   - entered: The options of the failed sign-in.
  init(_ error: SessionError, account: String?, entered: [String] = []) {
    let login = SignInCommand(account, entered)
    switch error {
    case .noAccount(let asked, let known): self.init(noAccount: asked, among: known)
    case .signedOut(let account):
      self.init(.signedOut, "\(account) is signed out", hint: .command("agent login \(account)"))
    case .expired(let account, let reason):
      let text = Phrase("\(account): session expired, please sign in again")
      self.init(
        .sessionExpired, reason.map { Phrase("\(text) (server: \($0))") } ?? text,
        hint: .command("agent login \(account)"))
    case .notKept(let account):
      self.init(
        .signedOut, "the access token of \(account) was not stored and is lost; \("--keep") stores the next one",
        hint: .command("agent login \(account)"))
    case .configurationChanged(let account, _, let file?): self.init(changedAuthorities: file, of: account)
    case .configurationChanged(let account, let setting, nil): self.init(changed: setting, of: account)
    case .endpointMoved(let account, let origin): self.init(movedTo: origin, of: account)
    case .identityChanged(let account, let claim): self.init(identityChanged: claim, of: account)
    case .resourceMoved(let account, let resource, let issuer):
      let option = resource.utf8.starts(with: "http:".utf8) ? " --allow-http-loopback" : ""
      self.init(
        .issuerNotTrusted,
        "\(resource) now takes tokens of \(TerminalText.clean(issuer, limit: 2048)), which is not the server of \(account)",
        hint: .command("agent login \(ShellWord.quoted(resource))\(option)"))
    case .identityUnverified(let account):
      self.init(
        .identityChanged, "\(account): the user is not verified, because the ID Token could not be verified",
        hint: .command("agent login \(account)"))
    case .signInKept(_, because: let error): self.init(error, account: account)
    case .grantNotKept(because: let error, let isRevoked):
      self.init(error, account: account, entered: entered)
      text =
        isRevoked
        ? Phrase("\(text); the new session was revoked at the server")
        : Phrase("\(text); the new session still exists at the server")
    case .identityUnknown(let account): self.init(unknownUserOf: account)
    case .lifetimeTooShort(let account, let lifetime):
      self.init(
        .lifetimeTooShort, "tokens for \(account) are valid for at most \(PlainTime.short(lifetime))",
        hint: "use a shorter --min-valid")
    case .originNotListed(let account, let origin, let url): self.init(notListed: origin, account, url)
    case .originUnconfirmed(let account, let origin):
      self.init(unconfirmed: origin, account: account)
    case .originOfOtherUser(let account, let origin, let user):
      self.init(
        .originNotAllowed,
        "\(account) may send its token to \(origin) only with the user name \(TerminalText.clean(user, limit: 64))",
        hint: ShellWord.isHarmless(user) ? Phrase("use \("--user=" + ShellWord.quoted(user))") : nil)
    case .severalAccounts(let names, let origin): self.init(several: names, for: origin)
    case .noPlace: self.init(.originNotAllowed, "a token is sent only to https URLs and to mail servers over TLS")
    case .content: self.init(.storage, "cannot read all of the data to send")
    case .contentLate(let seconds): self.init(.timeout, "no data to send arrived for \(seconds) s")
    case .noOtherTokens(let account): self.init(noOtherTokensOf: account)
    case .redirectUnavailable(let port, let problem): self.init(port: port, problem, login)
    case .redirectPortTaken(let port, let holder): self.init(port: port, holder, login)
    case .redirectElsewhere: self.init(redirectElsewhere: login)
    case .redirectNotNamed(let provider): self.init(redirectOf: provider, login)
    case .clientNotNamed(let missing): self.init(missing, login)
    case .clientSecretNotNamed(let missing): self.init(missing, login)
    case .clientURL(let problem): self.init(problem, login)
    case .demandsNeedBrowser: self.init(demandsOf: login)
    case .guestNeedsProof: self.init(unprovenGuest: login)
    case .guestOverUser(let account): self.init(guestOverUserOf: account)
    case .assertion(let problem, let source): self.init(problem, of: source)
    case .assertionVariables(let account, let source): self.init(variablesOf: source, account)
    case .assertionSource(.account(let other), because: let error): self.init(error, account: other)
    case .assertionSource(_, because: let error): self.init(error, account: account)
    case .assertionOfAccount(let account): self.init(idTokenOf: account, isExpired: false)
    case .idTokenNeeded(let account, let isExpired): self.init(idTokenOf: account, isExpired: isExpired)
    case .assertionUnreadable(let problem):
      self.init(
        .assertionNeeded, "cannot read the assertion: \(Phrase(problem))",
        hint: problem.remedy.map { Phrase(verbatim: $0) })
    case .assertionNotNamed(let account):
      self.init(
        .assertionNeeded,
        "\(account) needs an assertion to renew, but its settings contain none, and an assertion passed once cannot be used again",
        hint: Phrase(
          "sign in with a new one, using \("--assertion-fd") or \("--assertion-file"), or in another way: agent login \(account)"
        ).running("agent login \(account)"))
    case .clientSecretExpired(let account): self.init(expiredSecretOf: account)
    case .cancelled: self.init(.cancelled, "cancelled")
    case .tokenReturned(let origin):
      self.init(.tokenReturned, "\(origin) sent the access token back, so its answer was cut off")
    case .stopping(let isForGood): self = isForGood ? .stopped : .stopping
    case .tooBusy(let count):
      self.init(
        .tooBusy, "too many requests (\(count)) are already waiting for servers", hint: "try again when some have ended"
      )
    case .memory:
      self.init(
        .internalError, "out of memory for secrets", hint: "agent daemon restart")
    case .oauth(let error): self.init(error, login)
    case .idToken(let error): self.init(OAuthError(error), login)
    case .vault(let error): self.init(error, account: account)
    case .configuration(let error): self.init(error)
    }
  }
}

// MARK: - The account and its session

extension Failure {
  private init(noAccount name: String?, among known: [String]) {
    guard let name else {
      self.init(.noAccount, "no accounts yet", hint: .command("agent login"))
      return
    }
    let meant = Suggestion.candidates(for: name, among: known).map { "\"\($0)\"" }
    let addition =
      (try? AccountName(name)).map { Phrase("to add it: agent login \($0.text)").running("agent login \($0.text)") }
      ?? "agent help login"
    let hint =
      !meant.isEmpty
      ? Phrase("did you mean \(Phrase.choices(meant))? All accounts: agent list")
      : known.isEmpty ? addition : Phrase("agent list; \(addition)")
    self = .noAccount(named: name, hint: hint)
  }

  private init(changed setting: String, of account: String) {
    self.init(
      .configurationChanged,
      "the setting \(setting) of \(account) was changed after the sign-in; nothing was sent",
      hint: Phrase("restore it, or sign in again: agent login \(account)").running("agent login \(account)"))
  }

  private init(changedAuthorities file: String, of account: String) {
    let command = "agent account set \(account) --ca-file \(ShellWord.quoted(file))"
    self.init(
      .configurationChanged,
      "the certificates in \(TerminalText.clean(file)) have changed since the sign-in to \(account); nothing was sent",
      hint: ShellWord.isHarmless(file)
        ? Phrase("if that is right: \(command)").running(command)
        : Phrase("restore it, or sign in again: agent login \(account)").running("agent login \(account)"))
  }

  private init(movedTo origin: String, of account: String) {
    self.init(
      .endpointMoved,
      "the server of \(account) now has an endpoint at \(TerminalText.clean(origin)); nothing was sent there",
      hint: Phrase("if that is right, sign in again: agent login \(account)").running("agent login \(account)"))
  }

  /// Describes a changed claim of the ID Token (OpenID Connect Core, section 12.2).
  private init(identityChanged claim: String?, of account: String) {
    let message =
      switch claim {
      case "sub", "iss":
        Phrase("the server answered for a different user than the one signed in to \(account)")
      case "aud", "azp":
        Phrase("the server answered for a different client than the one signed in to \(account)")
      case "nonce":
        Phrase("the server answered for a different sign-in to \(account)")
      default:
        Phrase(
          "the server answered for a different user or client than the one signed in to \(account)")
      }
    let hint =
      claim == "nonce"
      ? Phrase("if that is right: agent logout \(account), then agent login \(account)")
      : Phrase("to change the user: agent logout \(account), then agent login \(account)")
    self.init(.identityChanged, message, hint: hint)
  }

  private init(unknownUserOf account: String) {
    self.init(
      .identityChanged,
      "the server did not identify the user, who may not be the one signed in to \(account)",
      hint: "if that is right: agent logout \(account), then agent login \(account)")
  }

  private init(noOtherTokensOf account: String) {
    self.init(
      .serverRejected,
      "\(account) has no refresh token, so it cannot get other tokens",
      hint: "to get a refresh token, usually request the scope offline_access at sign-in")
  }
}

// MARK: - Permitted destinations of tokens

extension Failure {
  /// - Parameter url: The requested URL if the request names no account. A program may run the hint, so the hint never
  ///   lets an existing account send its token there.
  private init(notListed origin: String, _ account: String?, _ url: String?) {
    guard let account else {
      self.init(
        .originNotAllowed, "no account may send its token to \(origin)",
        hint: Self.signingIn(at: url ?? origin))
      return
    }
    self.init(
      .originNotAllowed, "\(account) may not send its token to \(origin)",
      hint: Self.listing(origin, account).map { Phrase("to allow it: \($0)") })
  }

  /// The command that signs in at a URL. For a server without sign-in, such as a mail server: the help on adding its
  /// origin to an account.
  private static func signingIn(at url: String) -> String {
    guard let uri = try? URI(url), uri.isHTTPS || uri.isHTTPLoopback, ShellWord.isHarmless(url) else {
      return "agent help account set"
    }
    return "agent login \(ShellWord.quoted(url))\(uri.isHTTPS ? "" : " --allow-http-loopback")"
  }

  private init(unconfirmed origin: String, account: String) {
    self.init(
      .originNotAllowed,
      "\(account) may not send its token to \(origin): the settings file lists it, but it was never confirmed",
      hint: Self.listing(origin, account).map { Phrase("if that is right: \($0)") })
  }

  private init(several names: [String], for origin: String) {
    self.init(
      .invalidRequest,
      "several accounts may send their tokens to \(origin): \(names.joined(separator: ", "))",
      hint: Phrase("choose one: \(Phrase.choices(Array(names.prefix(3)), of: "account"))"))
  }

  /// The command that adds an origin to an account; nil for a text that users should not paste.
  private static func listing(_ origin: String, _ account: String) -> String? {
    guard ShellWord.isHarmless(origin), !origin.utf8.contains(UInt8(ascii: " ")) else { return nil }
    let prefix = "https://"
    let host = origin.utf8.starts(with: prefix.utf8) ? String(origin.dropFirst(prefix.count)) : origin
    return "agent account set \(account) --host \(ShellWord.quoted(host))"
  }
}

// MARK: - Sign-in

extension Failure {
  private init(port: Int?, _ problem: SystemError, _ login: SignInCommand) {
    guard let port, problem.isAddressInUse else {
      self.init(
        .redirectUnavailable, "cannot receive the sign-in's answer: \(Phrase(stringLiteral: problem.message))",
        hint: login.pasting)
      return
    }
    self.init(
      .redirectUnavailable,
      "cannot receive the sign-in's answer: another program is listening on port \(port)",
      hint: "stop that program, or sign in without a listener: \(login.pasting)")
  }

  private init(port: Int, _ holder: PortHolder, _ login: SignInCommand) {
    let program = holder.program.map { TerminalText.clean($0, limit: 64) }
    let whose =
      switch (program, holder.process) {
      case (let program?, let process?): Phrase("\(program), process \(process)")
      case (_, let process?): Phrase("process \(process)")
      default: Phrase("a program of user \(holder.userName ?? String(holder.user))")
      }
    self.init(
      .redirectUnavailable,
      "cannot receive the sign-in's answer: port \(port) is in use by \(whose)",
      hint: "stop that program, or sign in without a listener: \(login.pasting)")
  }

  private init(redirectOf provider: String, _ login: SignInCommand) {
    let example = "http://localhost:47600/callback"
    self.init(
      .invalidRequest, "\(provider) compares the port of the redirect URI, so register one there yourself",
      hint: "register \(example) there, then: \(login.with([.init("redirect-uri", example)]))")
  }

  /// Describes a missing client ID.
  private init(_ missing: MissingClient, _ login: SignInCommand) {
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
    var hint = Phrase("use \("--client-id"), or run on a terminal: \(login.asking)")
    if missing.canRegister { hint = Phrase("\(hint); or, to have one registered: \(login.registering)") }
    if missing.canPublish {
      hint = Phrase("\(hint); or, to publish one at your own URL, see: agent help account client-metadata")
    }
    self.init(.clientNeeded, text, hint: hint)
  }

  /// Describes a missing client secret.
  private init(_ missing: MissingSecret, _ login: SignInCommand) {
    let fact =
      missing.isForBrowser
      ? Phrase("signing in to \(missing.provider) with a browser requires the client secret")
      : Phrase("\(missing.provider) issues tokens only with the client secret")
    self.init(
      .clientNeeded, missing.page.map { Phrase("\(fact), which is shown at \($0)") } ?? fact,
      hint: Phrase("\(login.askingForSecret); or set its file with \("--client-secret-file")"))
    needsClientSecret = true
  }

  /// Why a URL cannot be a client ID (draft-ietf-oauth-client-id-metadata-document-03).
  private init(_ problem: ClientURLProblem, _ login: SignInCommand) {
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
          ? Phrase("\(registered); or have one registered: \(login.registering)") : registered)
    }
  }

  private init(redirectElsewhere login: SignInCommand) {
    self.init(
      .redirectUnavailable, "the redirect URI of this account is not on this machine",
      hint: login.pasting)
  }

  private init(demandsOf login: SignInCommand) {
    self.init(
      .invalidRequest,
      "a sign-in with a device code does not support \(SignInDemands().options.map(\.name).joined(separator: ", "))",
      hint: "sign in with a browser: \(login.with("browser", without: ["device", "paste"]))")
  }

  private init(unprovenGuest login: SignInCommand) {
    self.init(
      .invalidRequest, "a guest session needs a client that authenticates itself",
      hint: "\(login.askingForSecret); or, to have one registered: \(login.registering)")
  }

  private init(guestOverUserOf account: String) {
    self.init(
      .invalidRequest, "a user is signed in to \(account); a session without a user cannot replace it",
      hint: "agent logout \(account)")
  }

  /// Why an assertion is not sent: the claim that the server would reject.
  private init(_ problem: AssertionProblem, of source: AssertionSource) {
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
        .assertionNeeded, "\(assertion) expired \(PlainTime.short(seconds)) ago (exp)", hint: source.wayToNewOne)
    case .notYetValid(let seconds):
      self.init(
        .assertionNeeded, "\(assertion) becomes valid in \(PlainTime.short(seconds)) (nbf)",
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

  private init(variablesOf source: AssertionSource, _ account: String) {
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

  private init(idTokenOf account: String, isExpired: Bool) {
    self = isExpired ? .spentIDToken(of: account) : .missingIDToken(of: account)
    code = .assertionNeeded
  }

  private init(expiredSecretOf account: String) {
    self.init(
      .clientRejected, "the client secret registered for \(account) has expired",
      hint: .command("agent login \(account) --register"))
  }
}

extension AssertionSource {
  /// The assertion from this source, in a message.
  fileprivate var phrase: Phrase {
    switch self {
    case .file(let path): Phrase("the assertion in \(TerminalText.clean(path, limit: 2048))")
    case .variable(let name): Phrase("the assertion in the variable \(TerminalText.clean(name))")
    case .workflow: Phrase("the assertion of GitHub Actions")
    case .account(let account): Phrase("the assertion for the user of \(account)")
    case .handedOver: Phrase("the assertion passed to this command")
    }
  }

  /// How to replace an assertion that is too old.
  fileprivate var wayToNewOne: Phrase {
    switch self {
    case .file: Phrase("let the platform write a new one there; some platforms replace the file automatically")
    case .variable: Phrase("it was created with the job, so only a new job has a new one")
    case .handedOver: Phrase("pass a new one")
    case .workflow, .account: Phrase("check this machine's clock")
    }
  }
}
