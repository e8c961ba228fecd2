internal import Encoding
internal import Platform
internal import Wire

/// `agent __renew`, called by ``PromptHook``: prints statements for the shell, never fails, and returns quickly.
enum RenewCommand {
  static let renew = Command(
    .renew,
    summary: "Print statements for a shell's prompt",
    options: [Option.variable.declaration, Option.minValid.declaration, Option.formerVariables.declaration],
    operands: .completionShell,
    refusing: [Option.noDaemon.declaration],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let name = invocation.operands.first ?? ""
    let variables = try TokenVariables(invocation)
    // Ignore an account variable that this hook sets itself.
    let isOwn = variables.hookVariables.names.contains { $0.hasSameBytes(as: Invocation.accountVariable) }
    let request = TokenRequest(
      account: try isOwn ? invocation.namedAccount(operand: nil) : invocation.account(operand: nil),
      minimumValiditySeconds: invocation[.minValid],
      extras: variables.extras)
    let former = invocation[.formerVariables].filter { VariableName.isWellFormed($0[...].utf8) }
    return .doing { () throws(Failure) in
      guard let shell = Option.hook.value(of: [name]), let hook = shell.hook else { return }
      var directory = request.account == nil ? "" : nil
      var failure: Failure
      repeat {
        do throws(Failure) {
          return try print(request, in: directory, variables, former, shell, hook)
        } catch {
          failure = error
        }
        // Retry with the directory, if it still exists.
        guard failure.code == .directoryNeeded, directory?.isEmpty == true else { break }
        directory = CallerDirectory.path
      } while directory != nil
      let names = former.isEmpty ? variables.hookVariables.names : former
      let follows = failure.code == .directoryNeeded || directory?.isEmpty == false
      // Otherwise it is unknown whether the account depends on the directory.
      let following = follows ? hook.followsStatement(true) : ""
      try? Console.answer(following + statements(after: failure, names, shell, hook))
    }
  }

  /// `directory` is nil if the request names an account, and empty until the daemon asks for it.
  private static func print(
    _ request: TokenRequest, in directory: String?, _ variables: TokenVariables, _ former: [String], _ shell: Shell,
    _ hook: PromptHook
  ) throws(Failure) {
    let deadline = Instant.now.advanced(by: .milliseconds(PromptHook.timeoutMilliseconds))
    // A daemon that starts slowly is used at a later prompt.
    var connection = try DaemonLauncher.connectOrStart(timeout: .milliseconds(PromptHook.timeoutMilliseconds / 2))
    try connection.send(RequestEnvelope(.token(request), directory: directory))
    try connection.nextLine(before: deadline) { (line) throws(Failure) in
      let answer = try TokenAnswer(parsing: line)
      let hookVariables = try variables.effective(for: answer.description).hookVariables
      try SecretText.with(capacity: 4 * line.count + 1024) { (text) throws(Failure) in
        for name in former where !hookVariables.names.contains(name) { text.append(utf8: shell.unsetStatement(name)) }
        try EnvCommand.append(hookVariables, of: answer, from: line, for: shell, to: &text)
        text.append(utf8: hook.namesStatement(hookVariables.names))
        text.append(utf8: hook.followsStatement(directory?.isEmpty == false))
        text.append(utf8: hook.waitStatement(renewalDelay(until: answer.description.expiresAt)))
        try Console.answer(text.bytes.span)
      }
    }
  }

  /// Seconds until a minute before `expiry` (Unix seconds), or if later, until 90 % of the remaining lifetime. At most
  /// ``PromptHook/maximumWait``.
  static func renewalDelay(until expiry: Int?) -> Int {
    guard let expiry else { return PromptHook.maximumWait }
    let left = expiry - SystemTime().wallSeconds()
    return max(1, min(PromptHook.maximumWait, left - min(60, left / 10)))
  }

  /// Statements that unset `names` if the session has ended; otherwise empty.
  private static func statements(
    after failure: Failure, _ names: [String], _ shell: Shell, _ hook: PromptHook
  ) -> String {
    let hasEnded = [.signInNeeded, .locked].contains(failure.code.exitStatus) || failure.code == .directoryNeeded
    guard hasEnded else { return "" }
    return names.map(shell.unsetStatement).joined() + hook.namesStatement([])
      + hook.waitStatement(PromptHook.waitWhileSignedOut)
  }
}
