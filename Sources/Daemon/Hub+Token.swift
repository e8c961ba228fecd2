internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Access tokens: served from memory, or after the one refresh that all who wait share.
extension Hub {
  func token(_ request: TokenRequest, _ ticket: Ticket) throws(Failure) {
    let account = try resolve(request.account)
    let need = TokenNeed(
      minimumValiditySeconds: request.minimumValiditySeconds, forceRefresh: request.forceRefresh)
    let target = try TokenTarget.make(request.target, account: account.name.text)
    var waiter = Account.Waiter(ticket: ticket, need: need, target: target, purpose: .token(request.extras))
    waiter.waitsUntil = waitEnd(request.waitSeconds)
    try obtain(for: waiter, account)
  }

  func whoami(_ name: String?, _ ticket: Ticket) throws(Failure) {
    let account = try resolve(name)
    try obtain(for: Account.Waiter(ticket: ticket, need: TokenNeed(), purpose: .whoami), account)
  }

  /// Serves a token, or waits for one.
  func obtain(for waiter: Account.Waiter, _ account: Account) throws(Failure) {
    do throws(SessionError) { try seek(for: waiter, account.with(waiter.target)) } catch {
      throw Failure(error, account: account.name.text)
    }
  }

  private func seek(for waiter: Account.Waiter, _ account: Account) throws(SessionError) {
    let now = loop.now
    // Time may have passed in suspend, of which the timer has not told yet.
    if locks.idle.due <= now { lock(.idle) }
    if locks.isLocking, let level = locks.shut[account.name] { throw .vault(VaultError(.locked(level))) }
    prove(account)
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

  /// Another process may have signed the account out, or in again: a token at hand is good only for
  /// the record that it came with. The record is looked at only when the vault's file has changed.
  private func prove(_ account: Account) {
    guard let grant = account.session.grant, account.session.refresh == nil else { return }
    if let seen, seen == account.provenAt { return }
    let stamp = FileStamp(at: vaultPath)
    // Without a file nothing is proven, as it is not before the first time.
    if let stamp, stamp == account.provenAgainst {
      account.provenAt = seen
    } else {
      let isCurrent = services.isCurrent(grant, of: account.name)
      // Another process may have changed what opens the vault, too.
      if !locks.isDeviceKeyLent { lookForLentKey() }
      if isCurrent {
        account.provenAgainst = stamp
        account.provenAt = seen
      } else {
        step(.recordChanged, account.name)
        account.session.forgetToken()
      }
    }
  }

  private func serve(_ grant: AccessGrant, _ account: Account, _ waiter: Account.Waiter) {
    if locks.keepsOpen(grant.protection) { locks.idle.used(loop.now) }
    switch waiter.purpose {
    case .token(let extras):
      do {
        loop.send(try account.line(for: grant, extras), to: waiter.ticket)
      } catch {
        loop.send(.failure(error), to: waiter.ticket)
      }
    case .proof(let target): prove(target, account, grant, waiter.ticket)
    case .exchange(let target, let refresh): exchange(grant, for: target, refresh, account)
    case .whoami: identify(account, grant, waiter.ticket, mayRefresh: !waiter.need.forceRefresh)
    case .check(let batch): check(account, grant, batch)
    case .resource(let transfer): begin(transfer, account, grant)
    case .file(let file): place(grant, in: file, account)
    }
  }

  func fail(_ waiter: Account.Waiter, _ account: Account, _ error: SessionError) {
    switch waiter.purpose {
    case .token, .proof, .whoami: loop.send(.failure(Failure(error, account: account.name.text)), to: waiter.ticket)
    case .check(let batch): settle(account.name, Failure(error, account: account.name.text), in: batch)
    case .exchange(let target, let refresh): refreshEnded(account.name, target, refresh, .failure(error))
    case .resource(let transfer): fail(transfer, Failure(error, account: account.name.text))
    case .file(let file): failed(file, Failure(error, account: account.name.text))
    }
  }

  func run(_ refresh: Session.Refresh, _ account: Account) {
    account.attemptStartedAt = services.time.now()
    log.note(.refreshBegan(attempt: refresh.attempt), account.name)
    if let target = account.target, target.isExchanged { return beginExchange(target, refresh, account) }
    let operation = RefreshOperation(
      account: account.name, configuration: account.configuration, previous: account.session.grant,
      target: account.target,
      services: services(for: account.name), cancellation: account.newRefreshCancellation())
    jobs.run({ operation.attempt() }) { [self] outcome in
      let ending = outcome.get()
      if let move = ending.rewritten { moveTokens(of: operation.account, move) }
      refreshEnded(operation.account, operation.target, refresh, ending.result)
    }
  }

  func refreshEnded(
    _ name: AccountName, _ target: TokenTarget?, _ refresh: Session.Refresh,
    _ outcome: Result<AccessGrant, SessionError>
  ) {
    guard let account = line(name, target) else { return }
    let now = services.time.now()
    noteEnd(of: account, outcome, now)
    noteServer(account, outcome, now)
    let outcome = outcome.map { $0.keepingIdentity(of: account.session.grant) }
    let aftermath = account.session.refreshEnded(
      refresh, outcome, now: now, wallSeconds: services.time.wallSeconds(), jitter: jitter())
    if account.session.refresh == nil { account.renewalPlace = nil }
    tellRefresh(of: account, aftermath)
    switch aftermath {
    case .ignored: break
    case .retry(let next, let wait):
      let event = TimerEvent.refreshRetry(
        account: name.text, target: target, generation: next.generation, attempt: next.attempt)
      loop.schedule(event, at: now.advanced(by: wait))
      log.note(.refreshRetry(attempt: next.attempt, waitMilliseconds: wait.wholeMilliseconds), name)
    case .renewed(let grant):
      if let replaced = grant.replacedGeneration {
        moveTokens(of: name, RefreshOperation.RecordMove(from: replaced, to: grant.recordGeneration))
      }
      account.refusals.renewed()
      answerWaiters(account) { waiter in
        if let minimum = waiter.need.minimumValiditySeconds, let lifetime = grant.lifetimeSeconds, minimum >= lifetime {
          return .failure(.lifetimeTooShort(account: name.text, lifetime: lifetime))
        }
        return .success(grant)
      }
    case .failed(let error):
      answerWaiters(account) { waiter in
        let fallback = error.isPassing ? account.session.fallback(for: waiter.need, now: now) : nil
        if fallback == nil, wait(waiter, account, error, now) { return nil }
        if fallback != nil { step(.servedOffline, account.name) }
        return fallback.map { .success($0) } ?? .failure(error)
      }
      queued(account, because: error, now)
    }
    schedule(account)
  }

  /// - Parameter answer: Nil for one that goes on waiting.
  private func answerWaiters(_ account: Account, _ answer: (Account.Waiter) -> Result<AccessGrant, SessionError>?) {
    let waiters = account.waiters
    account.waiters = []
    for waiter in waiters {
      switch answer(waiter) {
      case .success(let grant): serve(grant, account, waiter)
      case .failure(let error): fail(waiter, account, error)
      case nil: break
      }
    }
  }

  private func noteEnd(of account: Account, _ outcome: Result<AccessGrant, SessionError>, _ now: Instant) {
    let time = account.attemptStartedAt?.duration(to: now).wholeMilliseconds ?? 0
    switch outcome {
    case .success: log.note(.refreshEnded(milliseconds: time, nil), account.name)
    case .failure(let error):
      log.note(.refreshEnded(milliseconds: time, Failure(error, account: nil).code), account.name)
    }
  }

  /// The account's own token, or one with another target; nil when it is gone.
  func line(_ name: AccountName, _ target: TokenTarget?) -> Account? {
    guard let account = accounts[name] else { return nil }
    return target.map { account.others[$0] } ?? account
  }

  /// A refresh has written the record again; tokens that came with the record before are still good.
  func moveTokens(of name: AccountName, _ move: RefreshOperation.RecordMove) {
    for account in accounts[name]?.all ?? [] where account.session.grant?.recordGeneration == move.from {
      account.session.recordMoved(to: move.to)
    }
  }

  /// The refresh that these callers waited for is no longer theirs: they start over under the new settings.
  func restartForWaiters(_ account: Account) {
    let waiters = account.waiters + account.dropOthers(cancelling: false)
    account.waiters = []
    for waiter in waiters { obtainOrFail(for: waiter, account) }
  }

  /// Serves a token, or waits for one, or tells the waiter why there is none.
  func obtainOrFail(for waiter: Account.Waiter, _ account: Account) {
    do throws(SessionError) { try seek(for: waiter, account.with(waiter.target)) } catch {
      fail(waiter, account, error)
    }
  }

  /// - Parameter cancelling: Whether the refreshes under way are given up too.
  func failWaiters(_ account: Account, _ error: SessionError, cancelling: Bool = true) {
    for waiter in account.dropOthers(cancelling: cancelling) { fail(waiter, account, error) }
    answerWaiters(account) { _ in .failure(error) }
  }

  func retryDue(_ name: String, _ target: TokenTarget?, _ generation: UInt64, _ attempt: Int) {
    guard !isStopping, let name = try? AccountName(name), let account = line(name, target),
      let waiting = account.session.refresh,
      waiting.generation == generation, waiting.attempt == attempt, waiting.isWaiting,
      let next = account.session.retryDue(waiting)
    else { return }
    run(next, account)
  }

  /// 0..<1.
  func jitter() -> Double {
    let bytes = Randomness.bytes(2)
    return Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) / 65_536
  }
}
