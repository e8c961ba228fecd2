internal import Crypto
internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Decides whether tokens may be served while the vault can be locked.
protocol TokenLock: AnyObject {
  /// Returns the error if the account's tokens must not be served now; otherwise nil.
  func refusal(for account: AccountName) -> SessionError?
  /// Called when a token whose record has this level was served.
  func used(_ level: Protection)
  /// Called when another process has changed the vault file.
  func vaultFileChanged()
}

/// Serves access tokens from memory, or after the one refresh that all waiters share. Owns the accounts, their waiters and the
/// renewals without a request.
final class TokenBroker: DaemonPart {
  let vaultPath: String
  unowned var lock: any TokenLock
  let handed: HandedVariables
  private(set) var accounts: [AccountName: LiveAccount] = [:]
  /// Servers that receive no requests for some time.
  var holds = ServerHolds()
  let renewals = Renewals()
  private(set) lazy var network = NetworkListener(loop) { [unowned self] in networkChanged() }
  var isNetworkSettling = false
  /// Time of the last round of retries after a network change.
  var networkTriedAt: Instant?
  /// The daemon serves one client only, and renews nothing without a request.
  var isPrivate = false
  /// Revision of the settings file at the last scan for accounts with the background policy.
  var backgroundScanRevision: UInt64?
  /// When the vault is next read for the ends of sessions without a token in memory; nil before the first time.
  var sessionEndScan: Instant?
  /// Difference of the machine's clock to the one that is never set, in seconds, when it was last looked at.
  var clockOffset: Int
  /// The daemon is stopping: no refresh begins.
  var isStopping = false
  /// Called when the settings of an account or the machine's clock changed, so that its token is requested again.
  var onAdopted: (AccountName) -> Void = { _ in }
  /// Called when the network changed, with the time over which retries are spread. Returns whether any retry is needed.
  var onNetworkChanged: (Duration) -> Bool = { _ in false }

  init(_ context: DaemonContext, lock: any TokenLock) {
    self.lock = lock
    handed = HandedVariables(context)
    vaultPath = context.services.vault.summary().path
    clockOffset = context.services.time.clockOffset
    super.init(context)
  }

  /// Removes the waiters of a request whose sender disconnected.
  func abandon(_ ticket: Ticket) {
    for account in accounts.values.flatMap(\.all) { account.waiters.removeAll { $0.ticket == ticket } }
  }

  func put(_ account: LiveAccount) { accounts[account.name] = account }

  func remove(_ name: AccountName) -> LiveAccount? { accounts.removeValue(forKey: name) }

  /// Whether a session is in memory alone: it would end with the daemon.
  var holdsUnrenewable: Bool {
    !services.ephemeral.accounts.isEmpty
      || accounts.values.contains { $0.session.holdsLast(at: loop.now) }
  }

  /// Lets go of an account that the settings no longer name: its session is neither served nor renewed. A refresh under
  /// way ends as usual, and its record stays in the vault.
  func settingsRemoved(of name: AccountName) {
    guard let account = remove(name) else { return }
    account.cancelQuestions()
    failWaiters(account, .noAccount(name: name.text))
  }

  /// Returns the requested account, or the active one, with its current settings from disk.
  func resolve(_ name: String?) throws(Failure) -> LiveAccount {
    let settings = try settings()
    let meant = name.map { try? AccountName($0) } ?? settings.active
    if let meant, let account = accounts[meant], account.settingsRevision == settingsFile.revision { return account }
    guard let asked = name ?? settings.active?.text else {
      if settings.accounts.isEmpty { throw Failure(.noAccount(name: nil), account: nil) }
      let choices = settings.accounts.prefix(3).map { "agent use \($0.name.text)" }
      throw Failure(.noAccount, "no account is the active one", hint: Phrase.choices(choices))
    }
    guard let account = try? AccountName(asked), let configuration = settings[account] else {
      throw Failure(.noAccount(name: asked, known: settings.accounts.map(\.name.text)), account: nil)
    }
    return self.account(account, configuration)
  }

  /// The name of the account that a request names; nil when it names none.
  func named(_ name: String?) throws(Failure) -> AccountName? {
    try name.map { (name) throws(Failure) in try resolve(name).name }
  }

  /// Refuses what would write an ephemeral account down.
  func refuseEphemeral(_ account: AccountName) throws(Failure) {
    guard services.ephemeral.contains(account) else { return }
    throw Failure(
      .invalidRequest, "\(account.text) is ephemeral, so its settings cannot be changed",
      hint: "agent logout \(account.text)")
  }

  /// Returns the live account. Discards its token if its settings changed since the token was issued.
  func account(_ name: AccountName, _ configuration: AccountConfiguration) -> LiveAccount {
    guard let account = accounts[name] else {
      let account = LiveAccount(name: name, configuration: configuration)
      account.settingsRevision = settingsFile.revision
      accounts[name] = account
      return account
    }
    if account.configuration != configuration {
      log.note(.settingsChanged(.outside), name)
      adopt(configuration, account)
    }
    account.settingsRevision = settingsFile.revision
    return account
  }

  /// Applies changed settings to a live account.
  func adopt(_ configuration: AccountConfiguration, _ account: LiveAccount) {
    if configuration.differsOnlyInRefreshPolicy(from: account.configuration) {
      for line in account.all {
        line.configuration = configuration
        schedule(line)
      }
      return
    }
    account.configuration = configuration
    // A refresh in flight continues, because its result replaces the refresh token that it has sent. Its access token
    // is not used, but its record is written, and the next refresh waits for that.
    account.session.forgetToken()
    restartForWaiters(account)
    onAdopted(account.name)
  }

  func token(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) { try token(request, ticket, replacing: nil) }

  /// - Parameter spent: The grant whose ID Token has too little time left; nil before it was found.
  private func token(_ request: TokenRequest, _ ticket: Ticket, replacing spent: AccessGrant?) throws(Failure) {
    let account = try resolve(request.account)
    let target = try TokenTarget.make(request.target, account: account.name.text)
    let need = TokenNeed(
      minimumValiditySeconds: request.minimumValiditySeconds,
      forceRefresh: spent.map { account.with(target).session.grant === $0 } ?? request.forceRefresh)
    var waiter = LiveAccount.Waiter(ticket: ticket, need: need, target: target) { [self] slot, outcome in
      do throws(Failure) {
        try answer(request, ticket, replacing: spent, slot, outcome)
      } catch {
        loop.send(.failure(error), to: ticket)
      }
    }
    waiter.waitsUntil = waitEnd(request.waitSeconds)
    try obtain(for: waiter, account)
  }

  /// Sends a token, with an ID Token that is good or with none.
  private func answer(
    _ request: TokenRequest, _ ticket: Ticket, replacing spent: AccessGrant?, _ slot: LiveAccount,
    _ outcome: Result<AccessGrant, SessionError>
  ) throws(Failure) {
    let extras = slot.completed(request.extras)
    var outcome = outcome
    // A server that is not reached costs the ID Token only, if the request did not name it.
    if let spent, !request.extras.idToken, case .failure(let error) = outcome, error.isPassing {
      outcome = .success(spent)
    }
    let grant = try outcome.get(of: slot)
    guard extras.idToken else { return loop.send(try slot.line(for: grant, extras), to: ticket) }
    let use = grant.idTokenUse(
      minimum: request.minimumValiditySeconds ?? AccessGrant.shortestIDTokenSeconds,
      wallSeconds: services.time.wallSeconds(), now: services.time.now())
    if use == .due, spent == nil, slot.session.isRenewable {
      return try token(request, ticket, replacing: grant)
    }
    let isExpired = grant.idTokenExpiry.map { $0 <= services.time.wallSeconds() } ?? false
    loop.send(try slot.line(for: grant, extras, isIDTokenExpired: isExpired), to: ticket)
  }

  /// Serves a token, or waits for one.
  func obtain(for waiter: LiveAccount.Waiter, _ account: LiveAccount) throws(Failure) {
    do throws(SessionError) { try request(for: waiter, account.with(waiter.target)) } catch {
      throw Failure(error, account: account.name.text)
    }
  }

  /// - Parameter isValidated: Whether the cached token was just held against the vault.
  func request(
    for waiter: LiveAccount.Waiter, _ account: LiveAccount, isValidated: Bool = false
  ) throws(SessionError) {
    let now = loop.now
    if let refusal = lock.refusal(for: account.name) { throw refusal }
    noteClock()
    // A refresh reads the record itself.
    guard isValidated || waiter.need.forceRefresh || !needsValidation(account) else {
      var waiter = waiter
      waiter.awaitsValidation = true
      account.waiters.append(waiter)
      return validate(account)
    }
    try admit(waiter.need, account, now)
    let wasUsed = account.session.usedSinceRefresh
    let decision = account.session.request(
      waiter.need, account: account.name.text, now: now,
      hold: holds.hold(of: account.configuration.server, now: now))
    explain(decision, for: waiter, account, now)
    switch decision {
    case .serve(let grant):
      serve(grant, account, waiter)
      if !wasUsed { schedule(account) }
    case .wait(let start):
      account.waiters.append(waiter)
      if let start { run(start, account) }
    case .fail(let error):
      guard wait(waiter, account, error, now) else { throw error }
      queued(account, because: error, now)
    }
  }

  private func serve(_ grant: AccessGrant, _ account: LiveAccount, _ waiter: LiveAccount.Waiter) {
    lock.used(grant.protection)
    waiter.finish(account, .success(grant))
  }

  func run(_ refresh: Session.Refresh, _ account: LiveAccount) {
    account.attemptStartedAt = services.time.now()
    log.note(.refreshBegan(attempt: refresh.attempt), account.name)
    if let target = account.target, target.isExchanged { return beginExchange(target, refresh, account) }
    let names = account.configuration.assertionSource?.variables ?? []
    attempt(refresh, account, HandedAssertion(variables: handed.values(names, of: account.waiters.map(\.ticket))))
  }

  private func attempt(_ refresh: Session.Refresh, _ account: LiveAccount, _ handed: HandedAssertion) {
    let operation = RefreshOperation(
      account: account.name, configuration: account.configuration, previous: account.session.grant,
      target: account.target, handed: handed,
      services: services(for: account.name), cancellation: account.newRefreshCancellation())
    jobs.wait(as: .refresh(account.name), at: account.configuration.server, operation.cancellation) {
      operation.attempt()
    } then: { [self] outcome in
      if let move = (try? outcome.get())?.rewritten { moveTokens(of: operation.account, move) }
      let result = outcome.flatMap(\.result).mapError { [self] in jobs.reason(for: $0) }
      guard case .failure(.assertionOfAccount(let other)) = result else {
        return refreshEnded(operation.account, operation.target, refresh, result)
      }
      identityAssertion(of: other, for: operation.configuration) { [self] outcome in
        switch outcome {
        case .success(let assertion):
          guard let account = slot(operation.account, operation.target), account.session.refresh == refresh else {
            return
          }
          attempt(refresh, account, HandedAssertion(assertion: assertion))
        case .failure(let error): refreshEnded(operation.account, operation.target, refresh, .failure(error))
        }
      }
    }
  }

  func refreshEnded(
    _ name: AccountName, _ target: TokenTarget?, _ refresh: Session.Refresh,
    _ outcome: Result<AccessGrant, SessionError>
  ) {
    noteClock()
    guard let account = slot(name, target) else { return }
    let now = services.time.now()
    noteEnd(of: account, outcome, now)
    noteServer(account, outcome, now)
    let outcome = outcome.map { renewed in
      (accounts[name]?.all ?? []).compactMap(\.session.grant).reduce(renewed) { $0.sharingIDToken(with: $1) }
        .at(wallSeconds: services.time.wallSeconds(), now)
    }
    let result = account.session.refreshEnded(
      refresh, outcome, now: now, wallSeconds: services.time.wallSeconds(), jitter: jitter())
    if account.session.refresh == nil { account.renewalPlace = nil }
    publishResult(of: account, result)
    switch result {
    case .ignored: break
    case .retry(let next, let wait):
      schedule(at: now.advanced(by: wait)) { [self] in retryDue(name, target, next.generation, next.attempt) }
      log.note(.refreshRetry(attempt: next.attempt, waitMilliseconds: wait.wholeMilliseconds), name)
    case .renewed(let grant):
      if let replaced = grant.replacedGeneration {
        moveTokens(of: name, RefreshOperation.RecordMove(from: replaced, to: grant.recordGeneration))
      }
      account.refusals.renewed()
      accounts[name]?.keepToShare()
      answerWaiters(account) { waiter in
        if let minimum = waiter.need.minimumValiditySeconds, let lifetime = grant.lifetimeSeconds, minimum >= lifetime {
          return .failure(.lifetimeTooShort(account: name.text, lifetime: lifetime))
        }
        return .success(grant)
      }
    case .failed(let error):
      let late = takeWaitersWithVariables(account, after: error)
      answerWaiters(account) { waiter in
        let fallback = error.isPassing ? account.session.fallback(for: waiter.need, now: now) : nil
        if fallback == nil, wait(waiter, account, error, now) { return nil }
        if fallback != nil { step(.servedOffline, account.name) }
        return fallback.map { .success($0) } ?? .failure(error)
      }
      queued(account, because: error, now)
      for waiter in late { obtainOrFail(for: waiter, account) }
    }
    schedule(account)
  }

  /// - Parameter answer: Returns nil for a waiter that keeps waiting.
  private func answerWaiters(
    _ account: LiveAccount, _ answer: (LiveAccount.Waiter) -> Result<AccessGrant, SessionError>?
  ) {
    let waiters = account.waiters
    account.waiters = []
    for waiter in waiters {
      switch answer(waiter) {
      case .success(let grant): serve(grant, account, waiter)
      case .failure(let error): waiter.finish(account, .failure(error))
      case nil: break
      }
    }
  }

  private func noteEnd(of account: LiveAccount, _ outcome: Result<AccessGrant, SessionError>, _ now: Instant) {
    let time = account.attemptStartedAt?.duration(to: now).wholeMilliseconds ?? 0
    switch outcome {
    case .success: log.note(.refreshEnded(milliseconds: time, nil), account.name)
    case .failure(let error):
      log.note(.refreshEnded(milliseconds: time, Failure(error, account: nil).code), account.name)
    }
  }

  /// Returns the slot of the account's own token or of one with another target; nil if it no longer exists.
  func slot(_ name: AccountName, _ target: TokenTarget?) -> LiveAccount? {
    guard let account = accounts[name] else { return nil }
    return target == nil ? account : account.others.first { $0.target == target }
  }

  /// Updates the record generation of cached tokens after a refresh rewrote the record; these tokens remain valid.
  func moveTokens(of name: AccountName, _ move: RefreshOperation.RecordMove) {
    for account in accounts[name]?.all ?? [] where account.session.grant?.recordGeneration == move.from {
      account.session.recordMoved(to: move.to)
    }
  }

  /// Starts all waiting requests again under the new settings, because the refresh in flight uses the old ones.
  func restartForWaiters(_ account: LiveAccount) {
    let waiters = account.waiters + account.dropOthers()
    account.waiters = []
    for waiter in waiters { obtainOrFail(for: waiter, account) }
  }

  /// Serves a token, waits for one, or finishes the waiter with the error.
  func obtainOrFail(for waiter: LiveAccount.Waiter, _ account: LiveAccount) {
    do throws(SessionError) { try request(for: waiter, account.with(waiter.target)) } catch {
      waiter.finish(account, .failure(error))
    }
  }

  /// Answers all requests that wait for the account's tokens.
  func failWaiters(_ account: LiveAccount, _ error: SessionError) {
    for waiter in account.dropOthers() { waiter.finish(account, .failure(error)) }
    answerWaiters(account) { _ in .failure(error) }
  }

  func retryDue(_ name: AccountName, _ target: TokenTarget?, _ generation: UInt64, _ attempt: Int) {
    guard !isStopping, let account = slot(name, target),
      let waiting = account.session.refresh,
      waiting.generation == generation, waiting.attempt == attempt, waiting.isWaiting,
      let next = account.session.retryDue(waiting)
    else { return }
    run(next, account)
  }

  /// Keeps a new token if its protection level is unlocked, and counts it as use of that level. Otherwise forgets it: a
  /// lock may have occurred since the job ended.
  func keepOrForget(_ grant: AccessGrant, of account: LiveAccount) {
    let level = grant.protection
    guard level == .device || services.vault.isUnlocked(level) else { return account.session.forgetToken() }
    lock.used(level)
  }

}

extension TokenBroker {
  // MARK: Sessions

  /// Updates the published state of an account and publishes the resulting events.
  func publish(of name: AccountName, _ change: (inout PublishedState) -> [SessionEvent]) {
    guard let account = accounts[name] else { return }
    for event in change(&account.published) { log.publish(event, name) }
  }

  /// Publishes the result of a refresh.
  func publishResult(of account: LiveAccount, _ result: Session.RefreshResult) {
    switch result {
    case .ignored, .retry: break
    case .renewed(let grant):
      guard account.target == nil else { return }
      publish(of: account.name) { $0.renewed(grant) }
      noteSessionEnd(of: account)
    case .failed(let error):
      // The server may reject only this target. Only the end of the grant affects the whole account.
      guard account.target == nil || SessionEvent.SignOutCause(error) == .expired else { return }
      publish(of: account.name) { $0.failed(error) }
    }
  }

  /// Returns a server request about a session.
  func question(_ account: LiveAccount, _ grant: AccessGrant) -> ServerQuestion {
    ServerQuestion(
      account: account.name, configuration: account.configuration, grant: grant, services: services(for: account.name),
      cancellation: (accounts[account.name] ?? account).questions)
  }

  /// Logs the reason for the decision on a request, if any request receives steps.
  func explain(_ decision: Session.Decision, for waiter: LiveAccount.Waiter, _ account: LiveAccount, _ now: Instant) {
    guard !context.watches.isEmpty else { return }
    switch decision {
    case .fail: break
    case .wait(start: nil): step(.refreshJoined, account.name)
    case .wait(start: .some):
      step(.refreshNeeded(Self.reason(for: waiter, account.session.grant, now)), account.name)
    case .serve(let grant):
      if account.session.isOffline { step(.servedOffline, account.name) }
      step(.tokenServed(secondsLeft: grant.remaining(at: now).map { Int($0.components.seconds) }), account.name)
    }
  }

  private static func reason(
    for waiter: LiveAccount.Waiter, _ grant: AccessGrant?, _ now: Instant
  ) -> LogStep.RefreshReason {
    let need = waiter.need
    if need.forceRefresh { return waiter.isAfterRefusal ? .refused : .asked }
    if grant != nil, need.newerThan != nil { return .asked }
    guard let grant, let left = grant.remaining(at: now) else { return .noToken }
    let wanted =
      need.minimumValiditySeconds
      ?? Int((RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds) + .milliseconds(999)).components.seconds)
    return .ending(secondsLeft: max(0, Int(left.components.seconds)), secondsWanted: wanted)
  }
}

/// A part that needs the accounts and their tokens.
class AccountPart: DaemonPart {
  let broker: TokenBroker

  init(_ context: DaemonContext, _ broker: TokenBroker) {
    self.broker = broker
    super.init(context)
  }
}
