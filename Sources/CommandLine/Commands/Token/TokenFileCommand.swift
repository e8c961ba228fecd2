internal import Platform
internal import Wire

/// `agent exec --token-file`: keeps a command's token file up to date.
enum TokenFileCommand {
  static func action(
    _ command: [String], _ client: DaemonClient, _ invocation: Invocation
  ) throws(Failure) -> Action {
    let variables = try TokenVariables(invocation, isForFile: true)
    let renewal = try RenewalActions(invocation)
    let request = try TokenRequest(invocation, variables)
    let kind: TokenKind = invocation[.idToken] ? .idToken : .accessToken
    return try SignInOffer.action(invocation, client) { () throws(Failure) in
      try run(command, client, request, kind, variables, renewal).propagate()
    }
  }

  private static func run(
    _ command: [String], _ client: DaemonClient, _ request: TokenRequest, _ kind: TokenKind,
    _ variables: TokenVariables, _ renewal: RenewalActions
  ) throws(Failure) -> ProcessStatus {
    var environment: [[UInt8]] = []
    var chosen = variables
    defer { for index in environment.indices { environment[index].overwrite() } }
    var (account, path) = ("", "")
    let connection = try client.connect { (connection) throws(Failure) in
      try client.retryingWithVariables(over: &connection) { (connection) throws(Failure) in
        try client.askForToken(.token(request), over: &connection) { (answer, line) throws(Failure) in
          for index in environment.indices { environment[index].overwrite() }
          account = answer.description.account
          chosen = try variables.effective(for: answer.description)
          environment = chosen.removed(from: Environment.entries())
          try chosen.append(answer, from: line, to: &environment)
        }
      }
      path = try TokenFileKeeper.begin(TokenFileRequest(account: account, kind: kind), client, &connection).path
    }
    for name in chosen.fileNames { environment.append(Array("\(name)=\(path)".utf8)) }
    var keeper = TokenFileKeeper(client, account: account, kind, path: path, connection)
    var supervisor = TokenFileSupervisor(renewal, environment)
    return try ExecutedCommand.run(command, environment, client.console) { (child) throws(SystemError) in
      try supervisor.wait(for: child, &keeper)
    }
  }
}

/// Actions on a token file's changes.
struct RenewalActions: Sendable {
  let signal: Int32?
  let program: String?

  init(_ invocation: Invocation) throws(Failure) {
    signal = try invocation[.signal].map { (text) throws(Failure) in
      guard let signal = Signals.named(text) else {
        throw Failure(.invalidRequest, "\"--signal\" must be a signal such as HUP or USR1")
      }
      return signal
    }
    program = invocation[.onRenewal]
  }
}

/// Acts on token file changes until the command ends.
struct TokenFileSupervisor {
  private let renewal: RenewalActions
  private let environment: [[UInt8]]
  /// The renewal program's process ID while it runs.
  private var eventCommand: Int32?
  private var hasNewerChange = false

  private static let commandKey: UInt64 = 0
  private static let daemonKey: UInt64 = 1

  init(_ renewal: RenewalActions, _ environment: [[UInt8]]) {
    self.renewal = renewal
    self.environment = environment
  }

  mutating func wait(
    for child: borrowing SupervisedCommand, _ keeper: inout TokenFileKeeper
  ) throws(SystemError) -> ProcessStatus {
    let poller = try Poller()
    try poller.add(child.raw, interest: .read, key: Self.commandKey)
    try keeper.connection.watch(poller, key: Self.daemonKey)
    while true {
      let events = try poller.wait(until: keeper.connection.nextAttempt)
      if let status = try child.handleSignals() {
        endEventCommand()
        return status
      }
      reapEventCommand(child, keeper.console)
      if events.contains(where: { $0.key == Self.daemonKey }) { keeper.read() }
      try keeper.reconnectIfDue(poller, key: Self.daemonKey)
      if keeper.takeChange() { reportChange(child, keeper.console) }
    }
  }

  private mutating func reportChange(_ child: borrowing SupervisedCommand, _ console: Console) {
    if let signal = renewal.signal { child.send(signal) }
    guard let program = renewal.program else { return }
    guard eventCommand == nil else { return hasNewerChange = true }
    do {
      eventCommand = try Spawn.startInProcessGroup(
        executable: program, arguments: [Array(program.utf8)], environment: environment, nullInput: true)
    } catch {
      let reason = error.isNotFound ? Phrase("command not found") : Phrase(known: error.message)
      console.note("cannot run \(program): \(reason)")
    }
  }

  /// Runs the program again if the file changed meanwhile.
  private mutating func reapEventCommand(_ child: borrowing SupervisedCommand, _ console: Console) {
    guard let process = eventCommand, (try? Spawn.tryWait(process)) != nil else { return }
    eventCommand = nil
    guard hasNewerChange else { return }
    hasNewerChange = false
    reportChange(child, console)
  }

  private func endEventCommand() {
    if let eventCommand { try? Spawn.kill(eventCommand, Signals.SIGTERM) }
  }
}
