internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

final class EventCommands: DaemonPart {
  private let commands: EventCommandRunner
  private lazy var alarm: Alarm = Alarm(loop) { [unowned self] in
    commands.endOverdue(loop.now)
    setAlarm()
  }

  init(withRunnerFor context: DaemonContext) throws(SystemError) {
    commands = try EventCommandRunner()
    super.init(context)
    _ = try loop.watch(commands.raw) { [unowned self] in serve() }
  }

  var isIdle: Bool { commands.isIdle }

  /// Closes the runner and ends commands at `end`. Kills those that remain at the returned time.
  func close(at end: Instant) -> Instant {
    defer { alarm.set(at: end) }
    return commands.close(at: end)
  }

  func killAll() { commands.killAll() }

  private func setAlarm() { alarm.set(at: commands.nextDeadline) }

  func run(for entry: SessionEntry) { context.whenSettingsAreRead { [self] in queueCommands(for: entry) } }

  private func queueCommands(for entry: SessionEntry) {
    guard let settings = try? settings(), !settings.commands.isEmpty else { return }
    let input = JSON.object(entry.json).serialized() + [UInt8(ascii: "\n")]
    for (index, command) in settings.commands.enumerated() where command.matches(entry.event.name, of: entry.account) {
      commands.add(
        EventCommandRunner.QueuedCommand(
          position: index + 1, command: command, account: entry.account.flatMap { try? AccountName($0) }, input: input))
    }
    start()
  }

  private func start() {
    while let queuedCommand = commands.takeNext() {
      let environment = commandEnvironment
      jobs.run({ () throws(SystemError) in try queuedCommand.start(environment: environment) }) { [self] outcome in
        handleStart(queuedCommand, outcome)
      }
    }
    let dropped = commands.takeDroppedCount()
    if dropped > 0 { log.note(.commandsDropped(count: dropped)) }
  }

  private func handleStart(
    _ queuedCommand: EventCommandRunner.QueuedCommand, _ outcome: Result<EventCommandRunner.StartedCommand, SystemError>
  ) {
    if let problem = commands.handleStart(queuedCommand, outcome, now: services.time.now()) {
      note(problem, of: queuedCommand)
    }
    setAlarm()
    start()
  }

  private func note(_ problem: LogEvent.CommandProblem, of queuedCommand: EventCommandRunner.QueuedCommand) {
    log.note(.commandFailed(position: queuedCommand.position, problem), queuedCommand.account)
  }

  /// Handles ended commands.
  private func serve() {
    commands.reapEnded { queuedCommand, problem in note(problem, of: queuedCommand) }
    start()
  }

  /// The daemon's variables for commands, and the socket's path unless default.
  private var commandEnvironment: [String] {
    let kept = Environment.all().filter { DaemonEnvironment.isForCommands($0.0) }.map { "\($0.0)=\($0.1)" }
    guard let socket = context.status.socketPath,
      UserDirectories.sessionRuntimeDirectory.map({ "\($0)/\(WireProtocol.socketName)" }) != socket
    else { return kept }
    return kept + ["AGENT_SOCKET=\(socket)"]
  }
}
