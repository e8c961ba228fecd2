internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Requests that wait for a server that cannot be reached, and the network that brings it back.
extension TokenBroker {
  /// More are told at once that the server cannot be reached.
  private static let mostWaiting = 128

  /// How long the network is given to settle after it changed.
  private static let settlingTime = Duration.milliseconds(500)

  /// There is no other round of tries within this time, however often the network changes.
  private static let changeInterval = Duration.seconds(5)

  /// Renewals after a change of the network are spread over this time.
  private static let spreadAfterChange = Duration.seconds(5)

  /// Until when a request waits that began just now.
  func waitEnd(_ seconds: Int?) -> Instant? {
    seconds.map { loop.now.advanced(by: .seconds($0)) }
  }

  /// Lets a request wait whose refresh failed, if it wants to and waiting can help.
  func wait(_ waiter: LiveAccount.Waiter, _ account: LiveAccount, _ error: SessionError, _ now: Instant) -> Bool {
    guard let end = waiter.waitsUntil, now < end, error.isWorthWaiting,
      accounts.values.flatMap(\.all).reduce(0, { $0 + $1.waiters.count }) < Self.mostWaiting
    else { return false }
    account.waiters.append(waiter)
    loop.schedule(.waitOver(account: account.name.text, target: account.target), at: end)
    return true
  }

  /// Goes on after a failure: the refresh is tried again later, for those who wait or by the account's policy.
  func queued(_ account: LiveAccount, because error: SessionError, _ now: Instant) {
    guard error.isWorthWaiting else { return }
    if !account.waiters.isEmpty { account.session.queueUrgently(because: error, now: now) }
    if !error.reachedServer { loop.watchNetwork(true) }
    if account.session.isQueued, let due = account.session.renewalDue {
      log.note(
        .refreshQueued(seconds: max(0, Int((now.duration(to: due) + .milliseconds(999)).components.seconds))),
        account.name)
    }
    schedule(account)
  }

  func waitOver(_ name: String, _ target: TokenTarget?) {
    let now = loop.now
    // A refresh under way has the answer in a moment.
    guard let name = try? AccountName(name), let account = slot(name, target), account.session.refresh == nil,
      let error = account.session.lastFailure
    else { return }
    let over = account.waiters.filter { $0.waitsUntil.map { $0 <= now } ?? false }
    account.waiters.removeAll { $0.waitsUntil.map { $0 <= now } ?? false }
    for waiter in over { waiter.finish(account, .failure(error)) }
  }

  /// The network changed: addresses or routes came. Several changes in a row count once.
  func networkChanged() {
    guard !isNetworkSettling else { return }
    isNetworkSettling = true
    let calm = networkTriedAt?.advanced(by: Self.changeInterval) ?? loop.now
    loop.schedule(.networkChanged, at: max(calm, loop.now.advanced(by: Self.settlingTime)))
  }

  func retryAfterNetworkChange() {
    isNetworkSettling = false
    let now = loop.now
    networkTriedAt = now
    var isWanted = onNetworkChanged(Self.spreadAfterChange)
    for account in accounts.values.flatMap(\.all) {
      let spread = account.waiters.isEmpty ? Self.spreadAfterChange * jitter() : .zero
      guard account.session.networkChanged(retryAt: now.advanced(by: spread)) else { continue }
      isWanted = true
      schedule(account)
    }
    if isWanted { log.note(.networkChanged) }
    loop.watchNetwork(isWanted)
  }
}
