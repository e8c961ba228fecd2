internal import Platform
internal import Sessions
internal import Wire

/// `status --check`: asks the server whether each account's token is valid. If not, tests the session by a refresh.
extension StatusRequests {
  /// Nil checks all accounts.
  func check(_ name: String?, _ ticket: Ticket) throws(Failure) {
    let settings = try settings()
    let only = try broker.requestedName(name)
    let batch = CheckBatch(ticket: ticket, only: only, startedAt: services.time.now())
    jobs.run({ [services] in AccountScan.summaries(of: settings, only: only, services: services) }) { [self] scanned in
      check(scanned.get(), batch)
    }
  }

  private func check(_ summaries: [AccountSummary], _ batch: CheckBatch) {
    let now = services.time.now()
    let accounts = summaries.filter(\.isConfigured).map { ($0, broker.updatedAccount($0.name, $0.configuration)) }
    // Identifies the accounts without their names, which may change.
    batch.pending = Set(accounts.map { ObjectIdentifier($1) })
    for (summary, account) in accounts {
      account.applySummary(summary)
      if let problem = summary.problem {
        recordResult(account, Failure(problem, of: account.shared), in: batch)
      } else if !summary.isSignedIn, account.ownSlot.session.grant?.isAlive(at: now) != true {
        recordResult(account, CheckBatch.Check(.notSignedIn), in: batch)
      } else {
        obtain(TokenNeed(), account, batch)
      }
    }
    if accounts.isEmpty { finish(batch) }
  }

  private func obtain(_ need: TokenNeed, _ account: Account, _ batch: CheckBatch) {
    let waiter = Waiter(ticket: batch.ticket, need: need, isAfterRefusal: need.forceRefresh) { [self] slot, outcome in
      do throws(Failure) { check(account, try outcome.grantOrFailure(of: slot), batch) } catch {
        recordResult(account, error, in: batch)
      }
    }
    broker.obtain(for: waiter, account)
  }

  func check(_ account: Account, _ grant: AccessGrant, _ batch: CheckBatch) {
    if batch.refreshed.contains(ObjectIdentifier(account)) {
      return recordResult(account, CheckBatch.Check(.valid), in: batch)
    }
    let question = broker.question(account, grant)
    let generation = account.ownSlot.session.generation
    jobs.runWaiting(
      as: .questions(account.name), at: account.configuration.serverIdentifier, question.cancellation
    ) { () throws(SessionError) in
      try question.check()
    } then: { [self] outcome in
      handleCheckResult(account, generation, outcome, batch)
    }
  }

  private func handleCheckResult(
    _ account: Account, _ generation: UInt64, _ outcome: Result<SessionRequests.CheckResult, SessionError>,
    _ batch: CheckBatch
  ) {
    let name = account.name
    guard broker.accounts[name] === account else {
      return recordResult(account, CheckBatch.Check(.notSignedIn), in: batch)
    }
    // The response belongs to an earlier session.
    guard account.ownSlot.session.generation == generation else { return obtain(TokenNeed(), account, batch) }
    switch outcome {
    case .failure(let error): recordResult(account, Failure(error, of: account.shared), in: batch)
    case .success(.valid): recordResult(account, CheckBatch.Check(.valid), in: batch)
    case .success(.notPossible): recordResult(account, CheckBatch.Check(.notPossible), in: batch)
    case .success(.ended):
      account.ownSlot.session.recordRemoteEnd(account: name.text)
      broker.failWaiters(account, .expired(account: name.text))
      broker.publish(of: name) { $0.recordSignOut(.revoked) }
      recordResult(account, CheckBatch.Check(SessionEvent.SignOutCause.revoked), in: batch)
    case .success(.refreshNeeded):
      batch.refreshed.insert(ObjectIdentifier(account))
      broker.publish(of: name) { $0.recordTokenRejection() }
      obtain(TokenNeed(forceRefresh: true), account, batch)
    }
  }

  func recordResult(_ account: Account, _ failure: Failure, in batch: CheckBatch) {
    let wasTokenRejected = batch.refreshed.contains(ObjectIdentifier(account))
    recordResult(account, CheckBatch.Check(failure, wasTokenRejected: wasTokenRejected), in: batch)
  }

  /// Responds once no account is pending.
  private func recordResult(_ account: Account, _ check: CheckBatch.Check, in batch: CheckBatch) {
    guard batch.pending.remove(ObjectIdentifier(account)) != nil else { return }
    batch.checks[ObjectIdentifier(account)] = (account, check)
    let time = batch.startedAt.duration(to: services.time.now()).wholeMilliseconds
    log.note(.checked(milliseconds: time, check.result), account.name)
    if batch.pending.isEmpty { finish(batch) }
  }

  /// Responds with the session states.
  private func finish(_ batch: CheckBatch) {
    let settings: Settings
    do { settings = try self.settings() } catch { return loop.send(.failure(error), to: batch.ticket) }
    let names = batch.checks.values.map(\.account.name)
    jobs.run({ [services, only = batch.only.map { names.first ?? $0 }] in Self.scan(settings, only, services) }) {
      [self] found in
      let (summaries, vault) = found.get()
      sendAccounts(.status, batch.ticket, summaries, vault) { _, account, object in
        batch.checks[ObjectIdentifier(account)]?.check.add(to: &object)
      }
    }
  }
}
