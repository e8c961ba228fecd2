internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Decides whether the vault's lock permits serving tokens.
protocol TokenLock: AnyObject {
  /// Locks the vault if idle. Returns an error if the account's tokens must not be served.
  func refusalAfterIdleCheck(for account: AccountName) -> SessionError?
  /// Records use of tokens at this protection level.
  func recordUse(_ level: Protection)
  func handleVaultFileChange()
}

/// Serves access tokens from memory, or after one refresh that all waiters share.
final class TokenBroker: DaemonPart {
  let vaultPath: String
  unowned var lock: any TokenLock
  let passedVariables: PassedVariables
  private(set) var accounts: [AccountName: Account] = [:]
  /// Renames in progress. The settings may already lack the old name.
  var renames: [(old: AccountName, new: AccountName)] = []
  /// Servers paused after error responses.
  var pauses = ServerPauses()
  let renewalLimiter = RenewalLimiter()
  private(set) lazy var networkListener = NetworkListener(loop) { [unowned self] in scheduleNetworkRetry() }
  var isNetworkRetryScheduled = false
  /// When the latest round of retries began.
  var lastNetworkRetry: Instant?
  /// Whether the daemon serves one client only and renews only on request.
  var isPrivate = false
  /// The settings revision of the latest scan for background accounts.
  var backgroundScanRevision: UInt64?
  /// When to scan the vault next for sessions that end soon. Nil before the first scan.
  var nextSessionEndScan: Instant?
  /// The latest difference between wall and monotonic clock, in seconds.
  var clockOffset: Int
  var isStopping: Bool { jobs.stopError != nil }

  init(_ context: DaemonContext, lock: any TokenLock) {
    self.lock = lock
    passedVariables = PassedVariables(context)
    vaultPath = context.services.vault.summary().path
    clockOffset = context.services.time.clockOffset
    super.init(context)
  }

  /// Removes a disconnected client's waiters.
  func abandon(_ ticket: Ticket) {
    for slot in slots { slot.waiters.removeAll { $0.ticket == ticket } }
  }

  var slots: [TokenSlot] { accounts.values.flatMap(\.slots) }

  func addOrUpdate(_ name: AccountName, _ configuration: AccountConfiguration) -> Account {
    guard let account = accounts[name] else {
      let account = Account(name: name, configuration: configuration)
      accounts[name] = account
      return account
    }
    account.configuration = configuration
    return account
  }

  /// Removes an account and fails its waiters with `error`. A run in progress still stores its result.
  func remove(_ name: AccountName, because error: SessionError) {
    guard let account = accounts.removeValue(forKey: name) else { return }
    account.cancelQuestions()
    failWaiters(account, error)
  }

  /// Renames an account in memory, with slots and waiters. Nil if not in memory.
  func rename(_ old: AccountName, to new: AccountName) -> Account? {
    guard let account = accounts.removeValue(forKey: old) else { return nil }
    // A request that saw the new settings early may have created the account.
    let early = accounts[new]?.takeWaiters() ?? []
    account.rename(to: new)
    account.ownSlot.waiters += early
    accounts[new] = account
    return account
  }

  /// Whether a session would end with the daemon.
  var hasUnrenewableSession: Bool {
    !services.ephemeral.accounts.isEmpty
      || accounts.values.contains { $0.ownSlot.session.hasIrreplaceableToken(at: loop.now) }
  }

  /// Keeps the vault record.
  func removeDeletedAccount(_ name: AccountName) {
    remove(name, because: .noAccount(name: name.text))
  }

  /// Returns the account with this name, or the active one if nil, with current settings.
  func resolve(_ name: String?) throws(Failure) -> Account {
    let settings = try settings()
    let meant = name.map { try? AccountName($0) } ?? settings.active
    if let meant, let account = accounts[meant], account.settingsRevision == settingsFile.revision { return account }
    guard let requested = name ?? settings.active?.text else {
      if settings.accounts.isEmpty { throw Failure(.noAccount(name: nil), account: nil) }
      let choices = settings.accounts.prefix(3).map { "agent use \($0.name.text)" }
      throw Failure(.noAccount, "no account is active", hint: Phrase.choices(choices))
    }
    guard let account = try? AccountName(requested), let configuration = settings[account] else {
      throw Failure(.noAccount(name: requested, known: settings.accounts.map(\.name.text)), account: nil)
    }
    return updatedAccount(account, configuration)
  }

  /// Nil if `name` is nil. Throws if no such account exists.
  func requestedName(_ name: String?) throws(Failure) -> AccountName? {
    try name.map { (name) throws(Failure) in try resolve(name).name }
  }

  /// Throws `invalid_request` if the account is ephemeral.
  func refuseEphemeral(_ account: AccountName) throws(Failure) {
    guard services.ephemeral.contains(account) else { return }
    throw Failure(
      .invalidRequest, "\(account.text) is ephemeral, so its settings cannot be changed",
      hint: "agent logout \(account.text)")
  }

  /// Returns the account with these settings. Drops its token if another program changed them.
  func updatedAccount(_ name: AccountName, _ configuration: AccountConfiguration) -> Account {
    let account = accounts[name] ?? addOrUpdate(name, configuration)
    if account.configuration != configuration {
      log.note(.settingsChanged(.byOtherProgram), name)
      applySettings(configuration, to: account)
    }
    account.settingsRevision = settingsFile.revision
    return account
  }

  func applySettings(_ configuration: AccountConfiguration, to account: Account) {
    let keepsTokens = configuration.differsOnlyInRefreshPolicy(from: account.configuration)
    account.configuration = configuration
    guard !keepsTokens else { return account.slots.forEach(schedule) }
    // A run that has sent the refresh token still stores the new one.
    account.ownSlot.session.forgetToken()
    account.cancelQuestions()
    restartForWaiters(account)
    context.observer?.didOutdateToken(of: account.name)
  }

  func sendToken(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) {
    try sendToken(request, ticket, replacing: nil)
  }

  /// - Parameter spent: The grant to renew because its ID Token expires too soon. Nil at first.
  private func sendToken(_ request: TokenRequest, _ ticket: Ticket, replacing spent: AccessGrant?) throws(Failure) {
    let account = try resolve(request.account)
    let target = try TokenTarget.make(request.target, account: account.name.text)
    let need = TokenNeed(
      minimumValiditySeconds: request.minimumValiditySeconds,
      forceRefresh: spent.map { $0.hasSameToken(as: account.slot(for: target).session.grant) } ?? request.forceRefresh)
    let waiter = Waiter(ticket: ticket, need: need, target: target, waitsUntil: waitDeadline(request.waitSeconds)) {
      [self] slot, outcome in
      sendFailure(to: ticket) { () throws(Failure) in try answer(request, ticket, replacing: spent, slot, outcome) }
    }
    obtain(for: waiter, account)
  }

  /// Sends a token, and the ID Token if still valid.
  private func answer(
    _ request: TokenRequest, _ ticket: Ticket, replacing spent: AccessGrant?, _ slot: TokenSlot,
    _ outcome: Result<AccessGrant, SessionError>
  ) throws(Failure) {
    let extras = slot.addingVariableFields(request.extras)
    var outcome = outcome
    // If the server is unreachable, only the ID Token is missing, unless required.
    if let spent, !request.extras.wantsIDToken, case .failure(let error) = outcome, error.isTemporary {
      outcome = .success(spent)
    }
    let grant = try outcome.grantOrFailure(of: slot)
    guard extras.wantsIDToken else { return loop.send(try slot.line(for: grant, extras), to: ticket) }
    let use = grant.idTokenUse(
      minimum: request.minimumValiditySeconds ?? AccessGrant.shortestIDTokenSeconds,
      wallSeconds: services.time.wallSeconds(), now: services.time.now())
    if use == .refreshNeeded, spent == nil, slot.session.isRenewable {
      return try sendToken(request, ticket, replacing: grant)
    }
    let isExpired = grant.idTokenExpiry.map { $0 <= services.time.wallSeconds() } ?? false
    loop.send(try slot.line(for: grant, extras, isIDTokenExpired: isExpired), to: ticket)
  }

  /// Serves a token, queues the waiter or throws. `isValidated`: the cached token was just validated.
  func serveOrQueue(
    _ waiter: Waiter, _ slot: TokenSlot, isValidated: Bool = false
  ) throws(SessionError) {
    let now = loop.now
    waiter.awaitsValidation = false
    guard self.slot(slot.name, slot.target) === slot else { throw .noAccount(name: slot.name.text) }
    if let refusal = lock.refusalAfterIdleCheck(for: slot.name) { throw refusal }
    checkClock()
    // A session without renewal is valid only as long as its token.
    if let target = slot.target, !target.usesTokenExchange, let own = accounts[slot.name]?.ownSlot.session,
      own.hasIrreplaceableToken(at: now),
      own.grant?.isAlive(at: now) == true
    {
      throw .otherTokensUnavailable(account: slot.name.text)
    }
    // A refresh reads the record itself.
    guard isValidated || waiter.need.forceRefresh || !checkForVaultChange(slot) else {
      waiter.awaitsValidation = true
      slot.waiters.append(waiter)
      return validate(slot)
    }
    try requireCapacity(for: waiter.need, slot, now)
    let wasUsed = slot.session.isTokenUsed
    let decision = slot.session.request(
      waiter.need, account: slot.name.text, now: now,
      pause: pauses.pause(of: slot.configuration.serverIdentifier, now: now))
    logDecision(decision, for: waiter, slot, now)
    switch decision {
    case .serve(let grant):
      serve(grant, slot, waiter)
      if !wasUsed { schedule(slot) }
    case .wait(let start):
      slot.waiters.append(waiter)
      if let start { begin(start, slot) }
    case .fail(let error):
      guard queueIfWorthWaiting(waiter, slot, error, now) else { throw error }
      scheduleRefresh(slot, because: error, now)
    }
  }

  /// Also restarts the vault's idle time.
  private func serve(_ grant: AccessGrant, _ slot: TokenSlot, _ waiter: Waiter) {
    // Updating a token file is not a use by the user.
    if !waiter.ticket.isInternal || waiter.ticket == .noRequest { lock.recordUse(grant.protection) }
    waiter.finish(slot, .success(grant))
  }

  /// Removes the waiters and passes each its `answer`, which is nil if the waiter was queued again.
  func answerWaiters(_ slot: TokenSlot, _ answer: (Waiter) -> Result<AccessGrant, SessionError>?) {
    for waiter in slot.takeWaiters() {
      switch answer(waiter) {
      case .success(let grant): serve(grant, slot, waiter)
      case .failure(let error): waiter.finish(slot, .failure(error))
      case nil: break
      }
    }
  }

  /// The existing slot for `target`, or for the account's own token if nil.
  func slot(_ name: AccountName, _ target: TokenTarget?) -> TokenSlot? { accounts[name]?.existingSlot(target) }

  /// Requests tokens again for all waiters.
  func restartForWaiters(_ account: Account) {
    for waiter in account.takeWaiters() { obtain(for: waiter, account) }
  }

  /// Serves a token, queues the waiter, or passes it an error.
  func obtain(for waiter: Waiter, _ account: Account) {
    let slot = account.slot(for: waiter.target)
    do throws(SessionError) { try serveOrQueue(waiter, slot) } catch { waiter.finish(slot, .failure(error)) }
  }

  /// Calls `body` with a token for a request, or responds with the error.
  func obtain(
    _ need: TokenNeed, _ target: TokenTarget? = nil, for ticket: Ticket, _ account: Account,
    waitsUntil: Instant? = nil, isAfterRefusal: Bool = false,
    _ body: @escaping (TokenSlot, AccessGrant) throws(Failure) -> Void
  ) {
    let waiter = Waiter(
      ticket: ticket, need: need, target: target, waitsUntil: waitsUntil, isAfterRefusal: isAfterRefusal
    ) { [self] slot, outcome in
      sendFailure(to: ticket) { () throws(Failure) in try body(slot, try outcome.grantOrFailure(of: slot)) }
    }
    obtain(for: waiter, account)
  }

  func failWaiters(_ account: Account, _ error: SessionError) {
    for waiter in account.takeWaiters() { waiter.finish(account.ownSlot, .failure(error)) }
  }

  /// Drops a new token unless its protection level is unlocked.
  func keepIfUnlocked(_ grant: AccessGrant, of account: Account) {
    let level = grant.protection
    guard level == .device || services.vault.isUnlocked(level) else { return account.ownSlot.session.forgetToken() }
    lock.recordUse(level)
  }

  // MARK: Sessions

  /// Applies `change` to the published state and publishes the resulting events.
  func publish(of name: AccountName, _ change: (inout PublishedState) -> [SessionEvent]) {
    guard let account = accounts[name] else { return }
    for event in change(&account.shared.published) { log.publish(event, name) }
  }

  func publishResult(of slot: TokenSlot, _ result: Session.RefreshResult) {
    switch result {
    case .ignored, .retry: break
    case .renewed(let grant):
      guard slot.target == nil else { return }
      publish(of: slot.name) { $0.recordRenewal(grant) }
      publishSessionEnd(of: slot)
    case .failed(let error):
      // Only the end of the grant affects the entire account.
      guard slot.target == nil || SessionEvent.SignOutCause(error) == .expired else { return }
      publish(of: slot.name) { $0.recordFailure(error) }
    }
  }

  /// Prepares requests to the server about a session.
  func question(_ account: Account, _ grant: AccessGrant) -> SessionRequests {
    SessionRequests(
      account: account.name, configuration: account.configuration, grant: grant, services: services(for: account.name),
      cancellation: account.questionCancellation)
  }

  /// Logs a decision only if any request receives progress steps.
  func logDecision(_ decision: Session.Decision, for waiter: Waiter, _ slot: TokenSlot, _ now: Instant) {
    guard !context.stepSubscribers.isEmpty else { return }
    switch decision {
    case .fail: break
    case .wait(start: nil): logStep(.refreshJoined, slot.name)
    case .wait(start: .some):
      logStep(.refreshNeeded(Self.reason(for: waiter, slot.session.grant, now)), slot.name)
    case .serve(let grant):
      if slot.session.isOffline { logStep(.servedOffline, slot.name) }
      logStep(.tokenServed(secondsLeft: grant.remaining(at: now).map { Int($0.components.seconds) }), slot.name)
    }
  }

  private static func reason(
    for waiter: Waiter, _ grant: AccessGrant?, _ now: Instant
  ) -> LogStep.RefreshReason {
    let need = waiter.need
    if need.forceRefresh { return waiter.isAfterRefusal ? .refused : .requested }
    if grant != nil, need.newerThan != nil { return .requested }
    guard let grant, let left = grant.remaining(at: now) else { return .noToken }
    let wanted =
      need.minimumValiditySeconds
      ?? Int((RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds) + .milliseconds(999)).components.seconds)
    return .expiring(secondsLeft: max(0, Int(left.components.seconds)), secondsWanted: wanted)
  }
}

/// A daemon part that uses the accounts and their tokens.
class AccountPart: DaemonPart {
  let broker: TokenBroker

  init(_ context: DaemonContext, _ broker: TokenBroker) {
    self.broker = broker
    super.init(context)
  }

  /// Prefers the account of the client's directory, if any.
  func accountSelector(for ticket: Ticket) throws(Failure) -> AccountSelector {
    AccountSelector(settings: try settings(), services: services, preferred: context.directoryEntries[ticket]?.account)
  }
}
