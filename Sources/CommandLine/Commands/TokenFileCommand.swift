internal import Platform
internal import Wire

/// `agent exec --token-file`: runs a command beside this process, which keeps the connection to the daemon open
/// that the file lives by.
enum TokenFileCommand {
  static func run(_ command: [String], _ client: DaemonClient) throws(Failure) -> Int32 {
    let invocation = client.invocation
    let variables = try TokenVariables(invocation, isForFile: true)
    let renewal = try TokenFileRenewal(invocation)
    var environment = ExecCommand.inherited(Environment.entries(), without: variables)
    defer { for index in environment.indices { environment[index].overwrite() } }
    var request = TokenRequest(account: try invocation.account(), extras: variables.extras)
    var connection = try client.connect()
    var account = ""
    let file: Event.TokenFile
    do {
      try client.askForToken(.token(request), over: &connection) { (answer, line) throws(Failure) in
        account = answer.description.account
        try ExecCommand.add(variables, of: answer, from: line, to: &environment)
      }
      request.account = account
      file = try TokenFileKeeper.begin(TokenFileRequest(account: account), client, &connection)
    } catch {
      connection.finish()
      throw error
    }
    for name in variables.fileNames { environment.append(Array("\(name)=\(file.path)".utf8)) }
    let keeper = TokenFileKeeper(client, account: account, path: file.path, connection)
    return try supervise(command, keeper, renewal, environment)
  }

  private static func supervise(
    _ command: [String], _ keeper: consuming TokenFileKeeper, _ renewal: TokenFileRenewal, _ environment: [[UInt8]]
  ) throws(Failure) -> Int32 {
    var keeper = keeper
    let console = keeper.console
    let child: SupervisedCommand
    do {
      child = try SupervisedCommand(command[0], RawArguments.last(command), environment)
    } catch {
      keeper.finish()
      return ExecCommand.refused(command[0], error, console)
    }
    var supervisor = TokenFileSupervisor(child, renewal, environment)
    let status: Platform.ExitStatus
    do {
      status = try supervisor.run(&keeper)
    } catch {
      keeper.finish()
      throw Failure(error, doing: "the command could not be waited for")
    }
    keeper.finish()
    if case .signalled(let signal) = status {
      // So that whoever waits for this process sees what happened; a core file of it would hold nothing of the command.
      Hygiene.hide()
      Signals.raise(signal)
    }
    return status.shellStatus
  }
}

/// What is done when a token file has changed.
struct TokenFileRenewal: Sendable {
  /// Sent to the command.
  let signal: Int32?
  /// A program that is run.
  let program: String?

  init(_ invocation: Invocation) throws(Failure) {
    signal = try invocation.text(.signal).map { (text) throws(Failure) in
      guard let signal = Signals.named(text) else {
        throw Failure(.invalidRequest, "\"--signal\" takes a signal such as HUP or USR1")
      }
      return signal
    }
    program = invocation.text(.onRenewal)
    if program?.isEmpty == true { throw Failure(.invalidRequest, "\"--on-renewal\" takes a program") }
  }
}
