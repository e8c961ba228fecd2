internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// `agent __renew`: what ``PromptHook`` asks before a prompt. It prints statements, says nothing else, never fails,
/// starts no daemon, and never keeps a person waiting.
enum RenewCommand {
  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let name = invocation.operands.first ?? ""
    let variables = try TokenVariables(invocation)
    let account = try invocation.account(operand: nil)
    return .doing { () throws(Failure) in
      guard let shell = Option.hook.value(of: [name]), let hook = shell.hook else { return }
      do throws(Failure) {
        try ask(TokenRequest(account: account, extras: variables.extras)) { (answer, line) throws(Failure) in
          try SecretText.with(capacity: 4 * line.count + 1024) { (text) throws(Failure) in
            try EnvCommand.append(variables.fresh, of: answer, from: line, for: shell, to: &text)
            text.append(utf8: hook.waiting(wait(until: answer.description.expiresAt)))
            try Console.answer(text.bytes.span)
          }
        }
      } catch {
        try? Console.answer(statements(after: error, variables, shell, hook))
      }
    }
  }

  private static func ask(
    _ request: TokenRequest, _ body: (TokenAnswer, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let deadline = Instant.now.advanced(by: .milliseconds(PromptHook.patienceMilliseconds))
    // One that is slow to start will be there at a later prompt.
    let connection = try DaemonLauncher.connectOrStart(patience: .milliseconds(PromptHook.patienceMilliseconds / 2))
    try connection.lent { (connection) throws(Failure) in
      try connection.send(RequestEnvelope(.token(request)))
      try connection.nextLine(before: deadline) { (line) throws(Failure) in
        try body(try TokenAnswer(parsing: line), line)
      }
    }
  }

  /// Until shortly before the end: a minute, or a tenth of what is left if that is less.
  static func wait(until expiry: Int?) -> Int {
    guard let expiry else { return PromptHook.longestWait }
    let left = expiry - SystemTime().wallSeconds()
    return max(1, min(PromptHook.longestWait, left - min(60, left / 10)))
  }

  /// A session that is over takes its variables along; whatever passes by itself changes nothing.
  private static func statements(
    after failure: Failure, _ variables: TokenVariables, _ shell: Shell, _ hook: PromptHook
  ) -> String {
    guard failure.code.exitStatus == .signInNeeded || failure.code.exitStatus == .locked else {
      return hook.waiting(PromptHook.waitAfterFailure)
    }
    return variables.fresh.names.map(shell.unsetting).joined() + hook.waiting(PromptHook.waitWhileSignedOut)
  }
}
