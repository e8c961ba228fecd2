internal import Wire

enum CompletionsCommand {
  static let completions = Command(
    .completions,
    summary: "Print the completions for a shell",
    operands: .completionShell,
    examples: [
      Example("Complete in this bash", #"source <(agent completions bash)"#),
      Example("Complete in this zsh, after compinit", #"source <(agent completions zsh)"#),
      Example("Complete in this fish", "agent completions fish | source"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let name = invocation.operands.first ?? ""
    guard let shell = CompletionShell(rawValue: name) else {
      let known = CompletionShell.allCases.map(\.rawValue)
      throw Failure(
        .invalidRequest, "no completions for \"\(name)\"",
        hint: Phrase.didYouMean(name, among: known) ?? Phrase("choose one of \(known.joined(separator: ", "))"))
    }
    return .doing { () throws(Failure) in
      try Console.answer(CompletionScript(shell, for: .current).text)
    }
  }
}
