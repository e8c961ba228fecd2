internal import Encoding
internal import Platform
internal import Wire

enum EnvCommand {
  static let env = Command(
    .env, topic: .tokens,
    summary: "Print shell statements that set a token's variables",
    options: [
      Option.shell.declaration, Option.variable.declaration, Option.unset.declaration, Option.hook.declaration,
      Option.minValid.declaration, Option.wait.declaration, Option.ask.declaration,
    ],
    shortHelp: ["shell", "var", "unset", "hook", "ask"],
    operands: .account,
    examples: [
      Example("Set the variables in this shell", #"eval "$(agent env)""#),
      Example("Sign in before, if that is needed", #"eval "$(agent env --ask)""#),
      Example("The same in fish", "agent env --shell fish | source"),
    ],
    failureAnswer: FailureAnswer(text: EnvCommand.failureStatement),
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let variables = try TokenVariables(invocation)
    if let shell = invocation[.hook] { return try printHook(for: shell, invocation) }
    let shell = try shell(invocation)
    if invocation[.unset] {
      let client = DaemonClient(invocation)
      let account = try invocation.account()
      return .doing { () throws(Failure) in
        let settings = try? client.askWithoutStarting(.account(.show(account: account)))["settings"]
        let named = settings?["variables"]?.array?.compactMap(\.string) ?? []
        try writeOutput(unsetStatements(try variables.effective(settings: named), for: shell).span, for: shell)
      }
    }
    let request = try TokenRequest(invocation, variables)
    let client = DaemonClient(invocation)
    return try SignInOffer.action(invocation, client) { () throws(Failure) in
      try client.askForToken(.token(request)) { (answer, line) throws(Failure) in
        request.note(answer.description, client.console)
        let variables = try variables.effective(for: answer.description)
        try SecretText.with(capacity: 2 * line.count + 256) { (text) throws(Failure) in
          try append(variables, of: answer, from: line, for: shell, to: &text)
          if shell.fileVariable != nil {
            // Report an unwritable file before printing anything.
            let nothing: [UInt8] = []
            try writeOutput(nothing.span, for: shell)
            try maskInLog(variables, of: answer, from: line)
          }
          try writeOutput(text.bytes.span, for: shell)
        }
        if Terminal.isTerminal(1), Terminal.isTerminal(2) {
          var showsToken = false
          try variables.forEachToken(answer, from: line) { _ in showsToken = true }
          if showsToken {
            client.console.note("the token stays on the screen; agent help env shows how to set the variables")
          }
        }
      }
      return 0
    }
  }

  /// Makes the GitHub Actions runner mask the tokens in its log. Call it before printing them.
  private static func maskInLog(
    _ variables: TokenVariables, of answer: TokenAnswer, from line: Span<UInt8>
  ) throws(Failure) {
    try SecretText.with(capacity: 8 * line.count + 1024) { (text) throws(Failure) in
      try variables.forEachToken(answer, from: line) { (token) throws(Failure) in
        text.append(utf8: "::add-mask::")
        for index in token.indices {
          if token[index] == UInt8(ascii: "%") { text.append(utf8: "%25") } else { text.append(token[index]) }
        }
        text.append(UInt8(ascii: "\n"))
      }
      try Console.answer(text.bytes.span)
    }
  }

  /// Appends the output to the file of ``Shell/fileVariable``, or prints it.
  private static func writeOutput(_ text: Span<UInt8>, for shell: Shell) throws(Failure) {
    guard let variable = shell.fileVariable, let path = Environment.value(variable), !path.isEmpty else {
      return try Console.answer(text)
    }
    do {
      try FileDescriptor(opening: path, for: .appending).writeAll(text)
    } catch {
      throw Failure(error, doing: Phrase("cannot write \(path) (set in \(variable))"))
    }
  }

  /// Prints a prompt function, which contacts the daemon only at the first prompt.
  private static func printHook(for shell: Shell, _ invocation: Invocation) throws(Failure) -> Action {
    for option in [
      Option.shell.declaration, Option.unset.declaration, Option.json.declaration, Option.noDaemon.declaration,
      Option.ask.declaration, Option.timeout.declaration, Option.wait.declaration, Option.verbose.declaration,
    ]
    where invocation.has(option) {
      throw invocation.conflict(Option.hook.declaration, option)
    }
    var arguments: [String] = []
    if let account = try invocation.namedAccount() { arguments += ["--account=\(account)"] }
    for mapping in invocation[.variable] { arguments += ["--var=\(mapping)"] }
    if let seconds = invocation[.minValid] { arguments += ["--min-valid=\(DurationText.text(seconds: seconds))"] }
    let directory = try SocketLocation.currentDirectory()
    return .doing { () throws(Failure) in
      let text: String
      do {
        text =
          try shell.hookText(
            program: Machine.executablePath(), arguments: arguments,
            changes: "\(directory)/\(WireProtocol.changesFileName)") ?? ""
      } catch {
        throw Failure(.invalidRequest, "the account name or this program's path contains a line break")
      }
      try Console.answer(text)
    }
  }

  private static func shell(_ invocation: Invocation) throws(Failure) -> Shell {
    let named = invocation[.shell]
    guard invocation[.json] else { return named ?? .sh }
    if let named, named.name != Shell.json.name {
      throw invocation.conflict(Option.json.declaration, Option.shell.declaration)
    }
    return .json
  }

  private static func unsetStatements(_ variables: TokenVariables, for shell: Shell) -> [UInt8] {
    var text: [UInt8] = []
    var writer = VariableWriter(shell)
    writer.begin(&text)
    for name in variables.names { writer.unset(name, in: &text) }
    writer.end(&text)
    return text
  }

  /// Writes a statement per variable. Unsets those without a value, so that none keeps another account's.
  static func append(
    _ variables: TokenVariables, of answer: TokenAnswer, from line: Span<UInt8>, for shell: Shell,
    to text: inout SecretText
  ) throws(Failure) {
    var writer = VariableWriter(shell)
    writer.begin(&text)
    try variables.forEach(answer, from: line) { (name, value) throws(Failure) in
      guard let value else {
        if shell.failureStatement != nil { writer.unset(name, in: &text) }
        return
      }
      do {
        try writer.set(name, to: value, in: &text)
      } catch {
        throw TokenVariables.unusable(name)
      }
    }
    writer.end(&text)
  }

  /// A statement that sets the exit status; empty on a terminal, and for shells without such a statement.
  fileprivate static func failureStatement(
    _ failure: Failure, _ invocation: Invocation?, _ arguments: [String]
  ) -> String {
    // On a terminal no shell evaluates it.
    guard !Terminal.isTerminal(1) else { return "" }
    let shell = invocation.flatMap { $0[.shell] ?? $0[.hook] } ?? namedShell(arguments)
    let isJSON = invocation.map { $0[.json] } ?? arguments.contains("--json")
    return (shell ?? (isJSON ? .json : .sh)).failureStatement?(failure.code.exitStatus.rawValue) ?? ""
  }

  private static func namedShell(_ arguments: [String]) -> Shell? {
    var named: Shell?
    for (index, argument) in arguments.enumerated() {
      for option in ["--shell", "--hook"] {
        let word =
          argument.hasPrefix("\(option)=")
          ? String(argument.dropFirst(option.count + 1))
          : argument == option && index + 1 < arguments.count ? arguments[index + 1] : nil
        if let word { named = Option.shell.value(of: [word]) ?? named }
      }
    }
    return named
  }
}
