internal import Wire

/// `agent completions`.
enum CompletionsCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let name = invocation.operands.first ?? ""
    guard let shell = CompletionShell(rawValue: name) else {
      let known = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.invalidRequest, "there are no completions for \"\(name)\", only for: \(known)")
    }
    try Console.answer(shell.script(for: .current))
    return 0
  }
}
