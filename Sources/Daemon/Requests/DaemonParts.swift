internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// The parts of the daemon, in the order of their dependencies.
final class DaemonParts {
  let broker: TokenBroker
  let signIns: SignIns
  let resources: ResourceRequests
  let proofs: ProofRequests
  let placed: PlacedTokens
  let roles: AssumedRoles
  let verifications: Verifications
  let discoveries: DiscoverRequests
  let tokenFiles: TokenFiles
  let locking: Locking
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
    locking = Locking(context, lock, broker, signIns, resources)
    proofs = ProofRequests(context, broker)
    placed = PlacedTokens(context, broker)
    roles = AssumedRoles(context, placed)
    verifications = Verifications(context, broker)
    discoveries = DiscoverRequests(context)
    tokenFiles = TokenFiles(context, broker)
    vault = VaultRequests(context, lock, locking)
    signOuts = SignOuts(context, broker, signIns, resources, tokenFiles)
    locking.onUnlock = { [unowned signOuts] in signOuts.revokeOwed() }
    events = try SessionEvents(context, broker, EventCommands(running: context), tokenFiles, resources.leases, lock)
    accounts = AccountRequests(context, broker, signIns, signOuts, tokenFiles, events)
    status = StatusRequests(context, broker)
    identity = IdentityRequests(context, broker)
  }

  /// Stops all parts: no new work begins, and unapproved sign-ins are cancelled.
  ///
  /// - Parameter isForGood: The user wants no other daemon.
  func stop(isForGood: Bool = false) {
    broker.jobs.endWaits(isForGood: isForGood)
    resources.leases.stop()
    signIns.stop()
    resources.endTransfers(Failure(.cancelled, "the daemon is stopping"))
    verifications.endVerifications()
    events.stop()
    tokenFiles.stop()
  }

  /// Ends a request whose connection closed or whose time is over.
  func abandon(_ ticket: Ticket) {
    events.abandon(ticket)
    tokenFiles.abandon(ticket)
    resources.leases.abandon(ticket)
    broker.abandon(ticket)
    broker.handed.abandon(ticket)
    signIns.abandon(ticket)
    resources.abandon(ticket)
    verifications.endVerifications(of: ticket)
  }

  /// The loop begins.
  ///
  /// - Parameter isPrivate: For one client only.
  func start(isPrivate: Bool) {
    broker.isPrivate = isPrivate
    broker.scanBackgroundAccounts()
    broker.planSessionEndScan()
    signOuts.start()
  }

  /// Runs once a minute, and sees the settings as they are now.
  func housekeep() {
    broker.context.noteFileChanges()
    broker.context.whenSettingsAreRead { [self] in
      locking.housekeep()
      broker.housekeep()
    }
  }
}
