internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Runs that get tokens.
extension TokenBroker {
  /// Starts a run. Only a background renewal has a permit.
  func begin(_ refresh: Session.Refresh, _ slot: TokenSlot, _ permit: RenewalLimiter.Permit? = nil) {
    startAttempt(slot.begin(refresh, permit), slot)
  }

  private func startAttempt(_ run: RefreshRun, _ slot: TokenSlot) {
    if let stopping = jobs.stopError { return handleAttemptResult(run, .failure(stopping)) }
    run.attemptStartedAt = services.time.now()
    log.note(.refreshBegan(attempt: run.refresh.attempt), run.account)
    if run.target?.usesTokenExchange == true { return exchange(run) }
    let names = run.configuration.assertionSource?.variables ?? []
    refresh(run, slot, PassedAssertion(variables: passedVariables.values(names, of: slot.waiters.map(\.ticket))))
  }

  private func slot(of run: RefreshRun) -> TokenSlot? {
    accounts[run.account]?.existingSlot(run.target).flatMap { $0.run === run ? $0 : nil }
  }

  private func refresh(_ run: RefreshRun, _ slot: TokenSlot, _ passedAssertion: PassedAssertion) {
    let operation = RefreshOperation(
      account: run.account, configuration: run.configuration, previous: slot.session.grant, target: run.target,
      claims: slot.waiters.lazy.compactMap(\.need.claims).first, passedAssertion: passedAssertion,
      services: services(for: run.account),
      cancellation: run.cancellation)
    jobs.runWaiting(as: .refresh(run.account), at: run.configuration.serverIdentifier, run.cancellation) {
      operation.attempt()
    } then: { [self] outcome in
      if let attempt = try? outcome.get() {
        if let known = attempt.isGuest { accounts[run.account]?.shared.isGuest = known }
        // Tokens issued before the record was rewritten remain valid.
        if let move = attempt.rewritten { moveTokens(of: run.account, move) }
      }
      let result = outcome.flatMap(\.result).mapError { [self] in jobs.replaceCancellation($0) }
      guard case .failure(.assertionNeededFrom(let other)) = result else { return handleRunResult(result, for: run) }
      identityAssertion(of: other, for: run.configuration) { [self] outcome in
        switch outcome {
        case .success(let assertion):
          if let slot = self.slot(of: run) { refresh(run, slot, PassedAssertion(assertion: assertion)) }
        case .failure(let error): handleAttemptResult(run, .failure(error))
        }
      }
    }
  }

  /// Exchanges the account's own token for one for the run's target.
  private func exchange(_ run: RefreshRun) {
    guard let account = accounts[run.account], let target = run.target else { return }
    let waiter = Waiter(ticket: .noRequest, need: TokenNeed()) { [self] _, outcome in
      let grant: AccessGrant
      do throws(SessionError) { grant = try outcome.get() } catch { return handleAttemptResult(run, .failure(error)) }
      guard slot(of: run) != nil else { return }
      let question = SessionRequests(
        account: run.account, configuration: run.configuration, grant: grant, services: services(for: run.account),
        cancellation: run.cancellation)
      jobs.runWaiting(
        as: .exchanges(run.account), at: run.configuration.serverIdentifier, run.cancellation
      ) { () throws(SessionError) in
        try question.exchange(for: target)
      } then: { [self] outcome in
        handleRunResult(outcome, for: run)
      }
    }
    obtain(for: waiter, account)
  }

  /// Uses the current settings, which may have changed during the run.
  private func handleRunResult(_ outcome: Result<AccessGrant, SessionError>, for run: RefreshRun) {
    context.whenSettingsAreRead { [self] in
      if accounts[run.account] != nil, let settings = try? settings() {
        if let configuration = settings[run.account] {
          _ = updatedAccount(run.account, configuration)
        } else if !renames.contains(where: { $0.old == run.account && settings[$0.new] != nil }) {
          removeDeletedAccount(run.account)
        }
      }
      handleAttemptResult(run, outcome)
    }
  }

  /// Ignores abandoned runs, which have stored their refresh token.
  private func handleAttemptResult(_ run: RefreshRun, _ outcome: Result<AccessGrant, SessionError>) {
    checkClock()
    let now = services.time.now()
    logEnd(of: run, outcome, now)
    guard let slot = slot(of: run) else { return }
    let outcome = outcome.map { renewed in
      (accounts[run.account]?.slots ?? []).compactMap(\.session.grant).reduce(renewed) { $0.sharingIDToken(with: $1) }
        .adjustedToClock(wallSeconds: services.time.wallSeconds(), now)
    }
    let result = slot.session.applyRefreshResult(
      run.refresh, outcome, now: now, wallSeconds: services.time.wallSeconds(), jitter: jitter())
    if slot.session.refresh == nil { slot.endRun() }
    publishResult(of: slot, result)
    switch result {
    // The session was reset during the attempt.
    case .ignored:
      slot.endRun()
      if let account = accounts[run.account] { for waiter in slot.takeWaiters() { obtain(for: waiter, account) } }
    case .retry(let next, let wait):
      run.refresh = next
      schedule(at: now.advanced(by: wait)) { [self] in startRetry(run) }
      log.note(.refreshRetry(attempt: next.attempt, waitMilliseconds: wait.wholeMilliseconds), run.account)
    case .renewed(let grant):
      if let replaced = grant.replacedGeneration {
        moveTokens(of: run.account, RecordRewrite(from: replaced, to: grant.recordGeneration))
      }
      slot.refusals.recordRenewal()
      accounts[run.account]?.enforceMemoryLimit()
      answerWaiters(slot) { waiter in
        if let minimum = waiter.need.minimumValiditySeconds, let lifetime = grant.lifetimeSeconds, minimum >= lifetime {
          return .failure(.lifetimeTooShort(account: run.account.text, lifetime: lifetime))
        }
        return .success(grant)
      }
    case .failed(let error):
      let late = takeWaitersWithVariables(slot, after: error)
      answerWaiters(slot) { waiter in
        let fallback = error.isTemporary ? slot.session.fallback(for: waiter.need, now: now) : nil
        if fallback == nil, queueIfWorthWaiting(waiter, slot, error, now) { return nil }
        if fallback != nil { logStep(.servedOffline, run.account) }
        return fallback.map { .success($0) } ?? .failure(error)
      }
      scheduleRefresh(slot, because: error, now)
      if let account = accounts[run.account] { for waiter in late { obtain(for: waiter, account) } }
    }
    schedule(slot)
  }

  private func logEnd(of run: RefreshRun, _ outcome: Result<AccessGrant, SessionError>, _ now: Instant) {
    let time = run.attemptStartedAt.duration(to: now).wholeMilliseconds
    let server = run.configuration.serverIdentifier
    switch outcome {
    case .success:
      log.note(.refreshEnded(milliseconds: time, nil), run.account)
      pauses.recordSuccess(at: server)
    case .failure(let error):
      let code = Failure(error, account: nil).code
      log.note(.refreshEnded(milliseconds: time, code, reason: error.reasonForEnd), run.account)
      pauses.recordFailure(error, of: server, now: now, jitter: jitter())
    }
  }

  private func startRetry(_ run: RefreshRun) {
    guard let slot = slot(of: run), let next = slot.session.startRetry(run.refresh) else { return }
    run.refresh = next
    startAttempt(run, slot)
  }

  /// Updates the record generation of cached tokens.
  private func moveTokens(of name: AccountName, _ move: RecordRewrite) {
    for slot in accounts[name]?.slots ?? [] where slot.session.grant?.recordGeneration == move.from {
      slot.session.applyRecordRewrite(to: move.to)
    }
  }

  // MARK: - Assertions

  /// Removes and returns the waiters with the assertion variables that the failed attempt lacked.
  func takeWaitersWithVariables(_ slot: TokenSlot, after error: SessionError) -> [Waiter] {
    guard case .assertionVariablesMissing(_, let source) = error else { return [] }
    let hasAll = { [passedVariables] (waiter: Waiter) in
      !passedVariables.values(source.variables, of: [waiter.ticket]).isEmpty
    }
    let found = slot.waiters.filter(hasAll)
    slot.waiters.removeAll(where: hasAll)
    return found
  }

  /// Gets an assertion for `configuration`'s account from the ID Token of account `name`. Renews that token first if it
  /// has expired or `isRenewed` is true.
  func identityAssertion(
    of name: String, for configuration: AccountConfiguration, isRenewed: Bool = false,
    then finish: @escaping (Result<SharedSecret, SessionError>) -> Void
  ) {
    let fail = { (error: SessionError) in finish(.failure(.assertionSource(.account(name), because: error))) }
    let known = try? settings()
    guard let other = try? AccountName(name), let settings = known?[other] else {
      return fail(.noAccount(name: name, known: known?.accounts.map(\.name.text) ?? []))
    }
    // Two accounts that need each other would wait forever.
    guard settings.assertionSource == nil else { return fail(.idTokenNeeded(account: name, isExpired: false)) }
    let user = updatedAccount(other, settings)
    let waiter = Waiter(ticket: .noRequest, need: TokenNeed(forceRefresh: isRenewed)) { [self] _, outcome in
      let grant: AccessGrant
      do throws(SessionError) { grant = try outcome.get() } catch { return fail(error) }
      let question = question(user, grant)
      jobs.runWaiting(
        as: .exchanges(user.name), at: user.configuration.serverIdentifier, question.cancellation
      ) { () throws(SessionError) in
        try question.identityAssertion(for: configuration)
      } then: { [self] outcome in
        switch outcome {
        case .success: finish(outcome)
        case .failure(.idTokenNeeded(_, isExpired: true)) where !isRenewed:
          identityAssertion(of: name, for: configuration, isRenewed: true, then: finish)
        case .failure(let error): fail(error)
        }
      }
    }
    obtain(for: waiter, user)
  }
}
