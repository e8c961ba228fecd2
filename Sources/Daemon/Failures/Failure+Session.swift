internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

extension Failure {
  /// Describes a session error for users.
  init(_ error: SessionError, of account: SharedAccountState) {
    self.init(error, account.signIn)
  }

  /// Describes a session error for users. `enteredOptions` are those of the failed sign-in.
  init(_ error: SessionError, account: String?, enteredOptions: [String] = []) {
    self.init(error, SignInCommand(account, enteredOptions))
  }

  private init(_ error: SessionError, _ login: SignInCommand) {
    let account = login.account
    switch error {
    case .noAccount(let name, let known): self.init(noAccount: name, among: known)
    case .signedOut(let account):
      self.init(.signedOut, "\(account) is signed out", hint: .command(login.again(account)))
    case .expired(let account, let reason):
      let text = Phrase("\(account): session expired, please sign in again")
      self.init(
        .sessionExpired, reason.map { Phrase("\(text) (server: \($0))") } ?? text, hint: .command(login.again(account)))
    case .notKept(let account):
      self.init(
        .signedOut,
        "the access token of \(account) was not stored and is lost; \("--keep") stores the next one",
        hint: .command("agent login \(account) --keep"))
    case .configurationChanged(let account, _, let file?):
      self.init(changedAuthorities: file, of: account, login.again(account))
    case .configurationChanged(let account, let setting, nil):
      self.init(
        .configurationChanged,
        "the setting \(setting) of \(account) was changed after the sign-in; nothing was sent",
        hint: Phrase("restore it, or sign in again: \(login.again(account))").withCommandAtEnd(login.again(account)))
    case .endpointMoved(let account, let origin):
      self.init(
        .endpointMoved,
        "the server of \(account) now has an endpoint at \(TerminalText.clean(origin)); nothing was sent there",
        hint: Phrase("if that is right, sign in again: \(login.again(account))").withCommandAtEnd(
          login.again(account)))
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
        hint: .command(login.again(account)))
    case .onlyRefreshTokenStored(_, because: let error): self.init(error, account: account)
    case .grantNotStored(because: let error, let isRevoked):
      self.init(error, login)
      text =
        isRevoked
        ? Phrase("\(text); the new session was revoked at the server")
        : Phrase("\(text); the new session still exists at the server")
    case .identityUnknown(let account):
      self.init(
        .identityChanged,
        "the server did not identify the user, who may not be the one signed in to \(account)",
        hint: "if that is right: agent logout \(account) && agent login \(account)")
    case .lifetimeTooShort(let account, let lifetime):
      self.init(
        .lifetimeTooShort, "tokens for \(account) are valid for at most \(ReadableTime.short(lifetime))",
        hint: "use a shorter --min-valid")
    case .originNotListed(let account, let origin, let url): self.init(notListed: origin, account, url)
    case .originUnconfirmed(let account, let origin):
      self.init(
        .originNotAllowed,
        "\(account) may not send its token to \(origin): the settings file lists it, but it was never confirmed",
        hint: Self.commandAddingOrigin(origin, account).map { Phrase("if that is right: \($0)") })
    case .originOfOtherUser(let account, let origin, let user):
      self.init(
        .originNotAllowed,
        "\(account) may send its token to \(origin) only with the user name \(TerminalText.clean(user, limit: 64))",
        hint: ShellWord.isHarmless(user) ? Phrase("use \("--user=" + ShellWord.quoted(user))") : nil)
    case .severalAccounts(let names, let origin):
      self.init(
        .invalidRequest,
        "several accounts may send their tokens to \(origin): \(names.joined(separator: ", "))",
        hint: Phrase("choose one: \(Phrase.choices(Array(names.prefix(3)), of: "account"))"))
    case .unsuitableURL: self.init(.originNotAllowed, "a token is sent only to https URLs and to mail servers over TLS")
    case .content: self.init(.storage, "cannot read all of the data to send")
    case .contentTimedOut(let seconds): self.init(.timeout, "no data to send arrived for \(seconds) s")
    case .otherTokensUnavailable(let account):
      self.init(
        .serverRejected,
        "\(account) has no refresh token, so it cannot get other tokens",
        hint: "to get a refresh token, usually request the scope offline_access at sign-in")
    case .redirectUnavailable(let port, let problem): self.init(port: port, problem, login)
    case .redirectPortTaken(let port, let holder): self.init(port: port, holder, login)
    case .redirectNotLoopback:
      self.init(
        .redirectUnavailable, "the redirect URI of this account is not on this machine", hint: login.withPaste)
    case .redirectURINeeded(let provider):
      let example = "http://localhost:47600/callback"
      self.init(
        .invalidRequest, "\(provider) compares the port of the redirect URI, so register one there yourself",
        hint: "register \(example) there, then: \(login.with([.init("redirect-uri", example)]))")
    case .clientIDNeeded(let missing): self.init(missing, login)
    case .clientSecretNeeded(let missing): self.init(missing, login)
    case .unusableClientURL(let problem): self.init(problem, login)
    case .requirementsNeedBrowser:
      self.init(
        .invalidRequest,
        "a sign-in with a device code does not support \(AuthenticationRequirements().options.map(\.name).joined(separator: ", "))",
        hint: "sign in with a browser: \(login.with("browser", without: ["device", "paste"]))")
    case .guestMustAuthenticate:
      self.init(
        .invalidRequest, "a guest session needs a client that authenticates itself",
        hint: login.withSecretPrompt)
    case .guestCannotReplaceUser(let account):
      self.init(
        .invalidRequest, "a user is signed in to \(account); a session without a user cannot replace it",
        hint: "choose another name for the account")
    case .assertion(let problem, let source): self.init(problem, of: source)
    case .assertionVariablesMissing(let account, let source): self.init(variablesOf: source, account)
    case .assertionSource(.account(let other), because: let error): self.init(error, account: other)
    case .assertionSource(_, because: let error): self.init(error, account: account)
    case .assertionNeededFrom(let account): self.init(idTokenOf: account, isExpired: false)
    case .idTokenNeeded(let account, let isExpired): self.init(idTokenOf: account, isExpired: isExpired)
    case .assertionUnreadable(let problem):
      self.init(
        .assertionNeeded, "cannot read the assertion: \(Phrase(problem))",
        hint: problem.remedy.map { Phrase(verbatim: $0) })
    case .assertionSourceNeeded(let account):
      self.init(
        .assertionNeeded,
        "\(account) needs an assertion to renew, but its settings contain none, and an assertion passed once cannot be used again",
        hint: Phrase(
          "sign in with a new one, using \("agent workload"), or in another way: agent login \(account)"
        ).withCommandAtEnd("agent login \(account)"))
    case .clientSecretExpired(let account):
      self.init(
        .clientRejected, "the client secret registered for \(account) has expired",
        hint: .command("agent login \(account) --register"))
    case .cancelled: self.init(.cancelled, "cancelled")
    case .tokenReturned(let origin):
      self.init(.tokenReturned, "\(origin) sent the access token back, so its answer was cut off")
    case .stopping(let isPermanent): self = isPermanent ? .stopped : .stopping
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

  // MARK: - Sessions

  /// Suggests similar names in `known`. `name` is nil if none was requested and there are no accounts.
  private init(noAccount name: String?, among known: [String]) {
    guard let name else {
      self.init(.noAccount, "no accounts yet", hint: .command("agent login"))
      return
    }
    let meant = Suggestion.candidates(for: name, among: known)
    let hint =
      switch meant.count {
      case 0 where known.isEmpty:
        Phrase.command((try? AccountName(name)).map { "agent login \($0.text)" } ?? "agent login")
      case 0: Phrase.command("agent list")
      // Clients repeat the user's command with that account.
      case 1: Phrase(Correction("agent list", adding: [.init(Correction.account, meant[0])], removing: []))
      default: Phrase("did you mean \(Phrase.choices(meant.map { "\"\($0)\"" }))?")
      }
    self = .noAccount(named: name, hint: hint)
  }

  /// The certificates in the account's CA file were changed after the sign-in.
  private init(changedAuthorities file: String, of account: String, _ signIn: String) {
    let command = "agent account set \(account) --ca-file \(ShellWord.quoted(file))"
    self.init(
      .configurationChanged,
      "the certificates in \(TerminalText.clean(file)) have changed since the sign-in to \(account); nothing was sent",
      hint: ShellWord.isHarmless(file)
        ? Phrase("if that is right: \(command)").withCommandAtEnd(command)
        : Phrase("restore it, or sign in again: \(signIn)").withCommandAtEnd(signIn))
  }

  /// The ID Token's `claim` differs from the sign-in's (OpenID Connect Core section 12.2). Nil for claims other than
  /// `iss`, `sub`, `aud`, `azp` and `nonce`.
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
      ? Phrase("if that is right: agent logout \(account) && agent login \(account)")
      : Phrase("to change the user: agent logout \(account) && agent login \(account)")
    self.init(.identityChanged, message, hint: hint)
  }

  // MARK: - Origins

  /// The token of `account` may not be sent to `origin`. If `account` is nil, no account may send its token there, and
  /// `url` is set. The hint then changes no existing account.
  private init(notListed origin: String, _ account: String?, _ url: String?) {
    guard let account else {
      self.init(
        .originNotAllowed, "no account may send its token to \(origin)",
        hint: Self.signInCommand(at: url ?? origin))
      return
    }
    self.init(
      .originNotAllowed, "\(account) may not send its token to \(origin)",
      hint: Self.commandAddingOrigin(origin, account).map { Phrase("to allow it: \($0)") })
  }

  /// A command that shows help if the URL is unsuitable or unsafe to paste.
  private static func signInCommand(at url: String) -> String {
    guard let uri = try? URI(url), uri.isHTTPS || uri.isHTTPLoopback, ShellWord.isHarmless(url) else {
      return "agent help account set"
    }
    return "agent login \(ShellWord.quoted(url))\(uri.isHTTPS ? "" : " --allow-http-loopback")"
  }

  /// Nil if unsafe to paste.
  private static func commandAddingOrigin(_ origin: String, _ account: String) -> String? {
    guard ShellWord.isHarmless(origin), !origin.utf8.contains(UInt8(ascii: " ")) else { return nil }
    let prefix = "https://"
    let host = origin.utf8.starts(with: prefix.utf8) ? String(origin.dropFirst(prefix.count)) : origin
    return "agent account set \(account) --host \(ShellWord.quoted(host))"
  }

  /// `login` signs in to the account.
  init(_ error: OAuthError, _ login: SignInCommand) {
    let row = error.code.row(login)
    var account = row.isAboutHost ? login.account : nil
    // An account can be named after the host.
    if let name = account, case .host(let host) = error.subject, host.utf8.starts(with: name.utf8) { account = nil }
    let text = account.map { Phrase("\($0): \(error.phrase)") } ?? error.phrase
    self.init(row.failure, text, hint: error.ownHint(login) ?? row.hint)
  }
}
