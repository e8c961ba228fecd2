internal import Platform
internal import Wire

/// `agent exec`.
enum ExecCommand {
  /// By the custom of shells: found but not runnable, and not found.
  private static let cannotRun: Int32 = 126
  private static let notFound: Int32 = 127

  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard let trailing = invocation.trailing, let program = trailing.first else {
      throw Failure(.invalidRequest, "no command to run is given after \"--\"")
    }
    var client = DaemonClient(invocation)
    client.isReplacedAfterwards = true
    let request = TokenRequest(account: try invocation.account())
    var environment = inheritedEnvironment(Environment.entries())
    try client.askForToken(request) { (answer, line) throws(Failure) in
      try add(answer, from: line, to: &environment)
    }
    defer { for index in environment.indices { environment[index].overwrite() } }
    let error = Spawn.replaceProcess(
      executable: program, arguments: RawArguments.last(trailing), environment: environment)
    // Only a failure leads here.
    let reason = error.isNotFound ? "command not found" : error.message
    client.console.report(Failure(.invalidRequest, "\"\(program)\" cannot be run: \(reason)"))
    return error.isNotFound ? notFound : cannotRun
  }

  /// The environment without the variables that go with a token: they are all of one token or absent.
  static func inheritedEnvironment(_ entries: [[UInt8]]) -> [[UInt8]] {
    entries.filter { entry in
      !ShellVariable.allCases.contains { entry.starts(with: "\($0.rawValue)=".utf8) }
    }
  }

  /// Adds the token's variables.
  static func add(
    _ answer: TokenAnswer, from line: Span<UInt8>, to environment: inout [[UInt8]]
  ) throws(Failure) {
    try TokenVariables.forEach(answer, from: line) { (variable, value) throws(Failure) in
      guard let value else { return }
      for index in value.indices where value[index] == 0 {
        throw Failure(
          .serverMisbehaved, "the value of \(variable.rawValue) holds a control character, so it is not set")
      }
      var entry: [UInt8] = []
      entry.reserveCapacity(variable.rawValue.utf8.count + 1 + value.count)
      entry.append(contentsOf: "\(variable.rawValue)=".utf8)
      for index in value.indices { entry.append(value[index]) }
      environment.append(entry)
    }
  }
}
