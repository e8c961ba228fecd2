internal import AgentSocket
internal import Platform
internal import Vocabulary
internal import Wire

/// `agent exec --token-file`: runs a command as a child, with a connection that keeps the token file.
enum TokenFileCommand {
  static func action(
    _ command: [String], _ client: DaemonClient, _ invocation: Invocation
  ) throws(Failure) -> Action {
    let variables = try TokenVariables(invocation, isForFile: true)
    let renewal = try TokenFileRenewal(invocation)
    let request = try TokenRequest(invocation, variables)
    let kind: TokenKind = invocation[.idToken] ? .idToken : .accessToken
    return try SignInOffer.action(invocation, client) { () throws(Failure) in
      try run(command, client, request, kind, variables, renewal)
    }
  }

  private static func run(
    _ command: [String], _ client: DaemonClient, _ request: TokenRequest, _ kind: TokenKind,
    _ variables: TokenVariables, _ renewal: TokenFileRenewal
  ) throws(Failure) -> Int32 {
    var environment: [[UInt8]] = []
    var chosen = variables
    defer { for index in environment.indices { environment[index].overwrite() } }
    var (account, path) = ("", "")
    let connection = try client.connect { (connection) throws(Failure) in
      try client.retryingWithVariables(over: &connection) { (connection) throws(Failure) in
        try client.askForToken(.token(request), over: &connection) { (answer, line) throws(Failure) in
          for index in environment.indices { environment[index].overwrite() }
          account = answer.description.account
          chosen = try variables.chosen(for: answer.description)
          environment = chosen.removed(from: Environment.entries())
          try chosen.append(answer, from: line, to: &environment)
        }
      }
      path = try TokenFileKeeper.begin(TokenFileRequest(account: account, kind: kind), client, &connection).path
    }
    for name in chosen.fileNames { environment.append(Array("\(name)=\(path)".utf8)) }
    let keeper = TokenFileKeeper(client, account: account, kind, path: path, connection)
    return try supervise(command, keeper, renewal, environment)
  }

  private static func supervise(
    _ command: [String], _ keeper: consuming TokenFileKeeper, _ renewal: TokenFileRenewal, _ environment: [[UInt8]]
  ) throws(Failure) -> Int32 {
    var keeper = keeper
    let console = keeper.console
    let child: SupervisedCommand
    do {
      child = try SupervisedCommand(command[0], ExecutedCommand.arguments(command), environment)
    } catch {
      keeper.finish()
      return ExecutedCommand.refused(command[0], error, console)
    }
    var supervisor = TokenFileSupervisor(child, renewal, environment)
    let status: ProcessStatus
    do {
      status = try supervisor.run(&keeper)
    } catch {
      keeper.finish()
      throw Failure(error, doing: "cannot wait for the command")
    }
    keeper.finish()
    if case .signalled(let signal) = status {
      // Die by the same signal, for the parent. A core file of this process would not help.
      ProcessHardening.hide()
      Signals.raise(signal)
    }
    return status.shellStatus
  }
}

/// What to do after a token file has changed.
struct TokenFileRenewal: Sendable {
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

/// Waits for the command and for changes of the token file.
struct TokenFileSupervisor: ~Copyable {
  private let child: SupervisedCommand
  private let renewal: TokenFileRenewal
  private let environment: [[UInt8]]
  /// The program that runs because the file has changed.
  private var eventCommand: Int32?
  /// Whether the file has changed again since then.
  private var hasMoreToTell = false

  private static let commandKey: UInt64 = 0
  private static let daemonKey: UInt64 = 1

  init(_ child: consuming SupervisedCommand, _ renewal: TokenFileRenewal, _ environment: [[UInt8]]) {
    self.child = child
    self.renewal = renewal
    self.environment = environment
  }

  /// Returns when the command has ended.
  mutating func run(_ keeper: inout TokenFileKeeper) throws(SystemError) -> ProcessStatus {
    let poller = try Poller()
    try poller.add(child.raw, interest: .read, key: Self.commandKey)
    try keeper.watch(poller, key: Self.daemonKey)
    while true {
      let events = try poller.wait(until: keeper.nextAttempt)
      if let status = try child.handleSignals() {
        endEventCommand()
        return status
      }
      reapEventCommand(keeper.console)
      if events.contains(where: { $0.key == Self.daemonKey }) { keeper.read() }
      if keeper.isAttemptDue { try keeper.attempt(poller, key: Self.daemonKey) }
      if keeper.takeChange() { inform(keeper.console) }
    }
  }

  /// Signals the command and runs the program, after a change of the file.
  private mutating func inform(_ console: Console) {
    if let signal = renewal.signal { child.send(signal) }
    guard let program = renewal.program else { return }
    guard eventCommand == nil else { return hasMoreToTell = true }
    do {
      eventCommand = try Spawn.startBeside(
        executable: program, arguments: [Array(program.utf8)], environment: environment, nullInput: true)
    } catch {
      let reason = error.isNotFound ? Phrase("command not found") : Phrase(known: error.message)
      console.note("cannot run \(program): \(reason)")
    }
  }

  /// Reaps the program, and runs it again if the file has changed meanwhile.
  private mutating func reapEventCommand(_ console: Console) {
    guard let process = eventCommand, (try? Spawn.tryWait(process)) != nil else { return }
    eventCommand = nil
    guard hasMoreToTell else { return }
    hasMoreToTell = false
    inform(console)
  }

  private func endEventCommand() {
    if let eventCommand { try? Spawn.kill(eventCommand, Signals.SIGTERM) }
  }
}
