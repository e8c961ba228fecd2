internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// What is done without anybody asking: renewals by the accounts' policies, and word of tokens that end.
extension TokenBroker {
  /// Sees to it that the loop comes back when the session has something to do. Each session has one timer that
  /// counts; one that is too early only costs a look.
  func schedule(_ account: LiveAccount) {
    guard let due = account.session.attentionDue else { return }
    if let scheduled = account.attentionScheduled, scheduled <= due { return }
    account.attentionScheduled = due
    loop.schedule(.attention(account: account.name.text, target: account.target), at: due)
  }

  func attend(_ name: String, _ target: TokenTarget?) {
    let now = loop.now
    // What was begun then might be cut off between the server and the disk.
    guard !isStopping, let name = try? AccountName(name), let account = slot(name, target),
      let scheduled = account.attentionScheduled, scheduled <= now
    else { return }
    account.attentionScheduled = nil
    if let notice = account.session.meetEnd(now: now) { tell(notice, account) }
    if account.session.isRenewalDue(now: now) { renew(account, now) }
    account.session.leaveDead(now: now)
    schedule(account)
  }

  private func tell(_ notice: Session.Notice, _ account: LiveAccount) {
    // A token with another target comes and goes with the account's own.
    guard account.target == nil, let end = account.session.grant?.expiresAtUnixSeconds else { return }
    let isRenewable = account.session.isRenewable
    switch notice {
    case .nearEnd(let seconds):
      log.note(.tokenExpiring(seconds: seconds), account.name)
      log.tell(.expiring(at: end, isRenewable: isRenewable), account.name)
    case .end:
      log.note(.tokenExpired, account.name)
      tell(of: account.name) { $0.expired(at: end, isRenewable: isRenewable) }
    }
  }

  private func renew(_ account: LiveAccount, _ now: Instant) {
    let server = account.configuration.server
    if account.waiters.isEmpty { account.session.queueCalmly() }
    if let hold = holds.hold(of: server, now: now) {
      return account.session.stayCalm(
        until: hold.until.advanced(by: account.waiters.isEmpty ? RefreshPolicy.spreadAfterHold * jitter() : .zero))
    }
    guard account.session.isRenewalDue(now: now) else { return }
    // Somebody who waits has a place like any caller.
    if account.waiters.isEmpty {
      guard let place = renewals.place(at: server) else {
        return account.session.stayCalm(until: now.advanced(by: .seconds(1) * (0.5 + jitter())))
      }
      account.renewalPlace = place
    }
    if let refresh = account.session.renew(now: now) { run(refresh, account) }
  }

  /// Takes in what the end of a refresh tells of the server.
  func noteServer(_ account: LiveAccount, _ outcome: Result<AccessGrant, SessionError>, _ now: Instant) {
    let server = account.configuration.server
    switch outcome {
    case .success: holds.succeeded(at: server)
    case .failure(let error): holds.note(error, of: server, now: now, jitter: jitter())
    }
  }
}

// MARK: - Accounts that are always kept fresh

extension TokenBroker {
  /// Gives accounts their first tokens whose policy is to have one at any time, when the settings have changed.
  /// Many of them are spread, so that no server gets all their requests at once.
  func keepFresh() {
    guard !isPrivate else { return }
    context.noteFileChanges()
    guard let settings = try? settings(), settingsFile.revision != backgroundScanRevision else { return }
    backgroundScanRevision = settingsFile.revision
    let fresh = settings.accounts.filter { $0.configuration.refreshPolicy == .background }
    let spread = RefreshPolicy.startInterval * max(0, fresh.count - 1)
    for (name, configuration) in fresh {
      let account = account(name, configuration)
      account.session.keepFresh(from: loop.now.advanced(by: spread * jitter()))
      schedule(account)
    }
  }

  /// What is done once a minute.
  func housekeep() {
    noteClock()
    if !isStopping { keepFresh() }
  }

  /// The machine's clock was set: when tokens expire is told anew. Nothing else goes by it.
  private func noteClock() {
    let offset = services.time.wallSeconds() - Int(services.time.now().nanoseconds / 1_000_000_000)
    defer { clockOffset = offset }
    guard let before = clockOffset, abs(offset - before) > 2 else { return }
    log.note(.clockSet(seconds: offset - before))
    for account in accounts.values.flatMap(\.all) { account.session.clockMoved(by: offset - before) }
  }
}
