internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// `status --check`: for each account that is signed in a good token is got, the server is asked about it,
/// and when it is refused a refresh decides.
extension StatusRequests {
  func check(_ name: String?, _ ticket: Ticket) throws(Failure) {
    let settings = try settings()
    let only = try broker.named(name)
    let batch = CheckBatch(ticket: ticket, only: only, startedAt: services.time.now())
    jobs.run({ [services] in Survey.run(settings, only: only, services: services) }) { [self] surveyed in
      check(surveyed.get(), batch)
    }
  }

  private func check(_ summaries: [AccountSummary], _ batch: CheckBatch) {
    let now = services.time.now()
    let summaries = summaries.filter(\.isConfigured)
    batch.open = Set(summaries.map(\.name))
    for summary in summaries {
      let account = broker.account(summary.name, summary.configuration)
      account.learn(summary)
      if let problem = summary.problem {
        settle(summary.name, Failure(problem, account: summary.name.text), in: batch)
      } else if !summary.isGranted, account.session.grant?.isAlive(at: now) != true {
        settle(summary.name, CheckBatch.Check(.notSignedIn), in: batch)
      } else {
        obtain(TokenNeed(), account, batch)
      }
    }
    if summaries.isEmpty { finish(batch) }
  }

  private func obtain(_ need: TokenNeed, _ account: Account, _ batch: CheckBatch) {
    let waiter = Waiter(ticket: batch.ticket, need: need, isAfterRefusal: need.forceRefresh) { [self] slot, outcome in
      switch outcome {
      case .success(let grant): check(account, grant, batch)
      case .failure(let error): settle(slot.name, Failure(error, account: slot.name.text), in: batch)
      }
    }
    do { try broker.obtain(for: waiter, account) } catch { settle(account.name, error, in: batch) }
  }

  /// Continues the check with a token.
  func check(_ account: Account, _ grant: AccessGrant, _ batch: CheckBatch) {
    if batch.refreshed.contains(account.name) {
      return settle(account.name, CheckBatch.Check(.holds), in: batch)
    }
    let check = SessionCheck(broker.question(account, grant))
    let asked = account.session.generation
    jobs.wait(
      as: .questions(account.name), at: account.configuration.server, check.question.cancellation
    ) { () throws(SessionError) in
      try check.run()
    } then: { [self] outcome in
      checked(account, asked, outcome, batch)
    }
  }

  /// - Parameter asked: The generation of the session that the server was asked about.
  private func checked(
    _ account: Account, _ asked: UInt64, _ outcome: Result<SessionCheck.Verdict, SessionError>, _ batch: CheckBatch
  ) {
    let name = account.name
    guard broker.accounts[name] === account else { return settle(name, CheckBatch.Check(.notSignedIn), in: batch) }
    // The answer is about an earlier session.
    guard account.session.generation == asked else { return obtain(TokenNeed(), account, batch) }
    switch outcome {
    case .failure(let error): settle(name, Failure(error, account: name.text), in: batch)
    case .success(.holds): settle(name, CheckBatch.Check(.holds), in: batch)
    case .success(.notPossible): settle(name, CheckBatch.Check(.notPossible), in: batch)
    case .success(.ended):
      account.session.endedElsewhere(account: name.text)
      broker.failWaiters(account, .expired(account: name.text))
      broker.publish(of: name) { $0.signedOut(.revoked) }
      settle(name, CheckBatch.Check(SessionEvent.SignOutCause.revoked), in: batch)
    case .success(.doubtful):
      batch.refreshed.insert(name)
      broker.publish(of: name) { $0.tokenRefused() }
      obtain(TokenNeed(forceRefresh: true), account, batch)
    }
  }

  func settle(_ name: AccountName, _ failure: Failure, in batch: CheckBatch) {
    settle(name, CheckBatch.Check(failure, isDoubted: batch.refreshed.contains(name)), in: batch)
  }

  private func settle(_ name: AccountName, _ check: CheckBatch.Check, in batch: CheckBatch) {
    guard batch.open.remove(name) != nil else { return }
    batch.checks[name] = check
    let time = batch.startedAt.duration(to: services.time.now()).wholeMilliseconds
    log.note(.checked(milliseconds: time, check.result), name)
    if batch.open.isEmpty { finish(batch) }
  }

  /// Answers the request. Reads the states last, so that they include the results of all checks.
  private func finish(_ batch: CheckBatch) {
    let settings: Settings
    do { settings = try self.settings() } catch { return loop.send(.failure(error), to: batch.ticket) }
    jobs.run({ [services, only = batch.only] in Self.survey(settings, only, services) }) { [self] found in
      let (summaries, vault) = found.get()
      surveyed(.status, batch.ticket, summaries, vault) { summary, _, object in
        batch.checks[summary.name]?.add(to: &object)
      }
    }
  }
}
