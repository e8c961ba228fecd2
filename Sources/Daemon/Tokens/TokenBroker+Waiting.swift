internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Waiting for unreachable servers.
extension TokenBroker {
  /// The delay between a network change and the retries.
  private static let settlingTime = Duration.milliseconds(500)

  /// The minimum interval between rounds of retries.
  private static let changeInterval = Duration.seconds(5)

  /// The period over which renewals after a network change are spread.
  private static let spreadAfterChange = Duration.seconds(5)

  /// Refuses to queue a request if too many wait for its server (invariant: fair shares).
  func requireCapacity(for need: TokenNeed, _ slot: TokenSlot, _ now: Instant) throws(SessionError) {
    // Nil while there are few peers.
    guard let most = loop.maximumPerServer, slot.session.cachedGrant(by: need, now: now) == nil else { return }
    let server = slot.configuration.serverIdentifier
    let others = slots.lazy.filter { $0.configuration.serverIdentifier == server }
    let waiting = Set(others.flatMap(\.waiters).map(\.ticket)).count
    guard waiting < most else { throw .tooBusy(underWay: waiting) }
  }

  /// Queues a request whose refresh failed, if waiting is permitted and can help. Returns whether queued.
  func queueIfWorthWaiting(_ waiter: Waiter, _ slot: TokenSlot, _ error: SessionError, _ now: Instant) -> Bool {
    guard let end = waiter.waitsUntil, now < end, error.isSafeToRetry else { return false }
    slot.waiters.append(waiter)
    schedule(at: end) { [self, name = slot.name, target = slot.target] in failExpiredWaiters(name, target) }
    return true
  }

  func scheduleRefresh(_ slot: TokenSlot, because error: SessionError, _ now: Instant) {
    guard error.isSafeToRetry else { return }
    if !slot.waiters.isEmpty { slot.session.queueForCaller(because: error, now: now) }
    if !error.reachedServer { networkListener.setListening(true) }
    if slot.session.isQueued, let due = slot.session.renewalDue {
      log.note(
        .refreshQueued(seconds: max(0, Int((now.duration(to: due) + .milliseconds(999)).components.seconds))),
        slot.name)
    }
    schedule(slot)
  }

  func failExpiredWaiters(_ name: AccountName, _ target: TokenTarget?) {
    let now = loop.now
    // A refresh in progress answers its waiters.
    guard let slot = slot(name, target), slot.session.refresh == nil,
      let error = slot.session.lastFailure
    else { return }
    let over = slot.waiters.filter { $0.waitsUntil.map { $0 <= now } ?? false }
    slot.waiters.removeAll { $0.waitsUntil.map { $0 <= now } ?? false }
    for waiter in over { waiter.finish(slot, .failure(error)) }
  }

  func scheduleNetworkRetry() {
    guard !isNetworkRetryScheduled else { return }
    isNetworkRetryScheduled = true
    let notBefore = lastNetworkRetry?.advanced(by: Self.changeInterval) ?? loop.now
    schedule(at: max(notBefore, loop.now.advanced(by: Self.settlingTime))) { [self] in retryAfterNetworkChange() }
  }

  /// Retries all refreshes whose server was unreachable.
  func retryAfterNetworkChange() {
    isNetworkRetryScheduled = false
    let now = loop.now
    lastNetworkRetry = now
    var isWanted = context.observer?.didChangeNetwork(spread: Self.spreadAfterChange) ?? false
    for slot in slots {
      let delay = slot.waiters.isEmpty ? Self.spreadAfterChange * jitter() : .zero
      guard slot.session.scheduleRetry(at: now.advanced(by: delay)) else { continue }
      isWanted = true
      schedule(slot)
    }
    if isWanted { log.note(.networkChanged) }
    networkListener.setListening(isWanted)
  }
}
