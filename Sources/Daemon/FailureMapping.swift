internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

extension Failure {
  /// A session error in the words a person reads; `account` is the one that was asked for.
  init(_ error: SessionError, account: String?) {
    let name = account.map { " \($0)" } ?? ""
    switch error {
    case .noAccount(nil):
      self.init(.noAccount, "there is no account yet", hint: "agent login NAME --issuer URL --client-id ID")
    case .noAccount(.some(let asked)):
      self.init(
        .noAccount, "there is no account named \(TerminalText.clean(asked, limit: 64))",
        hint: "agent list; to add it: agent login NAME --issuer URL --client-id ID")
    case .signedOut(let account):
      self.init(.signedOut, "\(account) is signed out", hint: "agent login \(account)")
    case .expired(let account):
      self.init(.sessionExpired, "Session expired, please sign in again", hint: "agent login \(account)")
    case .configurationChanged(let account, let setting):
      self.init(
        .configurationChanged,
        "the setting \(setting) of \(account) is not the one that was signed in with; nothing was sent",
        hint: "put it back, or sign in again: agent login \(account)")
    case .endpointMoved(let account, let origin):
      self.init(
        .endpointMoved,
        "the server of \(account) now names an endpoint at \(TerminalText.clean(origin)); nothing was sent there",
        hint: "if that is right, sign in again: agent login \(account)")
    case .identityChanged(let account):
      self.init(
        .identityChanged, "the server answered for another user than the one signed in to \(account)",
        hint: "to change the user: agent logout \(account), then agent login \(account)")
    case .lifetimeTooShort(let account, let lifetime):
      self.init(
        .lifetimeTooShort, "tokens of \(account) live for only \(lifetime) seconds", hint: "ask for less: --min-valid")
    case .originNotListed(let account, let origin): self.init(notListed: origin, account: account)
    case .originUnconfirmed(let account, let origin):
      self.init(
        .originNotAllowed,
        "the settings file lists \(origin) for \(account), but nobody has confirmed it; nothing was sent",
        hint: "if that is right: agent account set \(account) --host \(Self.host(origin))")
    case .severalAccounts(let names, let origin):
      self.init(
        .invalidRequest, "several accounts may be used for \(origin): \(names.joined(separator: ", "))",
        hint: "choose one: --account NAME")
    case .content: self.init(.storage, "what was to be sent could not be read to its end")
    case .noOtherTokens(let account):
      self.init(
        .serverRejected, "the session of \(account) has no refresh token, so it has no token but its own",
        hint: "ask for it at sign-in, mostly by the scope offline_access")
    case .redirectUnavailable(let port?, let problem) where problem.isAddressInUse:
      self.init(
        .redirectUnavailable,
        "another program listens at port \(port), so the answer of the sign-in cannot be received",
        hint: "end that program, or sign in without a listener: agent login\(name) --paste")
    case .redirectUnavailable(_, let problem):
      self.init(
        .redirectUnavailable, "the answer of the sign-in cannot be received: \(problem.message)",
        hint: "agent login\(name) --paste")
    case .redirectElsewhere:
      self.init(
        .redirectUnavailable, "the redirect URI of this account is not an address of this machine",
        hint: "agent login\(name) --paste")
    case .demandsNeedBrowser:
      self.init(
        .invalidRequest, "a device code cannot carry --acr, --max-age, --prompt or --login-hint",
        hint: "sign in with --browser or --paste")
    case .guestNeedsProof(let account):
      self.init(
        .invalidRequest, "a session without a user needs a client that proves who it is",
        hint: "agent login \(account) --guest --client-secret-file FILE, or --client-key-file FILE, or --register")
    case .guestOverUser(let account):
      self.init(
        .invalidRequest, "a user is signed in to \(account), whose place a guest does not take",
        hint: "agent logout \(account)")
    case .clientSecretExpired(let account):
      self.init(
        .clientRejected, "the secret of the client that was registered for \(account) has expired",
        hint: "agent login \(account) --register")
    case .cancelled: self.init(.cancelled, "cancelled")
    case .memory:
      self.init(.internalError, "no locked memory is left for secrets", hint: "agent daemon restart")
    case .oauth(let error): self.init(error, name: name)
    case .idToken(let error):
      self.init(OAuthError(error), name: name)
    case .vault(let error): self.init(error, name: name)
    case .configuration(let error): self.init(error)
    }
  }

  private init(notListed origin: String, account: String?) {
    let command = "agent account set \(account ?? "NAME") --host \(Self.host(origin))"
    let message =
      account.map { "the token of \($0) is not for \(origin); nothing was sent" }
      ?? "no account lists \(origin), so no token was sent"
    self.init(.originNotAllowed, message, hint: "if it may get the token: \(command)")
  }

  /// An origin as `--host` takes it.
  private static func host(_ origin: String) -> String {
    let prefix = "https://"
    return origin.utf8.starts(with: prefix.utf8) ? String(origin.dropFirst(prefix.count)) : origin
  }

  private init(_ error: OAuthError, name: String) {
    let code: FailureCode
    var hint: String?
    switch error.code {
    case .network: code = .network
    case .timeout: code = .timeout
    case .serverUnavailable, .rateLimited, .tlsFailure: code = .serverUnavailable
    case .certificateRejected:
      code = .certificateRejected
      hint = "if the server has a certificate authority of its own: agent login\(name) --ca-file FILE"
    case .pinMismatch: code = .pinMismatch
    case .cancelled: code = .cancelled
    case .accessDenied: code = .accessDenied
    case .expiredToken:
      code = .codeExpired
      hint = "agent login\(name)"
    case .invalidGrant:
      code = .sessionExpired
      hint = "agent login\(name)"
    case .invalidClient, .unauthorizedClient, .unsupportedGrantType:
      code = .clientRejected
      hint = "check the client id and how the client is registered at the server"
    case .insecureURL, .invalidURL, .invalidIssuer, .invalidScope, .invalidClientID, .metadataMissing:
      code = .invalidConfiguration
      hint =
        error.code == .insecureURL
        ? "for a development server on this machine: --allow-http-loopback" : "check the issuer's URL"
    case .registrationMissing:
      code = .invalidConfiguration
      hint = "name a client that was registered there by hand: --client-id ID"
    case .registrationRejected:
      code = .clientRejected
      hint =
        "where not everybody may register: --register --initial-access-token-file FILE; or name a client: --client-id ID"
    case .registrationUnusable: code = .serverRejected
    case .registrationGone: code = .serverRejected
    case .endpointMissing:
      code = .invalidConfiguration
      hint = "an endpoint can be named by hand, see agent help login"
    case .resourceMismatch:
      code = .serverMisbehaved
      hint = "name the resource exactly as it names itself, up to a slash at the end"
    case .issuerMismatch, .metadataInvalid, .malformedResponse, .responseTooLarge, .redirectRefused,
      .unsupportedTokenType, .missingIDToken, .userInfoMismatch, .codeChallengeUnsupported, .responseIssuerMismatch:
      code = .serverMisbehaved
    case .idTokenRejected: code = .tokenRejected
    case .tokenNotBound:
      code = .tokenNotBound
      hint = "for Bearer tokens, which work for whoever has them: agent account set\(name) --unset dpop"
    case .bindingUnsupported:
      code = .invalidConfiguration
      hint = "for Bearer tokens, which work for whoever has them: agent account set\(name) --unset dpop"
    case .proofNeeded:
      code = .clientRejected
      hint = "agent login\(name) --dpop"
    case .proofRejected:
      code = .serverRejected
      hint = "if this machine's clock is wrong, set it right"
    case .invalidTarget: code = .invalidRequest
    case .invalidScopeAnswer, .invalidTargetAnswer, .insufficientScope, .invalidRequest, .invalidToken,
      .unsupportedTokenRevocation,
      .otherServerError:
      code = .serverRejected
    case .codeRejected:
      code = .serverRejected
      hint = "try again: agent login\(name)"
    case .internalFailure, .cryptoFailure: code = .internalError
    }
    self.init(code, error.message, hint: error.advice ?? hint)
  }

  private init(_ error: VaultError, name: String) {
    switch error.code {
    case .foreignDevice:
      self.init(
        .foreignDevice, error.message,
        hint: "if this home was copied on purpose, move the vault file away and sign in again")
    case .otherMachinesOnly: self.init(.otherMachine, error.message, hint: "agent login\(name)")
    case .busy: self.init(.vaultBusy, error.message)
    case .secureHeapFull: self.init(.tooBusy, error.message)
    case .storage, .noSpace, .badPermissions: self.init(.storage, error.message)
    case .invalidName:
      self.init(.invalidRequest, "an account name is 1 to 64 letters, digits, dots, dashes or underscores")
    default: self.init(.vaultUnusable, error.message)
    }
  }

  init(_ error: ConfigurationError) {
    switch error.code {
    case .invalid:
      self.init(
        .invalidConfiguration, "the settings file is not valid at: \(TerminalText.clean(error.place))",
        hint: "mend it by hand, or move it away and sign in again")
    case .unsupportedVersion:
      self.init(.invalidConfiguration, "the settings file is of a version this program does not know")
    case .tooManyAccounts:
      self.init(.invalidConfiguration, "there are already \(Settings.maximumAccounts) accounts")
    case .accountExists:
      self.init(
        .accountExists, "there is an account named \(TerminalText.clean(error.place, limit: 64)) already",
        hint: "choose another name, or remove it: agent account remove \(TerminalText.clean(error.place, limit: 64))")
    case .accountChanged:
      self.init(
        .tooBusy, "somebody else changed the account \(TerminalText.clean(error.place, limit: 64)) meanwhile",
        hint: "try again")
    case .directory(let problem): self.init(.storage, "the settings cannot be used: \(problem.message)")
    case .storage(let problem):
      self.init(.storage, "the settings file \(TerminalText.clean(error.place)): \(problem.message)")
    case .caFile:
      self.init(
        .invalidConfiguration, "\(TerminalText.clean(error.place)) is not a readable PEM file with certificates")
    case .proxy: self.init(.invalidConfiguration, "the proxy's URL is not valid")
    case .clientSecret:
      self.init(.invalidConfiguration, "the client secret is empty, too long, or not printable ASCII on one line")
    case .refreshToken:
      self.init(.invalidConfiguration, "the refresh token is empty, too long, or not printable ASCII on one line")
    case .missingClientSecret:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a client secret",
        hint: "--client-secret-file FILE")
    case .clientKey(let problem): self.init(.invalidConfiguration, "the client's key \(problem.message)")
    case .clientCertificate:
      self.init(
        .invalidConfiguration, "the client's certificate is not in PEM form, or not for the client's key")
    case .clientKeyAlgorithm:
      self.init(
        .invalidConfiguration, "the client's key is not one for \(TerminalText.clean(error.place, limit: 64))",
        hint: "--client-key-algorithm, or without it what the key is for")
    case .missingClientKey:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a private key",
        hint: "--client-key-file FILE")
    case .missingClientCertificate:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a certificate",
        hint: "--client-certificate-file FILE --client-key-file FILE")
    case .pin:
      self.init(.invalidConfiguration, "a pin is not of the form sha256//BASE64=")
    }
  }
}
