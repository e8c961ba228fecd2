internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// Requests that wait for an unreachable server, and retries after network changes.
extension TokenBroker {
  /// Delay between a network change and the retries, so that several changes cause one round.
  private static let settlingTime = Duration.milliseconds(500)

  /// Minimum interval between two rounds of retries after network changes.
  private static let changeInterval = Duration.seconds(5)

  /// Renewals after a change of the network are spread over this time.
  private static let spreadAfterChange = Duration.seconds(5)

  /// Refuses a request that must wait for a server for which as many wait as may (fair shares).
  func admit(_ need: TokenNeed, _ account: LiveAccount, _ now: Instant) throws(SessionError) {
    // Most of the time there are few peers.
    guard let most = loop.mostAtOneServer, account.session.satisfied(by: need, now: now) == nil else { return }
    let server = account.configuration.server
    let others = accounts.values.lazy.filter { $0.configuration.server == server }.flatMap(\.all)
    let waiting = Set(others.flatMap(\.waiters).map(\.ticket)).count
    guard waiting < most else { throw .tooBusy(underWay: waiting) }
  }

  /// Queues a request whose refresh failed, if its waiting time is not over and waiting can help. Returns whether it
  /// waits.
  func wait(_ waiter: LiveAccount.Waiter, _ account: LiveAccount, _ error: SessionError, _ now: Instant) -> Bool {
    guard let end = waiter.waitsUntil, now < end, error.isWorthWaiting else { return false }
    account.waiters.append(waiter)
    schedule(at: end) { [self, name = account.name, target = account.target] in waitOver(name, target) }
    return true
  }

  /// Schedules another refresh after a failure, for waiting requests or by the account's policy.
  func queued(_ account: LiveAccount, because error: SessionError, _ now: Instant) {
    guard error.isWorthWaiting else { return }
    if !account.waiters.isEmpty { account.session.queueForCaller(because: error, now: now) }
    if !error.reachedServer { network.listen(true) }
    if account.session.isQueued, let due = account.session.renewalDue {
      log.note(
        .refreshQueued(seconds: max(0, Int((now.duration(to: due) + .milliseconds(999)).components.seconds))),
        account.name)
    }
    schedule(account)
  }

  func waitOver(_ name: AccountName, _ target: TokenTarget?) {
    let now = loop.now
    // A refresh in flight answers the waiting requests when it ends.
    guard let account = slot(name, target), account.session.refresh == nil,
      let error = account.session.lastFailure
    else { return }
    let over = account.waiters.filter { $0.waitsUntil.map { $0 <= now } ?? false }
    account.waiters.removeAll { $0.waitsUntil.map { $0 <= now } ?? false }
    for waiter in over { waiter.finish(account, .failure(error)) }
  }

  /// Schedules retries after new addresses or routes appeared. Several changes in a row cause one round.
  func networkChanged() {
    guard !isNetworkSettling else { return }
    isNetworkSettling = true
    let notBefore = networkTriedAt?.advanced(by: Self.changeInterval) ?? loop.now
    schedule(at: max(notBefore, loop.now.advanced(by: Self.settlingTime))) { [self] in retryAfterNetworkChange() }
  }

  func retryAfterNetworkChange() {
    isNetworkSettling = false
    let now = loop.now
    networkTriedAt = now
    var isWanted = onNetworkChanged(Self.spreadAfterChange)
    for account in accounts.values.flatMap(\.all) {
      let delay = account.waiters.isEmpty ? Self.spreadAfterChange * jitter() : .zero
      guard account.session.networkChanged(retryAt: now.advanced(by: delay)) else { continue }
      isWanted = true
      schedule(account)
    }
    if isWanted { log.note(.networkChanged) }
    network.listen(isWanted)
  }
}
