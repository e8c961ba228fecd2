internal import Platform
internal import Wire

enum ExecCommand {
  static let exec = Command(
    .exec, topic: .tokens,
    summary: "Run a command with a token in its environment",
    options: [
      Option.variable.declaration, Option.tokenFile.declaration, Option.idToken.declaration,
      Option.signal.declaration, Option.onRenewal.declaration, Option.minValid.declaration, Option.wait.declaration,
      Option.lease.declaration, Option.urlVariables.declaration, Option.tokenVariable.declaration,
      Option.ask.declaration,
    ] + Options.lease,
    shortHelp: ["var", "ask", "token-file", "signal", "lease", "only"],
    operands: .account,
    trailingMetavar: "COMMAND [ARGUMENT]...",
    examples: [
      Example("Give one program a token", "agent exec work -- ./deploy.sh"),
      Example(
        "Use the variable name that the program expects, and add a claim",
        "agent exec --var GH_TOKEN=access_token --var EMAIL=claim:email -- ./report"),
      Example(
        "Give a server a token file and send SIGHUP when it changes",
        "agent exec --token-file --signal HUP -- ./server --token-file-from AGENT_TOKEN_FILE"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let trailing = invocation.trailingArguments ?? []
    if invocation[.lease] { return try LeaseCommand.exec(trailing, invocation) }
    for option in Options.lease + [Option.urlVariables.declaration, Option.tokenVariable.declaration]
    where invocation.has(option) {
      throw Failure(.invalidRequest, "\"--\(option.name)\" requires \"--lease\"")
    }
    var client = DaemonClient(invocation)
    client.isReplacedAfterwards = true
    if invocation[.tokenFile] { return try TokenFileCommand.action(trailing, client, invocation) }
    for option in [Option.signal.declaration, Option.onRenewal.declaration, Option.idToken.declaration]
    where invocation.has(option) {
      throw Failure(.invalidRequest, "\"--\(option.name)\" requires \"--token-file\"")
    }
    let variables = try TokenVariables(invocation)
    let request = try TokenRequest(invocation, variables)
    return try SignInOffer.action(invocation, client) { [client] () throws(Failure) in
      var environment: [[UInt8]] = []
      try client.askForToken(.token(request)) { (answer, line) throws(Failure) in
        request.note(answer.description, client.console)
        let variables = try variables.effective(for: answer.description)
        environment = variables.removed(from: Environment.entries())
        try variables.append(answer, from: line, to: &environment)
      }
      defer { for index in environment.indices { environment[index].overwrite() } }
      let error = Spawn.replaceProcess(
        executable: trailing[0], arguments: ExecutedCommand.arguments(trailing), environment: environment)
      return ExecutedCommand.reportStartFailure(trailing[0], error, client.console)
    }
  }
}
