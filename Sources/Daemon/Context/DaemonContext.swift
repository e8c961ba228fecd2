internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// The state and services shared by all parts of the daemon.
final class DaemonContext {
  let services: SessionServices
  let settingsFile: SettingsFile
  let files: WatchedFiles
  let jobs: Jobs
  let status: DaemonStatus
  let log: EventLog
  unowned let loop: any RequestLoop
  var stepSubscribers = StepSubscribers()
  /// Closes idle HTTP connections, frees memory and writes pending records. Thread-safe.
  let housekeeping: @Sendable () -> Void
  private(set) var cancellations: [Ticket: Cancellation] = [:]

  init(
    services: SessionServices, settingsFile: SettingsFile, status: DaemonStatus, log: EventLog, loop: any RequestLoop,
    jobs: Jobs, housekeeping: @escaping @Sendable () -> Void = {}
  ) {
    self.services = services
    self.settingsFile = settingsFile
    files = jobs.files
    self.status = status
    self.log = log
    self.loop = loop
    self.jobs = jobs
    self.housekeeping = housekeeping
  }

  /// Nil until all parts exist.
  var observer: (any DaemonObserver)? { log.observer }

  /// Actions added during a read of the settings, which may need another read. Nil unless a read is in progress.
  private var actionsAwaitingSettings: [() -> Void]?

  /// Whether to check `/etc/agent`, which is not watched, for changes.
  var wantsAdministratorFiles = false

  /// Whether the settings may have changed since they were read. Always true without file watches.
  var mustReadSettings: Bool {
    actionsAwaitingSettings != nil || wantsAdministratorFiles
      || files.settingsRevision.map { !settingsFile.isUpToDate(at: $0) } ?? true
  }

  /// Calls `action` once the settings are current, in the order of calls.
  func whenSettingsAreRead(_ action: @escaping () -> Void) {
    guard mustReadSettings else { return action() }
    afterReadingSettings { [self] in
      announceSettings()
      action()
    }
  }

  /// Reads the settings and checks the vault even if the files seem unchanged.
  func reload() {
    files.invalidate()
    files.poll()
    whenSettingsAreRead {}
  }

  /// Like ``whenSettingsAreRead(_:)``, without notifying the other parts.
  private func afterReadingSettings(_ action: @escaping () -> Void) {
    guard mustReadSettings else { return action() }
    if actionsAwaitingSettings == nil { readSettings(for: [action]) } else { actionsAwaitingSettings?.append(action) }
  }

  private func readSettings(for actions: [() -> Void]) {
    (actionsAwaitingSettings, wantsAdministratorFiles) = ([], false)
    let revision = files.settingsRevision
    jobs.run({
      [directory = services.settingsDirectory, last = settingsFile.lastReading] () throws(ConfigurationError) in
      try SettingsFile.read(in: directory, since: last)
    }) { [self] result in
      // ``settings()`` throws the error.
      settingsFile.adopt(result, seen: revision)
      for action in actions { action() }
      let later = actionsAwaitingSettings ?? []
      actionsAwaitingSettings = nil
      guard mustReadSettings, !later.isEmpty else { return later.forEach { $0() } }
      readSettings(for: later)
    }
  }

  /// Runs `body`, which may change the settings, on a worker, then `finish` on the loop after reading them again.
  func runSettingsChange<Value: Sendable>(
    as share: WaitShare, _ cancellation: Cancellation, _ body: @escaping @Sendable () throws(SessionError) -> Value,
    then finish: @escaping (Result<Value, SessionError>) -> Void
  ) {
    jobs.runWaiting(as: share, cancellation, body) { [self] outcome in
      // The caller publishes its own change first.
      afterReadingSettings { [self] in
        finish(outcome)
        announceSettings()
      }
    }
  }

  /// The cancellation triggered if the request's sender disconnects or the request times out.
  func cancellation(of ticket: Ticket) -> Cancellation {
    let cancellation = cancellations[ticket] ?? Cancellation()
    cancellations[ticket] = cancellation
    return cancellation
  }

  /// Drops a request's state after the final response line.
  func didAnswer(_ ticket: Ticket) {
    stepSubscribers.remove(ticket)
    if !directoryEntries.isEmpty { directoryEntries[ticket] = nil }
    if !cancellations.isEmpty { cancellations[ticket] = nil }
  }

  /// The entry for the caller's directory, by request without an account. With a URL in the request, it only decides
  /// between accounts that list the URL.
  var directoryEntries: [Ticket: AccountDirectories.Entry] = [:]

  /// Cancels a request's work, unless it is spending a single-use token or code.
  func abandon(_ ticket: Ticket) {
    cancellations[ticket]?.cancel()
    didAnswer(ticket)
  }

  /// Changes the settings file, in the order of calls. Waits for other programs' locks.
  func changeSettings(
    for ticket: Ticket, _ edit: @escaping @Sendable (inout Settings) throws(ConfigurationError) -> Void,
    then finish: @escaping (Result<Settings, SessionError>) -> Void
  ) {
    let cancellation = Cancellation()
    // A change is made even while the daemon stops.
    cancellation.beginSpending()
    let caller = self.cancellation(of: ticket)
    runSettingsChange(as: .settings, cancellation) { [services] () throws(SessionError) in
      try services.changeSettings(unless: { caller.isCancelled }, edit)
    } then: {
      finish($0)
    }
  }

  func activate(_ name: AccountName, for ticket: Ticket, then finish: @escaping (Result<Void, SessionError>) -> Void) {
    func announce() {
      log.note(.settingsChanged(.activated), name)
      announceSettings()
      finish(.success(()))
    }
    if services.ephemeral.contains(name) {
      services.ephemeral.activate(name)
      return announce()
    }
    changeSettings(for: ticket) {
      $0.activate(name)
    } then: { [self] outcome in
      switch outcome {
      case .success:
        services.ephemeral.activate(nil)
        announce()
      case .failure(let error): finish(.failure(error))
      }
    }
  }

  /// Possibly outdated, unless called in ``whenSettingsAreRead(_:)``.
  func settings() throws(Failure) -> Settings {
    do { return withEphemeral(try settingsFile.lastRead()) } catch { throw Failure(error) }
  }

  /// Notifies other parts that the settings were read or an ephemeral account changed. Must precede other notices of
  /// the change.
  func announceSettings() {
    guard let settings = try? settingsFile.lastRead() else { return }
    observer?.didReadSettings(settings, active: withEphemeral(settings).active)
  }

  private func withEphemeral(_ settings: Settings) -> Settings {
    settings.adding(
      services.ephemeral.accounts, active: services.ephemeral.active, previous: services.ephemeral.previous)
  }
}

/// A part of the daemon.
class DaemonPart {
  let context: DaemonContext

  init(_ context: DaemonContext) { self.context = context }

  var services: SessionServices { context.services }
  var settingsFile: SettingsFile { context.settingsFile }
  var jobs: Jobs { context.jobs }
  var log: EventLog { context.log }
  var loop: any RequestLoop { context.loop }

  func settings() throws(Failure) -> Settings { try context.settings() }

  /// The error for requests during shutdown.
  var stopFailure: Failure { jobs.stopError.map { Failure($0, account: nil) } ?? .stopping }

  /// Calls `action` on the loop at `due`. Cannot be cancelled, so `action` must check whether it still applies.
  func schedule(at due: Instant, _ action: @escaping () -> Void) {
    loop.schedule(at: due) { [context] in
      context.files.poll()
      context.whenSettingsAreRead(action)
    }
  }

  func announceSettings() { context.announceSettings() }

  /// Services whose steps and warnings are logged before the work's result is handled.
  func services(for account: AccountName) -> SessionServices {
    let note = jobs.messageSender { [log] (event: LogEvent) in log.note(event, account) }
    let services = services.ephemeral.contains(account) ? services.forEphemeralAccount() : services
    return services.observed { [isWatched = context.stepSubscribers.anyRequestFlag] observation in
      let event = LogEvent(observation)
      if case .step(let step) = event, !step.isRequest, !isWatched.isSet { return }
      note(event)
    }
  }

  func logStep(_ step: @autoclosure () -> LogStep, _ account: AccountName) {
    if !context.stepSubscribers.isEmpty { log.note(.step(step()), account) }
  }

  /// Nil if the request may not wait.
  func waitDeadline(_ seconds: Int?) -> Instant? { seconds.map { loop.now.advanced(by: .seconds($0)) } }

  /// A random number in 0..<1.
  func jitter() -> Double {
    let bytes = Randomness.bytes(2)
    return Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) / 65_536
  }

  /// Responds with `answer`'s result, or an error that names `account`.
  func send<Value>(
    _ outcome: Result<Value, SessionError>, _ account: AccountName?, _ ticket: Ticket, _ answer: (Value) -> JSONObject
  ) {
    sendFailure(to: ticket) { () throws(Failure) in
      loop.send(.result(answer(try outcome.valueOrFailure(account: account?.text))), to: ticket)
    }
  }

  /// Responds with the failure of `body`, if any.
  func sendFailure(to ticket: Ticket, of body: () throws(Failure) -> Void) {
    do throws(Failure) { try body() } catch { loop.send(.failure(error), to: ticket) }
  }
}

extension Result where Failure == SessionError {
  /// Throws a ``Wire/Failure`` that names `account`.
  func valueOrFailure(account: String?) throws(Wire.Failure) -> Success {
    do { return try get() } catch { throw Wire.Failure(error, account: account) }
  }
}

extension Failure {
  static let unsendableMethod = Failure(
    .invalidRequest, "invalid request method", hint: "GET, POST, PUT, PATCH, DELETE …")
  static let relativeDirectory = Failure(.invalidRequest, "\"directory\" must be an absolute path without \"..\"")
  static let httpsRequired = Failure(.invalidRequest, "a token is sent only to https URLs")
  static let missingDescriptors = Failure(
    .invalidRequest, "the request must pass one descriptor for each secret that it announces")

  static func unusableDescriptor(_ error: SystemError) -> Failure {
    Failure(
      .invalidRequest, Phrase("cannot use a descriptor of the request: \(Phrase(stringLiteral: error.message))"))
  }

  /// The client may start another daemon.
  static let stopping = Failure(.daemonUnavailable, "the daemon is stopping", hint: "try again")
  /// The client must not start another daemon.
  static let stopped = Failure(.daemonStopped, "the daemon was stopped", hint: "agent daemon start")
}
