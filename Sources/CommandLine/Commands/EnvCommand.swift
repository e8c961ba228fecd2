internal import Encoding
internal import Wire

/// `agent env`.
enum EnvCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard !invocation.has(.json) else {
      throw Failure(.invalidRequest, "\"env\" prints shell statements, not JSON", hint: "agent token --json")
    }
    let shell = invocation.text(.shell).flatMap { Shell(rawValue: $0) } ?? .sh
    if invocation.has(.unset) {
      var text: [UInt8] = []
      for variable in ShellVariable.allCases { shell.appendUnset(of: variable.rawValue, to: &text) }
      try Console.answer(text.span)
      return 0
    }
    let request = TokenRequest(account: try invocation.account())
    try DaemonClient(invocation).askForToken(request) { (answer, line) throws(Failure) in
      try SecretText.with(capacity: 4 * line.count + 1024) { (text) throws(Failure) in
        try append(answer, from: line, for: shell, to: &text)
        try Console.answer(text.bytes.span)
      }
    }
    return 0
  }

  /// Writes a statement for each variable; one without a value is unset, lest that of another account
  /// stays beside the new token.
  static func append(
    _ answer: TokenAnswer, from line: Span<UInt8>, for shell: Shell, to text: inout SecretText
  ) throws(Failure) {
    try TokenVariables.forEach(answer, from: line) { (variable, value) throws(Failure) in
      guard let value else { return shell.appendUnset(of: variable.rawValue, to: &text) }
      do {
        try shell.appendAssignment(of: variable.rawValue, value, to: &text)
      } catch {
        throw Failure(
          .serverMisbehaved, "the value of \(variable.rawValue) holds a control character, so it is not set")
      }
    }
  }

  /// What standard output gets when the command fails; see rule 1 of ``Console``.
  static func failureStatement(status: Int32, invocation: Invocation?) -> String {
    let shell = invocation?.text(.shell).flatMap { Shell(rawValue: $0) } ?? .sh
    return shell.failing(with: status)
  }
}
