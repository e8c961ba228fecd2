import Crypto
import Encoding
import OAuth
import Platform
@testable import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `Failures on the wire` {
  private static func failure(_ error: SessionError) -> Failure { Failure(error, account: "work") }

  private static let system = SystemError(errno: 5, operation: "openat")

  static let sessionErrors: [(SessionError, FailureCode, Wire.ExitStatus)] = [
    (.noAccount(name: nil), .noAccount, .signInNeeded), (.noAccount(name: "x"), .noAccount, .signInNeeded),
    (.signedOut(account: "work"), .signedOut, .signInNeeded),
    (.expired(account: "work"), .sessionExpired, .signInNeeded), (.notKept(account: "work"), .signedOut, .signInNeeded),
    (.configurationChanged(account: "work", setting: "issuer"), .configurationChanged, .signInNeeded),
    (.endpointMoved(account: "work", origin: "https://b.example"), .endpointMoved, .signInNeeded),
    (.identityChanged(account: "work"), .identityChanged, .signInNeeded),
    (.identityUnknown(account: "work"), .identityChanged, .signInNeeded),
    (.identityUnverified(account: "work"), .identityChanged, .signInNeeded),
    (
      .onlyRefreshTokenStored(AccountConfiguration(issuer: "https://a.example", clientID: "c"), because: .cancelled),
      .cancelled, .failed
    ),
    (.grantNotStored(because: .identityUnknown(account: "work"), isRevoked: false), .identityChanged, .signInNeeded),
    (.lifetimeTooShort(account: "work", lifetime: 5), .lifetimeTooShort, .failed),
    (.originNotListed(account: nil, origin: "https://b.example"), .originNotAllowed, .failed),
    (.originNotListed(account: "work", origin: "https://b.example"), .originNotAllowed, .failed),
    (.originUnconfirmed(account: "work", origin: "https://b.example"), .originNotAllowed, .failed),
    (.severalAccounts(["a", "b"], origin: "https://b.example"), .invalidRequest, .usage),
    (.content, .storage, .failed),
    (.redirectUnavailable(port: 8400, system), .redirectUnavailable, .failed),
    (.redirectUnavailable(port: nil, system), .redirectUnavailable, .failed),
    (.redirectNotLoopback, .redirectUnavailable, .failed),
    (.guestMustAuthenticate(account: "work"), .invalidRequest, .usage),
    (.guestCannotReplaceUser(account: "work"), .invalidRequest, .usage),
    (.assertion(.malformed, .file("/t")), .assertionRejected, .denied),
    (.assertion(.tooLong, .file("/t")), .assertionRejected, .denied),
    (.assertion(.claim("sub"), .file("/t")), .assertionRejected, .denied),
    (.assertion(.wrongAudience(expected: "https://a.example"), .file("/t")), .assertionRejected, .denied),
    (.assertion(.expired(seconds: 90), .file("/t")), .assertionNeeded, .signInNeeded),
    (.assertion(.notYetValid(seconds: 90), .file("/t")), .assertionNeeded, .signInNeeded),
    (.assertionUnreadable(.system(system, path: "/t")), .assertionNeeded, .signInNeeded),
    (.assertion(.wrongClient(expected: "cli"), .account("person")), .assertionRejected, .denied),
    (.assertion(.refused(status: 403), .workflow), .assertionNeeded, .signInNeeded),
    (.assertion(.expired(seconds: 90), .signInRequest), .assertionNeeded, .signInNeeded),
    (.assertionVariablesMissing(account: "work", .workflow), .assertionNeeded, .signInNeeded),
    (.assertionVariablesMissing(account: "work", .variable("CI_JWT")), .assertionNeeded, .signInNeeded),
    (.assertionSource(.account("person"), because: .signedOut(account: "person")), .signedOut, .signInNeeded),
    (.idTokenNeeded(account: "person", isExpired: true), .assertionNeeded, .signInNeeded),
    (.idTokenNeeded(account: "person", isExpired: false), .assertionNeeded, .signInNeeded),
    (.assertionSourceNeeded(account: "work"), .assertionNeeded, .signInNeeded),
    (.clientSecretExpired(account: "work"), .clientRejected, .failed),
    (.cancelled, .cancelled, .failed), (.memory, .internalError, .failed),
    (.idToken(IDTokenError(.expired(at: 1))), .idTokenRejected, .failed),
  ]

  @Test(arguments: [
    (true, "; the new session was revoked at the server"),
    (false, "; the new session still exists at the server"),
  ])
  func `say what has become of a grant that is not kept`(isRevoked: Bool, end: String) {
    let cause = SessionError.vault(VaultError(.noSpace, path: "/v"))
    let failure = Self.failure(.grantNotStored(because: cause, isRevoked: isRevoked))
    let known = Self.failure(cause)
    #expect(failure.message == known.message + end)
    #expect(failure.hint == known.hint && failure.code == known.code)
  }

  @Test(arguments: sessionErrors)
  func `each end of a session`(error: SessionError, code: FailureCode, status: Wire.ExitStatus) {
    let failure = Self.failure(error)
    #expect(failure.code == code)
    #expect(failure.code.exitStatus == status)
  }

  // OpenID Connect Core 1.0 section 12.2.
  @Test(arguments: [
    ("sub", "user than the one signed in to work"), ("iss", "user than the one signed in to work"),
    ("aud", "client than the one signed in to work"), ("azp", "client than the one signed in to work"),
    ("nonce", "sign-in to work"),
    (nil, "user or client than the one signed in to work"),
  ])
  func `a change of identity is explained`(claim: String?, other: String) {
    let failure = Self.failure(.identityChanged(account: "work", claim: claim))
    #expect(failure.message == "the server answered for a different \(other)")
    let purpose = other.hasPrefix("sign-in") ? "if that is right" : "to change the user"
    #expect(failure.hint == "\(purpose): agent logout work && agent login work")
  }

  @Test func `a sign-in that was denied has the server's reason, if it gave one`() {
    var error = OAuthError(.accessDenied, .endpoint(.authorization))
    for description in [nil, ""] {
      error.serverDescription = description
      #expect(Self.failure(.oauth(error)).message == "sign-in was denied")
    }
    error.serverDescription = "not today"
    #expect(Self.failure(.oauth(error)).message == "sign-in was denied (server: not today)")
  }

  // EBUSY, ENOLCK and EIO.
  @Test(
    arguments: [
      (16, "mount the directory, not the file, which is replaced at each write"),
      (37, "set XDG_STATE_HOME to a directory on a file system that supports locks"), (5, "agent doctor"),
    ] as [(Int32, String?)])
  func `a file that cannot be written has the way out that there is`(number: Int32, hint: String?) {
    let error = VaultError(.storage(SystemError(errno: number, operation: "rename")), path: "/s/vault.1.2")
    let failure = Self.failure(.vault(error))
    #expect(failure.code == .storage && failure.hint == hint)
    #expect(failure.message.hasPrefix("/s/vault.1.2: "))
  }

  @Test func `a damaged file is named`() {
    let failure = Self.failure(.vault(VaultError(.damaged, path: "/s/device.key")))
    #expect(failure.code == .vaultUnusable && failure.message == "/s/device.key: the file is damaged")
  }

  @Test func `the command that signs in leaves out what does not go together, with its values`() {
    let command = SignInCommand(
      "work", ["--no-input", "--client-id", "x", "--start", "--issuer", "https://a.example", "--no-input"])
    #expect(command.withPrompts.english == "agent login work --client-id x --issuer https://a.example")
    #expect(command.withRegistration.english == "agent login work --start --issuer https://a.example --register")
  }

  @Test func `the command that signs in can be put in another's place where it has options, and else is only words`() {
    #expect(SignInCommand("work").phrase == .command("agent login work"))
    #expect(
      SignInCommand("work", ["--client-id", "x"]).phrase.corrections
        == [Correction("agent login work --client-id x", adding: [], removing: [])])
    #expect(SignInCommand("work").withRegistration.corrections.map(\.added) == [[.init("register")]])
  }

  @Test(arguments: [
    ([], "agent account set work --dpop && agent login work"),
    (["--issuer", "https://a", "--device"], "agent account set work --dpop && agent login work --device"),
    (
      ["new", "https://a", "--client-id", "x", "--scope", "a b", "--device"],
      "agent account add work --issuer https://a --client-id x --scope 'a b' --dpop && agent login work --device"
    ),
    (["workload", "--client-id", "x"], "agent workload work --client-id x --dpop"),
  ]) func `a setting that sign-ins have no option for is changed first`(entered: [String], commands: String) {
    #expect(SignInCommand("work", entered).with("dpop").english == commands)
  }

  /// The failure for a resource's 403 and a token without a scope.
  private static func refusal(_ headers: HTTPHeaders, _ verdict: ResourceVerdict) throws -> Failure? {
    let account = Account(
      name: try AccountName("work"), configuration: AccountConfiguration(issuer: "https://as.example", clientID: "c"))
    let transfer = try ResourceTransfer(
      CallRequest(account: "work", url: "https://api.example/", method: "GET"), .number(1), timeoutSeconds: 1,
      waitsUntil: nil, passed: [SharedDescriptor(try Pipe().writing.duplicate())]
    ) { _ in }
    let grant = AccessGrant(
      accessToken: SharedSecret(try SecretBytes(copying: Array("at-0".utf8).span)), tokenType: "Bearer", scope: nil,
      subject: nil, issuedAt: .now, issuedAtUnixSeconds: 0, lifetimeSeconds: nil, recordGeneration: 1)
    return Failure(
      ResourceHead(status: 403, headers: headers), verdict, to: transfer, with: grant, of: account, isPermanent: false)
  }

  @Test(arguments: [
    ("s", true), ("s", false), ("a b", true), ("it's", false), (#"\"#, false), ("!", false), ("ä", false),
  ])
  func `a scope that a resource names is in the command that helps, where a screen and a shell can bear it`(
    text: String, isNamed: Bool
  ) throws {
    let scope = text == "s" ? String(repeating: text, count: isNamed ? 400 : 401) : text
    let words = scope.split(separator: " ").map(String.init)
    let failure = try Self.refusal(HTTPHeaders([]), .insufficientScope(words))
    let command = "agent login work --host 'https://api.example\(words.map { " scope=\($0)" }.joined())'"
    #expect(failure?.hint == (isNamed ? command : "sign in with this scope included in --scope"))
  }

  // GitHub's field for organizations that use SAML.
  @Test(arguments: [
    (
      "required; url=https://github.com/orgs/o/sso?authorization_request=A",
      "https://github.com/orgs/o/sso?authorization_request=A"
    ),
    ("partial-results; organizations=1,2", nil), ("required; url=http://github.com/orgs/o/sso", nil),
    ("required; url=https://a.example/$(id)", nil),
  ])
  func `a page of an organization that must authorize the token is in the hint`(field: String, page: String?) throws {
    let failure = try Self.refusal(HTTPHeaders([("x-github-sso", field)]), .none)
    #expect(failure?.code == .accessDenied)
    #expect(failure?.hint == page.map { "authorize the token for the organization: \($0)" })
  }

  @Test func `a wrong clock is named with what helps`() {
    let failure = Self.failure(.idToken(IDTokenError(.expired(at: 1)).comparing(serverDate: 0, now: 7200)))
    #expect(failure.message.hasSuffix("this machine's clock is 7200 seconds ahead of the server's"))
    #expect(failure.hint == "check this machine's clock")
  }

  // The sentence is translated, and the number is not part of it.
  @Test(arguments: [(7200, "ahead of"), (-7200, "behind")])
  func `a wrong clock beside other claims of the server is told in a sentence that can be translated`(
    difference: Int, word: String
  ) {
    let error = OAuthError(IDTokenError(.expired(at: 1)).comparing(serverDate: 10_000, now: 10_000 + difference))
    guard case .phrase(let text) = error.phrase.values.first else { return #expect(Bool(false), "no subject") }
    #expect(text.template == "%1$s; this machine's clock is %2$s seconds \(word) the server's")
    #expect(text.values.last == .text("7200"))
  }

  @Test(
    arguments: [
      (OAuthError.Code.rateLimited, 7, false, "try again in 7 s"),
      (.rateLimited, 7, true, "the server's answer was stored: try again in 7 s"),
      (.rateLimited, nil, true, "the server's answer was stored: try again in a minute"),
      (
        .keyNotPublished, 7, true,
        "try again in 7 s, when the keys are fetched again; if the error remains, the server must publish its key"
      ),
      (
        .keyUnusable, 7, true,
        "try again in 7 s, when the keys are fetched again; if the error remains, the server must replace its key"
      ),
    ] as [(OAuthError.Code, Int?, Bool, String)])
  func `a wait is told with what was stored, and with what it is for`(
    code: OAuthError.Code, seconds: Int?, isStored: Bool, hint: String
  ) {
    var error = OAuthError(code, .endpoint(.token))
    (error.retryAfterSeconds, error.followsSuccess) = (seconds, isStored)
    #expect(Self.failure(.oauth(error)).hint == hint)
  }

  // Google says `invalid_request` and "client_secret is missing."
  @Test func `a secret of the client is asked for where the server or the advice for it is about that`() {
    var said = OAuthError(.invalidRequest, .endpoint(.token))
    #expect(Self.failure(.oauth(said)).hint == nil)
    said.serverDescription = "client_secret is missing."
    #expect(
      Self.failure(.oauth(said)).hint == "if the client has a secret: agent login work --client-secret-prompt")
    var advised = OAuthError(.invalidClient, .endpoint(.token))
    advised.advice = "the client needs its secret"
    #expect(Self.failure(.oauth(advised)).hint == "the client needs its secret")
    advised.needsSecret = true
    #expect(
      Self.failure(.oauth(advised)).hint == "the client needs its secret: agent login work --client-secret-prompt")
  }

  @Test func `a key of another machine is made anew by a sign-in, unless it is the client's own`() {
    #expect(Self.failure(.oauth(OAuthError(.keyForeign, .dpopKey))).hint == "agent login work")
    #expect(
      Self.failure(.oauth(OAuthError(.keyForeign, .clientKey))).hint
        == "sign in with another key of the client, --client-key-file, or with a new client, --register")
  }

  @Test(arguments: [("", "HTTP status 400)"), ("not today", "HTTP status 400): not today")])
  func `a server's description is behind the sentence, if there is one`(description: String, end: String) {
    var error = OAuthError(.otherServerError, .endpoint(.token), httpStatus: 400)
    error.serverDescription = description
    #expect(Self.failure(.oauth(error)).message.hasSuffix(end))
  }

  @Test(arguments: [
    ("https://b.example", "to allow it: agent account set work --host b.example"),
    ("https://b.example/\u{1B}[31m", nil), ("https://b.example/\u{202E}", nil), ("https://b.example/ c", nil),
    ("https://b.example/'c", nil), ("https://b.example/!c", nil), (#"https://b.example/\c"#, nil),
  ]) func `an origin is in a command only where a person sees what is pasted`(origin: String, hint: String?) {
    #expect(Self.failure(.originNotListed(account: "work", origin: origin)).hint == hint)
  }

  @Test(arguments: [
    ("https://b.example/mcp", "agent login https://b.example/mcp"),
    ("http://127.0.0.1:8080/x", "agent login http://127.0.0.1:8080/x --allow-http-loopback"),
    ("https://b.example/a'b", "agent help account set"), ("https://b.example/a!b", "agent help account set"),
    ("imaps://b.example", "agent help account set"),
  ]) func `a place that no account lists is signed in to, and gets the token of no account by a hint`(
    url: String, hint: String
  ) {
    #expect(Self.failure(.originNotListed(account: nil, origin: "https://b.example", url: url)).hint == hint)
  }

  @Test(arguments: [#"a\b"#, "a'b", "a\"b", "a!b", "a\nb", "a\u{7F}b", "a\u{202E}b", "a`b`"])
  func `a server's value is in a command only where no shell reads more than the value`(value: String) {
    let command = SignInCommand("work")
    #expect(
      command.with([.init("acr", value)]).english == "sign in again, with the value that the server requires in --acr")
    #expect(command.with([.init("acr", "a b$(c)")]).english == "agent login work --acr 'a b$(c)'")
  }

  // EADDRINUSE and EACCES.
  @Test(
    arguments: [
      (8400, 98, "cannot receive the sign-in's answer: another program is listening on port 8400"),
      (8400, 13, "cannot receive the sign-in's answer: permission denied"),
      (nil, 98, "cannot receive the sign-in's answer: address already in use"),
    ] as [(Int?, Int32, String)])
  func `another program is blamed only where it has the port`(port: Int?, number: Int32, message: String) {
    let failure = Self.failure(.redirectUnavailable(port: port, SystemError(errno: number, operation: "bind")))
    #expect(failure.message.lowercased() == message)
    #expect(failure.hint?.hasSuffix("agent login work --paste") == true)
  }

  @Test(arguments: [false, true], [false, true])
  func `a client that is missing comes in the easiest way that the server has`(canRegister: Bool, canPublish: Bool) {
    let missing = MissingClient(
      server: "https://as.example", registration: nil, redirectURI: nil, canRegister: canRegister,
      canPublish: canPublish)
    let failure = Self.failure(.clientIDNeeded(missing))
    #expect(failure.code == .clientNeeded)
    #expect(
      failure.hint
        == (canRegister
          ? "to have one registered: agent login work --register"
          : canPublish
            ? "set it with --client-id; to publish one at your own URL: agent help account client-metadata"
            : "set it with --client-id, or run on a terminal: agent login work"))
  }

  @Test(arguments: OAuthError.Code.allCases) func `each error of the protocol`(code: OAuthError.Code) {
    let failure = Self.failure(.oauth(OAuthError(code, .endpoint(.token))))
    #expect(failure.code == code.row().failure)
    let isTemporary = SessionError.oauth(OAuthError(code, .endpoint(.token))).isTemporary
    #expect((failure.code.exitStatus == .tryLater) == isTemporary, "what may be tried again is what is told to be")
  }

  @Test(arguments: OAuthError.Code.allCases.filter { [.grantEnded, .signInNeeded].contains($0.effect) })
  func `an error that only a sign-in mends has that for a hint and for an exit status`(code: OAuthError.Code) {
    let failure = Self.failure(.oauth(OAuthError(code, .endpoint(.token))))
    #expect(failure.code.exitStatus == .signInNeeded)
    #expect(failure.hint?.hasPrefix("agent login") == true)
  }

  @Test func `an older vault that was put back has a way out`() {
    #expect(Failure(VaultError(.rolledBack), account: nil).hint?.contains("agent daemon stop") == true)
  }

  static let vaultErrors: [(VaultError.Code, FailureCode, Wire.ExitStatus)] = [
    (.foreignDevice, .foreignDevice, .failed), (.otherMachinesOnly, .otherMachine, .signInNeeded),
    (.damaged, .vaultUnusable, .failed), (.rolledBack, .vaultUnusable, .failed),
    (.unsupportedVersion, .vaultUnusable, .failed), (.unknownSlot, .vaultUnusable, .failed),
    (.deviceSecretMissing, .vaultUnusable, .failed), (.badPermissions, .storage, .failed),
    (.busy, .vaultBusy, .tryLater), (.busyInProcess, .vaultBusy, .tryLater), (.storage(system), .storage, .failed),
    (.noSpace, .storage, .failed),
    (.overQuota, .storage, .failed),
    (.tooManyAccounts, .vaultUnusable, .failed), (.cryptoFailure, .vaultUnusable, .failed),
    (.secureHeapFull, .tooBusy, .tryLater), (.locked(.device), .locked, .locked), (.locked(.tpm2), .locked, .locked),
    (.wrongPassphrase, .wrongPassphrase, .locked), (.wrongPIN, .wrongPIN, .locked),
    (.tpmLockedOut, .tpmLockedOut, .tryLater), (.tpmUnavailable(.noAnswer), .tpmUnavailable, .failed),
    (.nothingToUnlock, .noSuchSlot, .failed), (.alreadyProtected(.tpm2), .invalidRequest, .usage),
    (.lastSlot(.passphrase), .lastSlot, .failed), (.noSuchSlot, .noSuchSlot, .failed),
    (.tooManySlots, .noSuchSlot, .failed),
    (.secretNeeded(slot: 1), .locked, .locked), (.unusableSecret, .invalidConfiguration, .failed),
    (.severalVaults, .otherMachine, .signInNeeded),
  ]

  @Test(arguments: vaultErrors)
  func `each error of the vault`(error: VaultError.Code, code: FailureCode, status: Wire.ExitStatus) {
    let failure = Self.failure(.vault(VaultError(error, path: "/x")))
    #expect(failure.code == code)
    #expect(failure.code.exitStatus == status)
  }

  @Test func `a vault file that others may read is told with the command that closes it`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("open", "")
    let path = directory.path("open")
    try #require(try ProcessRunner.shell("chmod 644 '\(path)'").succeeded)
    let failure = Self.failure(.vault(VaultError(.badPermissions, path: path)))
    #expect(failure.code == .storage)
    #expect(failure.message == "\(path) is open to other users (mode 644)")
    #expect(failure.hint == "chmod 600 '\(path)'")
    _ = try directory.open("folder")
    let folder = Self.failure(.vault(VaultError(.badPermissions, path: directory.path("folder"))))
    #expect(folder.message == "\(directory.path("folder")) is not a regular file")
    #expect(folder.hint == "replace it with the right file")
    let missing = Self.failure(.vault(VaultError(.badPermissions, path: directory.path("none"))))
    #expect(missing.message == "\(directory.path("none")): permission denied" && missing.hint == "agent doctor")
  }

  static let configurationErrors: [(ConfigurationError.Code, FailureCode)] = [
    (.invalid, .invalidConfiguration), (.unsupportedVersion, .invalidConfiguration),
    (.tooManyAccounts, .invalidConfiguration), (.directory(.untrusted(.notOwned, path: "/x")), .storage),
    (.storage(system), .storage),
    (.caFile(nil), .invalidConfiguration), (.caFile(system), .invalidConfiguration),
    (.invalidPin, .invalidConfiguration),
    (.unusableSecret(.clientSecret, .empty), .invalidConfiguration), (.missingClientSecret, .invalidConfiguration),
  ]

  @Test(arguments: configurationErrors)
  func `each error of the settings`(error: ConfigurationError.Code, code: FailureCode) {
    let failure = Self.failure(.configuration(ConfigurationError(error, "accounts.work.issuer")))
    #expect(failure.code == code)
    #expect(failure.code.exitStatus == .failed)
  }

  @Test func `a forbidden device grant is told with the sign-in by browser`() {
    var error = OAuthError(.unauthorizedClient, .endpoint(.deviceAuthorization))
    error.needsBrowser = true
    let failure = Failure(.oauth(error), account: "work", enteredOptions: ["--device"])
    #expect(
      failure.hint == "sign in with a browser, on this or another machine: agent login work --paste",
      "\(failure.hint ?? "none")")
  }

  @Test func `advice about a sign-in ends with its command`() {
    var error = OAuthError(.interactionRequired, .endpoint(.token))
    error.advice = "a second factor is required: sign in again"
    #expect(
      Self.failure(.oauth(error)).hint == "a second factor is required: sign in again: agent login work")
  }

  // Each attempt would spend a refresh token for the same response.
  @Test func `a token of another type is told without another try`() {
    var error = OAuthError(.unsupportedTokenType, .endpoint(.token))
    error.followsSuccess = true
    #expect(Self.failure(.oauth(error)).hint == nil)
  }

  @Test func `an ended session is told in exactly these words`() {
    let failure = Self.failure(.expired(account: "work"))
    #expect(
      failure.words
        == Failure(.sessionExpired, "work: session expired, please sign in again", hint: "agent login work").words)
    #expect(
      Self.failure(.expired(account: "work", reason: "AADSTS1: x")).message
        == "work: session expired, please sign in again (server: AADSTS1: x)")
  }

  private static var allErrors: [SessionError] {
    var errors = sessionErrors.map(\.0)
    errors += OAuthError.Code.allCases.map { .oauth(OAuthError($0, .endpoint(.token))) }
    errors += vaultErrors.map { .vault(VaultError($0.0, path: "/x")) }
    errors += configurationErrors.map { .configuration(ConfigurationError($0.0, "accounts.work.issuer")) }
    return errors
  }

  // Clients act on the command, never on the text.
  @Test func `a hint that ends with a sign-in or an unlock has that as its command, on the wire too`() throws {
    var commands: [String] = []
    for error in Self.allErrors {
      let failure = Self.failure(error)
      guard let hint = failure.hint, let advice = failure.advice else { continue }
      let last = hint.ranges(of: ": agent ").last.map { String(hint[$0.lowerBound...].dropFirst(2)) } ?? hint
      let isCommand = last.hasPrefix("agent login") || last.hasPrefix("agent unlock")
      if isCommand, !hint.contains(";"), !hint.contains(" && ") { #expect(advice.command == last, "\(hint)") }
      if let command = advice.command {
        commands.append(command)
        #expect(hint.contains(command), "\(hint)")
      }
      let read = try #require(Failure(json: try JSON(parsing: failure.json.serialized())))
      #expect(read.advice?.command == advice.command, "\(hint)")
    }
    #expect(commands.contains("agent login work"))
  }

  @Test func `messages are one clean sentence`() {
    for error in Self.allErrors where error != .expired(account: "work") {
      let message = Self.failure(error).message
      #expect(!message.isEmpty && !message.hasSuffix(".") && message.first?.isUppercase == false, "\(message)")
      #expect(message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(message)")
    }
  }

  @Test func `text that came from elsewhere is cleaned`() {
    let hostile = "https://b.example/\u{1B}[31m\u{202E}"
    for error in [
      SessionError.noAccount(name: hostile), .endpointMoved(account: "work", origin: hostile),
      .configuration(ConfigurationError(.invalid, hostile)),
      .configuration(ConfigurationError(.unknownMember(known: ["run"]), hostile)),
      .configuration(ConfigurationError(.caFile(nil), hostile)),
      .configuration(ConfigurationError(.caFile(Self.system), hostile)),
    ] {
      let message = Self.failure(error).message
      #expect(!message.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" }, "\(message.utf8.count)")
    }
  }

  @Test func `what a device code cannot carry is named whole`() {
    #expect(
      Self.failure(.requirementsNeedBrowser).message
        == "a sign-in with a device code does not support acr, max-age, prompt, login-hint, claims-challenge")
  }

  @Test func `a hint names the account that was asked for`() {
    #expect(Self.failure(.oauth(OAuthError(.invalidGrant, .endpoint(.token)))).hint == "agent login work")
    #expect(Failure(.oauth(OAuthError(.invalidGrant, .endpoint(.token))), account: nil).hint == "agent login")
    var challenged = OAuthError(.interactionRequired, .endpoint(.token))
    challenged.claims = RequestedClaims(#"{"access_token":{}}"#)
    challenged.advice = "a second factor is asked for"
    #expect(
      Failure(.oauth(challenged), account: "work").hint
        == "agent login work --claims-challenge eyJhY2Nlc3NfdG9rZW4iOnt9fQ")
  }
}
