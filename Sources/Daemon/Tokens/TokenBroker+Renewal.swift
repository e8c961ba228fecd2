internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

extension TokenBroker {
  func schedule(_ slot: TokenSlot) {
    guard let due = slot.session.actionDue else { return }
    if let scheduled = slot.timerDue, scheduled <= due { return }
    slot.timerDue = due
    schedule(at: due) { [self, name = slot.name, target = slot.target] in renewIfDue(name, target) }
  }

  func renewIfDue(_ name: AccountName, _ target: TokenTarget?) {
    checkClock()
    let now = loop.now
    // Removes accounts deleted from the settings.
    _ = try? settings()
    // Shutdown could interrupt a new refresh.
    guard !isStopping, let slot = slot(name, target), let scheduled = slot.timerDue, scheduled <= now
    else { return }
    slot.timerDue = nil
    if let notice = slot.session.applyExpiry(now: now) { publish(notice, slot) }
    if slot.session.isRenewalDue(now: now) { renew(slot, now) }
    slot.session.dropMissedRenewal(now: now)
    schedule(slot)
  }

  private func publish(_ notice: ExpiryNotice, _ slot: TokenSlot) {
    // The account's other tokens depend on its own.
    guard slot.target == nil, let end = slot.session.grant?.expiresAtUnixSeconds else { return }
    let isRenewable = slot.session.isRenewable
    switch notice {
    case .nearEnd(let seconds):
      log.note(.tokenExpiring(seconds: seconds), slot.name)
      log.publish(.expiring(at: end, isRenewable: isRenewable), slot.name)
    case .end:
      log.note(.tokenExpired, slot.name)
      publish(of: slot.name) { $0.recordExpiry(at: end, isRenewable: isRenewable) }
    }
  }

  /// Starts a renewal unless the server is paused or too many are running.
  private func renew(_ slot: TokenSlot, _ now: Instant) {
    let server = slot.configuration.serverIdentifier
    if slot.waiters.isEmpty { slot.session.dropCallerPriority() }
    if let pause = pauses.pause(of: server, now: now) {
      return slot.session.postponeRenewal(
        until: pause.until.advanced(by: slot.waiters.isEmpty ? RefreshPolicy.spreadAfterPause * jitter() : .zero))
    }
    guard slot.session.isRenewalDue(now: now) else { return }
    // Renewals with waiting requests need no permit.
    var permit: RenewalLimiter.Permit?
    if slot.waiters.isEmpty {
      guard let free = renewalLimiter.permit(at: server) else {
        return slot.session.postponeRenewal(until: now.advanced(by: .seconds(1) * (0.5 + jitter())))
      }
      permit = free
    }
    if let refresh = slot.session.startRenewalIfDue(now: now) { begin(refresh, slot, permit) }
  }

  /// Publishes, once, that the session ends soon.
  func publishSessionEnd(of slot: TokenSlot) {
    let end = slot.session.grant?.expiry.endToWarnAbout(now: services.time.wallSeconds())
    publish(of: slot.name) { $0.recordUpcomingEnd(at: end) }
  }

  // MARK: - Accounts with the background policy

  /// After a settings change, plans the first tokens of background accounts, spread over time.
  func scanBackgroundAccounts() {
    guard !isPrivate, let settings = try? settings(), settingsFile.revision != backgroundScanRevision else { return }
    backgroundScanRevision = settingsFile.revision
    let fresh = settings.accounts.filter { $0.configuration.renewal == .background }
    let interval = RefreshPolicy.startInterval * max(0, fresh.count - 1)
    for (name, configuration) in fresh {
      let account = updatedAccount(name, configuration)
      account.ownSlot.session.planFirstToken(at: loop.now.advanced(by: interval * jitter()))
      schedule(account.ownSlot)
    }
  }

  /// Publishes sessions that end soon and starts due scans, once a minute.
  func housekeep() {
    checkClock()
    for account in accounts.values where account.ownSlot.session.grant != nil { publishSessionEnd(of: account.ownSlot) }
    if !isStopping {
      scanBackgroundAccounts()
      scanSessionEnds()
    }
  }

  /// The interval between scans for sessions that end soon.
  private static let sessionEndInterval = Duration.seconds(3600)
  /// The wait for session-end scans after a start or unlock, so that first token requests can finish.
  private static let sessionEndPause = Duration.seconds(2)

  func planSessionEndScan() {
    nextSessionEndScan = loop.now
    schedule(at: loop.now.advanced(by: Self.sessionEndPause)) { [self] in if !isStopping { scanSessionEnds() } }
  }

  /// Publishes an event, once for each vault session that ends soon and has no token in memory.
  func scanSessionEnds() {
    guard !isPrivate, nextSessionEndScan.map({ $0 <= loop.now }) ?? true, let settings = try? settings() else { return }
    nextSessionEndScan = loop.now.advanced(by: Self.sessionEndInterval)
    jobs.run({ [services] in AccountScan.summaries(of: settings, only: nil, services: services) }) { [self] found in
      let current = try? self.settings()
      for summary in found.get() where summary.isConfigured {
        guard let end = summary.expiry.endToWarnAbout(now: services.time.wallSeconds()),
          current?[summary.name] == summary.configuration,
          accounts[summary.name]?.ownSlot.session.grant == nil
        else { continue }
        _ = updatedAccount(summary.name, summary.configuration)
        publish(of: summary.name) { $0.recordUpcomingEnd(at: end) }
      }
    }
  }

  /// Adapts to a clock change or suspend. Called before a token is served, shown or renewed.
  func checkClock() {
    let offset = services.time.clockOffset
    let change = offset - clockOffset
    guard abs(change) > AccessGrant.clockTolerance else { return }
    clockOffset = offset
    let (wallSeconds, now) = (services.time.wallSeconds(), services.time.now())
    log.note(.clockSet(seconds: change))
    for slot in slots {
      slot.session.applyClockChange(wallSeconds: wallSeconds, now: now)
      schedule(slot)
    }
    if change > 0 { accounts.keys.forEach { context.observer?.didOutdateToken(of: $0) } }
  }
}
