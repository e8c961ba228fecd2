internal import HTTP
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// The parts of the daemon, in the order of their dependencies. Forwards the loop's calls to them.
final class DaemonParts {
  private let context: DaemonContext
  let broker: TokenBroker
  let signIns: SignIns
  let resources: ResourceRequests
  let proofs: ProofRequests
  let verifications: Verifications
  let discoveries: DiscoverRequests
  let tokenFiles: TokenFiles
  let locking: Locking
  let vault: VaultRequests
  let signOuts: SignOuts
  let accounts: AccountRequests
  let events: SessionEvents
  let commands: EventCommands
  let status: StatusRequests
  let identity: IdentityRequests

  init(_ context: DaemonContext, commands desk: EventCommandRunner) {
    self.context = context
    locking = Locking(context)
    broker = TokenBroker(context, lock: locking)
    signIns = SignIns(context, broker)
    resources = ResourceRequests(context, broker)
    (locking.broker, locking.signIns, locking.resources) = (broker, signIns, resources)
    proofs = ProofRequests(context, broker)
    verifications = Verifications(context, broker)
    discoveries = DiscoverRequests(context)
    tokenFiles = TokenFiles(context, broker)
    vault = VaultRequests(context, locking)
    signOuts = SignOuts(context, broker, signIns, resources, tokenFiles)
    commands = EventCommands(context, desk)
    events = SessionEvents(context, broker, commands, tokenFiles, locking)
    accounts = AccountRequests(context, broker, signIns, signOuts, tokenFiles, events)
    status = StatusRequests(context, broker)
    identity = IdentityRequests(context, broker)
  }

  /// Stops all parts: no new work begins, and unapproved sign-ins are cancelled.
  func stop() {
    broker.isStopping = true
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
    broker.abandon(ticket)
    signIns.abandon(ticket)
    resources.abandon(ticket)
    verifications.endVerifications(of: ticket)
  }

  /// Passes a due timer to its part.
  func due(_ event: TimerEvent) {
    context.noteFileChanges()
    switch event {
    case .refreshRetry(let name, let target, let generation, let attempt):
      broker.retryDue(name, target, generation, attempt)
    case .attention(let name, let target): broker.renewIfDue(name, target)
    case .waitOver(let name, let target): broker.waitOver(name, target)
    case .transfer(let ticket): resources.transferDue(ticket)
    case .networkChanged: broker.retryAfterNetworkChange()
    case .devicePoll(let id): signIns.pollDue(id)
    case .signInExpiry(let id): signIns.loginExpired(id)
    case .idleLock: locking.idleLockDue()
    case .tokenFile(let ticket): tokenFiles.tokenFileDue(ticket)
    case .housekeeping, .stopDeadline: break
    }
  }

  /// The loop begins.
  ///
  /// - Parameter isPrivate: For one client only.
  func start(isPrivate: Bool) {
    broker.isPrivate = isPrivate
    broker.keepFresh()
  }

  /// Runs once a minute.
  func housekeep() { broker.housekeep() }

  /// Addresses or routes came.
  func networkChanged() { broker.networkChanged() }

  /// Commands of the settings ended.
  func serveCommands() { commands.serve() }

  /// A request came to the address of a sign-in.
  func redirectCame(_ login: UInt64, query: Span<UInt8>) -> LoopbackPage { signIns.redirectCame(login, query: query) }
}
