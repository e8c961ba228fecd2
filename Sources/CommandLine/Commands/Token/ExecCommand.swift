internal import AgentSocket
internal import Platform
internal import Wire

/// `agent exec`.
enum ExecCommand {
  /// By the custom of shells: found but not runnable, and not found.
  private static let cannotRun: Int32 = 126
  private static let notFound: Int32 = 127

  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    guard let trailing = invocation.trailing, let program = trailing.first else {
      throw Failure(.invalidRequest, "no command to run is given after \"--\"")
    }
    var client = DaemonClient(invocation)
    client.isReplacedAfterwards = true
    if invocation[.tokenFile] { return try TokenFileCommand.action(trailing, client, invocation) }
    for option in [Option.signal, Option.onRenewal] where invocation.has(option) {
      throw Failure(.invalidRequest, "\"--\(option.name)\" needs \"--token-file\"")
    }
    let variables = try TokenVariables(invocation)
    let request = Request.token(TokenRequest(account: try invocation.account(), extras: variables.extras))
    return Action { [client] () throws(Failure) in
      var environment = inherited(Environment.entries(), without: variables)
      try client.askForToken(request) { (answer, line) throws(Failure) in
        try add(variables, of: answer, from: line, to: &environment)
      }
      defer { for index in environment.indices { environment[index].overwrite() } }
      let error = Spawn.replaceProcess(
        executable: program, arguments: RawArguments.last(trailing), environment: environment)
      // Only a failure leads here.
      return refused(program, error, client.console)
    }
  }

  /// Tells that a command could not be run, and returns the status for that.
  static func refused(_ program: String, _ error: SystemError, _ console: Console) -> Int32 {
    let reason = error.isNotFound ? "command not found" : error.message
    console.report(Failure(.invalidRequest, "\"\(program)\" cannot be run: \(reason)"))
    return error.isNotFound ? notFound : cannotRun
  }

  /// The environment without the variables that are set anew: they are all of one token or absent.
  static func inherited(_ entries: [[UInt8]], without variables: TokenVariables) -> [[UInt8]] {
    let prefixes = variables.names.map { "\($0)=" }
    return entries.filter { entry in !prefixes.contains { entry.starts(with: $0.utf8) } }
  }

  /// Adds the variables.
  static func add(
    _ variables: TokenVariables, of answer: TokenAnswer, from line: Span<UInt8>, to environment: inout [[UInt8]]
  ) throws(Failure) {
    try variables.forEach(answer, from: line) { (name, value) throws(Failure) in
      guard let value else { return }
      for index in value.indices where value[index] == 0 { throw TokenVariables.unusable(name) }
      var entry: [UInt8] = []
      entry.reserveCapacity(name.utf8.count + 1 + value.count)
      entry.append(contentsOf: "\(name)=".utf8)
      for index in value.indices { entry.append(value[index]) }
      environment.append(entry)
    }
  }
}

/// The arguments of this process as the bytes they are: a file name need not be UTF-8, and a `String`
/// of it would name another file.
enum RawArguments {
  /// The bytes of the last arguments, which were read as `words`.
  ///
  /// When they are not this process's own, as in a test, the words' bytes.
  static func last(_ words: [String]) -> [[UInt8]] {
    let first = Int(Swift.CommandLine.argc) - words.count
    guard first >= 0 else { return words.map { Array($0.utf8) } }
    return words.enumerated().map { index, word in
      guard let pointer = unsafe Swift.CommandLine.unsafeArgv[first + index] else { return Array(word.utf8) }
      guard unsafe String(cString: pointer).utf8.elementsEqual(word.utf8) else { return Array(word.utf8) }
      var bytes: [UInt8] = []
      var place = unsafe pointer
      while unsafe place.pointee != 0 {
        bytes.append(unsafe UInt8(bitPattern: place.pointee))
        unsafe place += 1
      }
      return bytes
    }
  }
}
