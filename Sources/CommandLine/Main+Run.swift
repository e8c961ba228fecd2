internal import Platform
internal import Wire

package enum Main {
  /// Runs a command line, program name first, and returns the exit status.
  package static func run(arguments: [String]) -> Int32 {
    // Report write errors instead of ending by a signal.
    Signals.ignoreFailingWrites()
    let arguments = HelperProtocolName.commandLine(arguments)
    let invocation: Invocation
    do {
      invocation = try Parser.parse(arguments, by: commands)
    } catch {
      let console = Console(usesJSON: wantsJSON(arguments), isQuiet: false)
      return fail(error.failure, console, error.command, nil, arguments)
    }
    do {
      return try run(invocation)
    } catch {
      return fail(error, Console(invocation), invocation.command, invocation, arguments)
    }
  }

  package static func runAndExit() -> Never {
    ProcessHardening.occupyStandardDescriptors()
    // Core files would contain tokens.
    ProcessHardening.disableDumping()
    let quick = QuickToken.run()
    if case .printed = quick { Processes.exit(0) }
    ProgramName.adopt()
    if case .failed(let failure) = quick {
      Processes.exit(fail(failure, Console(usesJSON: false, isQuiet: false), nil, nil))
    }
    Processes.exit(run(arguments: Processes.arguments))
  }

  private static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    if invocation[.version] {
      try VersionAnswer.print(invocation)
      return 0
    }
    if invocation[.help] {
      try Console.answer(
        HelpCommand.text(for: invocation.commandWords, by: commands, all: invocation.asksForEverything))
      return 0
    }
    guard let command = invocation.command else {
      throw Failure(.invalidRequest, "no command given", hint: "agent help")
    }
    let action = try command.makeAction(invocation)
    try invocation.refuseUnread()
    return try action.run()
  }

  /// Whether an invalid command line requires errors in JSON.
  private static func wantsJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { $0 == "--json" || $0 == "-j" }
  }

  private static func fail(
    _ failure: Failure, _ console: Console, _ command: Command?, _ invocation: Invocation?, _ arguments: [String] = []
  ) -> Int32 {
    guard !failure.isSilent else { return failure.code.exitStatus.rawValue }
    var failure = failure.fromOlderDaemon ?? failure
    failure = invocation?.withAccountHint(failure) ?? failure
    let answer = command?.failureAnswer
    if let command, let answer, answer.isOneLine {
      Console.printToStandardError(console.line(of: failure, in: command.name) + "\n")
    } else {
      console.report(failure)
    }
    if let text = answer?.text(failure, invocation, arguments), !text.isEmpty { try? Console.answer(text) }
    return failure.code.exitStatus.rawValue
  }
}

extension Failure {
  /// A clearer failure if the daemon is older; otherwise nil.
  fileprivate var fromOlderDaemon: Failure? {
    guard code == .unknownRequest else { return nil }
    return Failure(
      .unknownRequest, "the running daemon has another version and does not know this request",
      hint: "agent daemon stop")
  }
}
