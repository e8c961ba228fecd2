internal import Encoding
internal import Platform
internal import Wire

/// `agent env`.
enum EnvCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    if let hook = invocation.text(.hook) { return try tellHook(hook, invocation) }
    let shell = try shell(invocation)
    let variables = try TokenVariables(invocation)
    if invocation.has(.unset) {
      try Console.answer(unsetting(variables, for: shell).span)
      return 0
    }
    let request = TokenRequest(account: try invocation.account(), extras: variables.extras)
    try DaemonClient(invocation).askForToken(request) { (answer, line) throws(Failure) in
      try SecretText.with(capacity: 4 * line.count + 1024) { (text) throws(Failure) in
        try append(variables, of: answer, from: line, for: shell, to: &text)
        try Console.answer(text.bytes.span)
      }
    }
    return 0
  }

  /// Asks nobody: the function that is printed does, when the first prompt comes.
  private static func tellHook(_ name: String, _ invocation: Invocation) throws(Failure) -> Int32 {
    for option in [OptionName.shell, .unset, .json, .noDaemon] where invocation.has(option) {
      throw Failure(.invalidRequest, "choose one of --hook and --\(option.rawValue)")
    }
    _ = try TokenVariables(invocation)
    var arguments: [String] = []
    if let account = try invocation.namedAccount() { arguments += ["--account=\(account)"] }
    for mapping in invocation.texts(.variable) { arguments += ["--var=\(mapping)"] }
    let text: String
    do {
      text = try PromptHook.text(
        for: Shell(rawValue: name) ?? .bash, program: Machine.executablePath(), arguments: arguments)
    } catch {
      throw Failure(.invalidRequest, "the name of the account or this program's path holds a line break")
    }
    try Console.answer(text)
    return 0
  }

  private static func shell(_ invocation: Invocation) throws(Failure) -> Shell {
    let named = invocation.text(.shell).flatMap { Shell(rawValue: $0) }
    guard invocation.has(.json) else { return named ?? .sh }
    if let named, named != .json {
      throw Failure(.invalidRequest, "choose one of --json and --shell \(named.rawValue)")
    }
    return .json
  }

  private static func unsetting(_ variables: TokenVariables, for shell: Shell) -> [UInt8] {
    var text: [UInt8] = []
    var writer = VariableWriter(shell)
    writer.begin(&text)
    for name in variables.names { writer.unset(name, in: &text) }
    writer.end(&text)
    return text
  }

  /// Writes a statement for each variable; one without a value is unset, lest that of another account
  /// stays beside the new token.
  static func append(
    _ variables: TokenVariables, of answer: TokenAnswer, from line: Span<UInt8>, for shell: Shell,
    to text: inout SecretText
  ) throws(Failure) {
    var writer = VariableWriter(shell)
    writer.begin(&text)
    try variables.forEach(answer, from: line) { (name, value) throws(Failure) in
      guard let value else {
        if shell.isEvaluated { writer.unset(name, in: &text) }
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

  /// What standard output gets when the command fails; see rule 1 of ``Console``.
  ///
  /// - Parameters:
  ///   - invocation: nil when the command line could not be read.
  ///   - arguments: The command line, in which a shell may be named all the same.
  static func failureStatement(status: Int32, invocation: Invocation?, arguments: [String]) -> String {
    let option = invocation.flatMap { $0.text(.shell) ?? $0.text(.hook) }
    let named = option.flatMap { Shell(rawValue: $0) } ?? namedShell(arguments)
    if let named { return named.failing(with: status) }
    let isJSON = invocation?.has(.json) ?? arguments.contains("--json")
    return (isJSON ? Shell.json : .sh).failing(with: status)
  }

  private static func namedShell(_ arguments: [String]) -> Shell? {
    var named: Shell?
    for (index, argument) in arguments.enumerated() {
      if argument == "--shell" || argument == "--hook", index + 1 < arguments.count {
        named = Shell(rawValue: arguments[index + 1]) ?? named
      } else if argument.hasPrefix("--shell=") {
        named = Shell(rawValue: String(argument.dropFirst(8))) ?? named
      } else if argument.hasPrefix("--hook=") {
        named = Shell(rawValue: String(argument.dropFirst(7))) ?? named
      }
    }
    return named
  }
}
