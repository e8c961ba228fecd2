internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Passes each request to its part.
final class Dispatcher: DaemonPart, RequestHandler {
  private let parts: DaemonParts
  /// Requests that change sessions or accounts.
  private var changingRequests: Set<Ticket> = []
  private var requestsAwaitingSettings: [Ticket: Request] = [:]
  /// Answered when all work is done.
  private(set) var stopRequests: [Ticket] = []
  /// Whether the first stop request was a stop, not a restart. Nil before any.
  private(set) var isStopPermanent: Bool?

  init(_ context: DaemonContext, _ parts: DaemonParts) {
    self.parts = parts
    super.init(context)
  }

  /// Starts a request once the settings are current.
  func handle(_ envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    context.files.poll()
    if let seconds = envelope.deadlineSeconds {
      loop.setDeadline(loop.now.advanced(by: .seconds(seconds)), of: ticket)
    }
    let row = envelope.request.properties
    if row.has(.changesAccounts) { changingRequests.insert(ticket) }
    if case .vault(.lock) = envelope.request { refuseUnlocks() }
    switch envelope.request {
    case .login, .discover, .account, .state(.status), .state(.list), .state(.doctor):
      context.wantsAdministratorFiles = true
    default: break
    }
    guard context.mustReadSettings, !row.has(.withoutSettings) else { return begin(envelope, ticket, passed) }
    requestsAwaitingSettings[ticket] = envelope.request
    context.whenSettingsAreRead { [self] in
      if requestsAwaitingSettings.removeValue(forKey: ticket) != nil { begin(envelope, ticket, passed) }
    }
  }

  /// Refuses waiting unlocks, which a later lock overrides.
  private func refuseUnlocks() {
    for case (let ticket, .vault(.unlock(let level))) in requestsAwaitingSettings {
      requestsAwaitingSettings[ticket] = nil
      loop.send(.failure(Failure(.vault(VaultError(.locked(level))), account: nil)), to: ticket)
    }
  }

  private func begin(_ envelope: RequestEnvelope, _ ticket: Ticket, _ passed: [SharedDescriptor]) {
    do throws(Failure) {
      let request = try withDirectoryAccount(envelope, ticket)
      if envelope.verbose { beginSteps(of: request, ticket) }
      if jobs.stopError != nil { throw stopFailure }
      switch request {
      case .token(let request) where request.isLent: try parts.resources.leases.sendToken(request, ticket)
      case .token(let request) where request.destination == nil: try parts.broker.sendToken(request, ticket)
      case .token(let request): try parts.urlTokens.sendToken(request, ticket)
      case .assumeRole(let request): try parts.roles.assume(request, ticket)
      case .forget(let request): try parts.urlTokens.forget(request, ticket, passed: passed)
      case .proof(let request): try parts.proofs.sendProof(request, ticket)
      case .variables(let request): try parts.broker.passedVariables.read(request, ticket, passed: passed)
      case .screenEnvironment: try parts.broker.screenEnvironment(ticket, passed: passed)
      case .state(.whoami(let name, let verified)): try parts.identity.whoami(name, isVerified: verified, ticket)
      case .login(let request): try parts.signIns.login(request, ticket, passed: passed)
      case .loginStep(.resume(let loginID, let waits)): try parts.signIns.resume(loginID, waits: waits, ticket)
      case .loginStep: try parts.signIns.handleAnswer(request, ticket)
      case .discover(let request): try parts.discoveries.discover(request, ticket)
      case .logout(let request): try parts.signOuts.logout(request, ticket)
      case .state(.status(let name, check: false)): try parts.status.listAccounts(.status, name, ticket)
      case .state(.status(let name, check: true)): try parts.status.check(name, ticket)
      case .state(.doctor(let name)): try parts.status.examine(name, ticket)
      case .state(.list): try parts.status.listAccounts(.list, nil, ticket)
      case .state(.use(let name)): try parts.accounts.use(name, ticket)
      case .state(.useDirectory(let name, let path)): try parts.accounts.use(name, in: path, ticket)
      case .state(.setNotifier(let program)): try parts.accounts.setNotificationProgram(program, ticket)
      case .daemon(.status): loop.send(.result(context.status.json(time: services.time)), to: ticket)
      case .daemon(.stop): requestStop(ticket, isPermanent: true)
      case .daemon(.restart): requestStop(ticket, isPermanent: false)
      case .daemon(.log): loop.send(.result(log.json), to: ticket)
      case .account(let request): try parts.accounts.manage(request, ticket, passed: passed)
      case .call(let request):
        try parts.resources.call(request, ticket, timeoutSeconds: envelope.timeoutSeconds, passed: passed)
      case .resourceBody: throw Failure(.invalidRequest, "no request on this connection expects part of a body now")
      case .verify(let request):
        try parts.verifications.verify(request, ticket, hasDeadline: envelope.timeoutSeconds != nil, passed: passed)
      case .vault(let request): try parts.vault.handle(request, ticket, passed: passed)
      case .events(let request): try parts.events.handle(request, ticket)
      case .lease(let request): try parts.resources.leases.open(request, ticket, passed: passed)
      case .leasePeer(let request): try parts.resources.leases.handle(request, ticket, passed: passed)
      case .leaseHTTP: throw Failure(.invalidRequest, "send this request to the process of a lease, not the daemon")
      case .leaseAnswer: throw Failure(.invalidRequest, "no lease on this connection is waiting for an answer")
      case .leaseStatus: try parts.resources.leases.sendAccessRules(ticket)
      case .tokenFile(let request): try parts.tokenFiles.handle(request, ticket)
      }
    } catch {
      loop.send(.failure(error), to: ticket)
    }
  }

  /// Subscribes a request to the steps of its account, or of all if it names none.
  func beginSteps(of request: Request, _ ticket: Ticket) {
    guard let settings = try? settings() else { return }
    let name: AccountName?
    switch request {
    case .login(let login): name = (try? LoginSettings(login, settings))?.account
    case .loginStep(.resume(let resumed, _)):
      guard let login = parts.signIns.login(withID: resumed) else { return }
      name = login.account
    case .discover: return
    default:
      name =
        switch request.properties.subject {
        case .account(let text): (try? AccountName(text)) ?? settings.active
        case .activeAccount: settings.active
        case .listingAccount, .any: nil
        }
    }
    context.stepSubscribers.add(ticket, about: name)
  }

  /// Adds the account of the caller's directory if the request names none. Throws `directory_needed` if the client must
  /// send its directory.
  private func withDirectoryAccount(_ envelope: RequestEnvelope, _ ticket: Ticket) throws(Failure) -> Request {
    let row = envelope.request.properties
    guard let text = envelope.directory, row.followsDirectory else { return envelope.request }
    let directories: AccountDirectories
    do { directories = try settingsFile.lastRead().directories } catch { throw Failure(error) }
    guard !directories.isEmpty else { return envelope.request }
    if text.isEmpty { throw .directoryNeeded }
    guard let path = DirectoryPath(text) else { throw .relativeDirectory }
    guard let entry = directories.nearest(to: path) else { return envelope.request }
    context.directoryEntries[ticket] = entry
    return row.subject == .activeAccount ? envelope.request.withDefaultAccount(entry.account.text) : envelope.request
  }

  /// Ends the daemon after this turn of the loop.
  private func requestStop(_ ticket: Ticket, isPermanent: Bool) {
    stopRequests.append(ticket)
    isStopPermanent = isStopPermanent ?? isPermanent
  }

  /// Delays a result until shell prompts can show the change. Returns false if not needed.
  func postpone(_ result: Reply, of ticket: Ticket) -> Bool {
    changingRequests.contains(ticket) && parts.events.postpone(result, of: ticket)
  }

  /// Whether a request in progress accepts further messages.
  func awaitsMore(_ ticket: Ticket) -> Bool {
    parts.signIns.logins.values.contains { $0.ticket == ticket } || parts.resources.leases.isOwner(ticket)
      || parts.resources.expectsBody(ticket)
  }

  /// Returns false if the message is for no request in progress.
  func handleFollowUp(_ request: Request, _ ticket: Ticket) -> Bool {
    switch request {
    case .leaseAnswer(let answer) where parts.resources.leases.isOwner(ticket):
      parts.resources.leases.applyAnswer(answer, ticket)
      return true
    case .resourceBody(let part) where parts.resources.expectsBody(ticket):
      parts.resources.appendBodyPart(part, ticket)
      return true
    case .loginStep(.redirect), .loginStep(.confirm): return parts.signIns.handleFollowUp(request, ticket)
    default: return false
    }
  }

  /// If `isPermanent`, clients must not start another daemon.
  func stop(isPermanent: Bool = false) {
    log.note(.stopping)
    parts.stop(isPermanent: isPermanent)
  }

  func abandon(_ ticket: Ticket) {
    changingRequests.remove(ticket)
    requestsAwaitingSettings[ticket] = nil
    context.abandon(ticket)
    parts.abandon(ticket)
  }

  func note(_ event: LogEvent) { log.note(event) }

  func didClose(_ connection: UInt64) { parts.broker.passedVariables.forgetValues(of: connection) }

  func didAnswer(_ ticket: Ticket) {
    if !changingRequests.isEmpty { changingRequests.remove(ticket) }
    context.didAnswer(ticket)
  }
}
