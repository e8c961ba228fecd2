internal import Platform
internal import Sessions
internal import Wire

/// The daemon's parts, in the order of their dependencies.
final class DaemonParts: DaemonObserver {
  let broker: TokenBroker
  let signIns: SignIns
  let resources: ResourceRequests
  let proofs: ProofRequests
  let urlTokens: URLTokens
  let roles: AssumedRoles
  let verifications: Verifications
  let discoveries: DiscoverRequests
  let tokenFiles: TokenFiles
  let locker: VaultLocker
  let vault: VaultRequests
  let signOuts: SignOuts
  let accounts: AccountRequests
  let events: SessionEvents
  let status: StatusRequests
  let identity: IdentityRequests

  init(_ context: DaemonContext) throws(SystemError) {
    let lock = VaultLock(context)
    broker = TokenBroker(context, lock: lock)
    signIns = SignIns(context, broker)
    resources = ResourceRequests(context, broker)
    proofs = ProofRequests(context, broker)
    urlTokens = URLTokens(context, broker)
    roles = AssumedRoles(context, urlTokens)
    verifications = Verifications(context, broker)
    discoveries = DiscoverRequests(context)
    tokenFiles = TokenFiles(context, broker)
    signOuts = SignOuts(context, broker, signIns, resources, tokenFiles)
    locker = VaultLocker(context, lock, broker, signIns, resources, signOuts)
    vault = VaultRequests(context, lock, locker)
    events = try SessionEvents(
      context, broker, EventCommands(withRunnerFor: context), tokenFiles, resources.leases, lock)
    accounts = AccountRequests(context, broker, signIns, signOuts, tokenFiles, events)
    status = StatusRequests(context, broker, signIns)
    identity = IdentityRequests(context, broker)
    context.log.observer = self
    // The initial accounts are not published as changes.
    context.announceSettings()
  }

  func didLog(_ entry: LogEntry) {
    for ticket in broker.context.stepSubscribers.tickets(for: entry) {
      broker.loop.send(.event(.progress(entry.line)), to: ticket)
    }
  }

  func didPublish(_ entry: SessionEntry) { events.publish(entry) }
  func didPublish(_ entry: LeaseEntry) { events.publish(entry) }
  func didReadSettings(_ file: Settings, active: AccountName?) {
    events.publishAccounts(file, active)
    tokenFiles.updateStandingFiles(from: file)
  }
  func didOutdateToken(of account: AccountName) { tokenFiles.requestNewTokens(for: account) }
  func didChangeNetwork(spread: Duration) -> Bool { tokenFiles.retry(within: spread) }
  func lock(_ cause: LogEvent.LockCause) { locker.lock(cause) }

  /// If `isPermanent`, clients must not start another daemon.
  func stop(isPermanent: Bool = false) {
    broker.jobs.endWaits(isPermanent: isPermanent)
    resources.leases.stop()
    signIns.stop()
    resources.endTransfers(Failure(.cancelled, "the daemon is stopping"))
    verifications.endVerifications()
    events.stop()
    tokenFiles.stop()
  }

  /// Cancels a request that no sender waits for.
  func abandon(_ ticket: Ticket) {
    events.abandon(ticket)
    tokenFiles.abandon(ticket)
    resources.leases.abandon(ticket)
    broker.abandon(ticket)
    broker.passedVariables.abandon(ticket)
    signIns.abandon(ticket)
    resources.abandon(ticket)
    verifications.endVerifications(of: ticket)
  }

  /// A private daemon serves only one client.
  func start(isPrivate: Bool) {
    broker.isPrivate = isPrivate
    broker.scanBackgroundAccounts()
    broker.planSessionEndScan()
    signOuts.start()
    tokenFiles.start(isPrivate: isPrivate)
  }

  /// Does the parts' regular work, once a minute.
  func housekeep() {
    broker.context.files.poll()
    broker.context.whenSettingsAreRead { [self] in
      locker.housekeep()
      broker.housekeep()
      tokenFiles.housekeep()
    }
  }
}
