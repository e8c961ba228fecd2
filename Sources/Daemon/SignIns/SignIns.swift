internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import QRCode
internal import Sessions
internal import Vault
internal import Wire

/// Runs sign-ins by browser and by device code (RFC 8628). Each blocking step is a job.
final class SignIns: AccountPart {
  /// Sign-ins in progress, by number.
  private(set) var logins: [UInt64: Login] = [:]
  private var lastLoginNumber: UInt64 = 0
  /// Receives browsers' responses. Nil until needed.
  var redirects: RedirectServer?
  private let redirectSockets = RedirectSockets()
  private var accountsWithoutDeviceGrant: Set<AccountName> = []
  private static let maximumAccountsWithoutDeviceGrant = 1024
  /// Results of background sign-ins, oldest first.
  var backgroundResults: [BackgroundResult] = []
  /// Recently ended sign-ins, for hints.
  var recentlyEnded: [(loginID: String, account: AccountName)] = []

  /// Starts a sign-in, or responds with the existing session if permitted.
  func login(_ request: LoginRequest, _ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    let settings = try settings()
    let requested = try LoginSettings(request, settings)
    guard let condition = request.skipCondition, let stored = settings[requested.account] else {
      return try begin(request, requested, ticket, passed)
    }
    let account = broker.updatedAccount(requested.account, stored)
    signInUnless(condition, account, activates: request.activates, ticket) { [self] () throws(Failure) in
      try begin(request, requested, ticket, passed)
    }
  }

  /// Replaces other sign-ins of the account.
  private func begin(
    _ request: LoginRequest, _ requested: LoginSettings, _ ticket: Ticket, _ passed: [SharedDescriptor]
  ) throws(Failure) {
    var passedAssertion = PassedAssertion()
    let source = requested.unattended == .assertion ? requested.configuration.assertionSource : nil
    if let source, !source.variables.isEmpty {
      passedAssertion.variables = broker.passedVariables.values(source.variables, of: [ticket])
      // No descriptor has been read, so the client can repeat the request.
      guard !passedAssertion.variables.isEmpty else {
        throw Failure(
          .assertionVariablesMissing(account: requested.account.text, source), account: requested.account.text)
      }
    }
    let sources = try SecretSources(passed, announced: request.passedSecrets)
    let options = try AuthorizationOptions(request.requirements)
    for other in logins.values where other.account == requested.account {
      sendResult(
        of: other, .failure(Failure(.cancelled, "a newer sign-in for \(requested.account.text) replaced this one")))
      cancel(other)
    }
    lastLoginNumber += 1
    let login = Login(
      number: lastLoginNumber, loginID: try Self.newLoginID(), ticket: ticket, account: requested.account,
      enteredOptions: request.commandLineOptions(ofNew: requested.isNew ? requested.configuration : nil),
      startedAt: services.time.now())
    login.wantsQRCode = request.wantsQRCode
    login.pageTexts = request.pageTranslations ?? .english
    login.isDetached = request.isDetached
    // Without a user, the sign-in cannot be cancelled.
    if requested.unattended != nil { _ = login.approval.approve() }
    logins[login.number] = login
    log.note(.signInBegan, login.account)
    broker.accounts[requested.account]?.ownSlot.session.markSignInStarted()
    var choice = FlowChoice(
      requestedFlow: request.flow, canOpenBrowser: request.canOpenBrowser, options: options)
    choice.redirectPort = request.redirectPort.flatMap { UInt16(exactly: $0) }
    let observed = services(for: login.account)
    let own = request.isEphemeral ? observed.forEphemeralAccount() : observed
    var start = SignIn.Request(
      account: requested.account, configuration: requested.configuration, isNew: requested.isNew, services: own,
      cancellation: login.cancellation
    ) { [cancellation = login.cancellation] (configuration) throws(SessionError) in
      let known =
        try request.registersClient ? nil : ClientsFile.complete(&configuration, in: own.settingsDirectory)
      var secrets = try sources.read(
        for: &configuration, request.settings, proxyCredentials: requested.proxyCredentials, in: own.vault.keyDevice,
        cancellation)
      secrets.clientFile = known?.path
      if secrets.credentials.isEmpty, let secret = known?.publicSecret {
        secrets.credentials.secret = try ClientSecret.secureCopy(of: secret)
      }
      return secrets
    }
    if !request.passedSecrets.contains(where: PassedSecret.credentials.contains) {
      choice.prefersDeviceFlow = requested.configuration.providerSettings?.has(.secretForCode) ?? false
    }
    choice.excludesDeviceFlow = requested.configuration.profile != nil
    start.isDeviceGrantRefused = accountsWithoutDeviceGrant.contains(requested.account)
    let opened = ListenerHandoff(in: redirectSockets)
    start.listen = { [choice] (redirect, metadata, isDeviceGrantRefused, registers) throws(SessionError) in
      var choice = choice
      if isDeviceGrantRefused { choice.excludesDeviceFlow = true }
      return try opened.open(redirect, choice, at: metadata, registers: registers)
    }
    start.unattended = requested.unattended
    start.passedAssertion = passedAssertion
    start.activates = request.activates
    start.requestsOfflineAccess = request.requestsOfflineAccess
    start.beganAtResource = request.beganAtResource
    start.proofAlgorithms = request.proofAlgorithms
    start.registersClient = request.registersClient
    start.registration = ClientRegistrationValues(
      clientName: "agent on \(TerminalText.clean(Machine.hostName(), limit: 64))", softwareVersion: Product.version,
      mustAuthenticate: requested.unattended == .clientCredentials)
    guard case .account(let other)? = source else { return run(start, choice, opened, login) }
    broker.identityAssertion(of: other, for: requested.configuration) { [self] outcome in
      guard logins[login.number] != nil else { return }
      switch outcome {
      case .success(let assertion):
        start.passedAssertion.assertion = assertion
        run(start, choice, opened, login)
      case .failure(let error): finishLogin(login.number, .failure(error))
      }
    }
  }

  private func run(_ request: SignIn.Request, _ choice: FlowChoice, _ opened: ListenerHandoff, _ login: Login) {
    if let grant = request.unattended {
      run(login, then: finishLogin) { () throws(SessionError) in
        try request.prepare { (prepared) throws(SessionError) in try prepared.signIn(grant) }
      }
    } else {
      run(login, then: waitForUser) { () throws(SessionError) in
        try request.prepare { (prepared) throws(SessionError) in try prepared.start(choice, opened) }
      }
    }
  }

  /// Runs a sign-in's blocking step, then `finish` on the loop.
  func run<Value: Sendable>(
    _ login: Login, then finish: @escaping (UInt64, Result<Value, SessionError>) -> Void,
    _ step: @escaping @Sendable () throws(SessionError) -> Value
  ) {
    jobs.runWaiting(as: .signIn(login.number), login.cancellation, step) { [id = login.number] outcome in
      finish(id, outcome)
    }
  }

  private static func newLoginID() throws(Failure) -> String {
    do { return HexDigit.text(try Random.bytes(16)) } catch {
      throw Failure(.internalError, "the system returned no random data")
    }
  }

  /// Waits for the approval, once the code or URL is known.
  func waitForUser(
    _ id: UInt64, _ outcome: Result<(waiting: SignIn.PendingApproval, listener: RedirectListener?), SessionError>
  ) {
    guard let login = logins[id] else {
      if case .success(let started) = outcome { withdraw(started.waiting.prepared) }
      return
    }
    let (waiting, listener): (SignIn.PendingApproval, RedirectListener?)
    do throws(SessionError) { (waiting, listener) = try outcome.get() } catch { return fail(login, error) }
    login.waiting = waiting
    let level = waiting.prepared.level
    guard level == .device || services.vault.isUnlocked(level) else {
      return fail(login, .vault(VaultError(.locked(level))))
    }
    for notice in waiting.prepared.notices { report(Phrase(notice), to: login) }
    // Sending a notice may end the sign-in.
    guard logins[id] != nil else { return }
    switch waiting {
    case .device(let device): sendDeviceCode(login, device)
    case .browser(let browser): sendBrowserURL(login, browser, listener)
    }
  }

  /// Sends the user's next step, and keeps it for ``resume(_:waits:_:)``. `expiry` is in unix seconds.
  func send(_ event: Event, to login: Login, until expiry: Int) {
    (login.nextStep, login.stepExpiry) = (event, expiry)
    loop.send(.event(event), to: login.ticket)
  }

  func sendQRCode(_ address: String, to ticket: Ticket) {
    guard let code = QRCode(address).flatMap({ Event.QRCode(rows: $0.rows) }) else { return }
    loop.send(.event(.qrCode(code)), to: ticket)
  }

  /// Fails a sign-in that was not approved in time.
  func failExpired(_ id: UInt64) {
    guard let login = logins[id], login.approval.cancel() else { return }
    let message =
      login.browser == nil
      ? Phrase("the code expired before the sign-in was approved")
      : Phrase("the sign-in was not approved in time")
    fail(login, Failure(.codeExpired, message, hint: SignInCommand(login.account.text, login.enteredOptions).phrase))
  }

  func finishLogin(_ id: UInt64, _ outcome: Result<SignIn.Outcome, SessionError>) {
    context.whenSettingsAreRead { [self] in handleSignInResult(id, outcome) }
  }

  private func handleSignInResult(_ id: UInt64, _ outcome: Result<SignIn.Outcome, SessionError>) {
    guard let login = logins[id] else { return }
    login.approval.reopen()
    switch outcome {
    case .failure(.onlyRefreshTokenStored(let configuration, let cause)):
      login.waiting = nil
      if let account = broker.accounts[login.account] { broker.applySettings(configuration, to: account) }
      log.note(.settingsChanged(.signedIn), login.account)
      announceSettings()
      fail(login, cause)
    case .failure(let error): fail(login, error)
    case .success(let outcome):
      logins[id] = nil
      completeSignIn(login, outcome)
    }
  }

  private func completeSignIn(_ login: Login, _ outcome: SignIn.Outcome) {
    accountsWithoutDeviceGrant.remove(login.account)
    showSignedIn(login, outcome)
    let guestGrants = outcome.wasGuest ? broker.accounts[login.account]?.liveGrants(at: services.time.now()) ?? [] : []
    let account = broker.addOrUpdate(login.account, outcome.configuration)
    logEnd(of: login, nil)
    log.note(.settingsChanged(.signedIn), login.account)
    broker.pauses.recordSuccess(at: account.configuration.serverIdentifier)
    account.ownSlot.session.applySignIn(
      outcome.grant, isRenewable: outcome.hasRefreshToken || outcome.isRepeatable,
      wallSeconds: services.time.wallSeconds(),
      jitter: jitter())
    account.ownSlot.refusals = OriginRefusals()
    account.shared.isGuest = outcome.unattended == .clientCredentials
    broker.keepIfUnlocked(outcome.grant, of: account)
    announceSettings()
    broker.publish(of: account.name) {
      $0.recordSignIn(outcome.grant, isGuest: outcome.unattended == .clientCredentials, wasGuest: outcome.wasGuest)
    }
    broker.publishSessionEnd(of: account.ownSlot)
    broker.restartForWaiters(account)
    broker.schedule(account.ownSlot)
    if outcome.missesIDToken {
      report(Phrase("the server sent no ID Token for the device code, so the user is not verified"), to: login)
    }
    if !outcome.withheldScope.isEmpty {
      let scope = TerminalText.clean(outcome.withheldScope.joined(separator: " "))
      report(Phrase("the server did not grant the full scope; missing: \(scope)"), to: login)
    }
    let told = login.waiting?.prepared.notices ?? []
    for notice in outcome.notices where !told.contains(notice) { report(Phrase(notice), to: login) }
    if let revoke = outcome.revokeReplacedGrant { runCleanup(of: login.account, revoke) }
    if outcome.unattended != nil, !outcome.isRepeatable {
      report(Phrase("the assertion cannot be used again: this session ends with its access token"), to: login)
    }
    let isEphemeral = services.ephemeral.contains(login.account)
    if outcome.unattended == nil, !outcome.hasRefreshToken {
      let notice =
        outcome.isAccessTokenStored
        ? Phrase("the server issued no refresh token: the access token is kept until the server refuses it")
        : outcome.grant.expiresAtUnixSeconds == nil
          ? Phrase(
            "the server issued no refresh token, and its access token has no end: this session lasts until agentd stops"
          )
          : Phrase("the server issued no refresh token: this session ends with its access token")
      report(notice, to: login)
      if !outcome.isAccessTokenStored, outcome.grant.expiresAtUnixSeconds != nil || isEphemeral {
        report(refreshTokenAdvice(outcome, login.account), to: login)
      }
    }
    var result = account.ownSlot.signInResult(outcome.grant)
    if outcome.unattended == nil, !outcome.hasRefreshToken, !outcome.isAccessTokenStored, !isEphemeral {
      result["not_kept"] = true
    }
    if isEphemeral { result["ephemeral"] = true }
    result["person"] = outcome.label.map { .string($0.text) }
    result["active_account"] = (try? settings().active).map { .string($0.text) }
    result.addUnattended(outcome.unattended)
    if outcome.wasGuest { result["upgraded_from_guest"] = true }
    guard !guestGrants.isEmpty else { return sendResult(of: login, .result(result)) }
    revokeTokens(guestGrants, outcome.revokeGuestToken, of: login, result)
  }

  private func revokeTokens(
    _ grants: [AccessGrant], _ revoke: (@Sendable (AccessGrant, Cancellation) -> Bool)?, of login: Login,
    _ result: JSONObject
  ) {
    func finish(areRevoked: Bool) {
      if !areRevoked {
        report(
          Phrase("the guest's access token was not revoked: the server may accept it until it expires"), to: login)
      }
      sendResult(of: login, .result(result))
    }
    guard let revoke else { return finish(areRevoked: false) }
    let cancellation = Cancellation()
    jobs.runWaiting(as: .cleanup(login.account), cancellation) {
      grants.allSatisfy { revoke($0, cancellation) }
    } then: { outcome in
      finish(areRevoked: (try? outcome.get()) ?? false)
    }
  }

  private func refreshTokenAdvice(_ outcome: SignIn.Outcome, _ account: AccountName) -> Phrase {
    if let provider = outcome.configuration.provider {
      return Phrase(
        "to see when \(Provider.named(provider).title) issues a refresh token: agent help providers \(provider.rawValue)"
      )
    }
    guard !outcome.requestedScope.contains("offline_access") else {
      return Phrase("to get a refresh token, enable the grant type refresh_token for the client at the server")
    }
    let scope = (outcome.requestedScope + ["offline_access"]).joined(separator: " ")
    let again = SignInCommand(account.text).with([.init("scope", scope)])
    return Phrase("many servers issue a refresh token only with this scope: \(again)")
  }

  func fail(_ login: Login, _ error: SessionError) {
    if case .oauth(let problem) = error, problem.needsBrowser,
      accountsWithoutDeviceGrant.count < Self.maximumAccountsWithoutDeviceGrant
    {
      accountsWithoutDeviceGrant.insert(login.account)
    }
    fail(login, Failure(error, account: login.account.text, enteredOptions: login.enteredOptions))
  }

  private func fail(_ login: Login, _ failure: Failure) {
    show(failure, of: login)
    sendResult(of: login, .failure(failure))
    cancel(login, failure.code)
  }

  /// Cancels a sign-in. An approved one completes, but sends no result.
  func cancel(_ login: Login, _ code: FailureCode = .cancelled) {
    redirects?.close(login.number)
    broker.accounts[login.account]?.ownSlot.session.markSignInEnded()
    guard login.approval.cancel() else { return }
    // Removed first, since a later step may call this method again.
    logins[login.number] = nil
    login.cancellation.cancel()
    let unconfirmed = login.unconfirmed
    if let prepared = login.waiting?.prepared, unconfirmed != nil || prepared.mustDeleteClient {
      runCleanup(of: login.account) { cancellation in
        unconfirmed?.revoke(cancellation)
        prepared.deleteNewClient()
      }
    }
    logEnd(of: login, code)
  }

  /// Deletes an unfinished sign-in's data at the server.
  private func withdraw(_ prepared: SignIn.Prepared) {
    guard prepared.mustDeleteClient else { return }
    runCleanup(of: prepared.account) { _ in prepared.deleteNewClient() }
  }

  /// Runs `end`, which deletes unused data at the server.
  private func runCleanup(of account: AccountName, _ end: @escaping @Sendable (Cancellation) -> Void) {
    let cancellation = Cancellation()
    cancellation.beginSpending()
    jobs.runWaiting(as: .cleanup(account), cancellation) {
      end(cancellation)
    } then: { _ in
    }
  }

  private func logEnd(of login: Login, _ code: FailureCode?) {
    let time = login.startedAt.duration(to: services.time.now()).wholeMilliseconds
    log.note(.signInEnded(milliseconds: time, code), login.account)
  }
}
