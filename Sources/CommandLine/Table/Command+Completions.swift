extension Command {
  static let completions = Command(
    name: "completions",
    summary: "Print the completions for a shell",
    details: [
      "`make install` puts the same text where the shells look for it. Commands, options, values and files are"
        + " completed, and the names of accounts while the daemon runs."
    ],
    operands: .completionShell,
    examples: [
      Example(purpose: "Complete in this bash", line: #"source <(agent completions bash)"#),
      Example(purpose: "Complete in this zsh, after compinit", line: #"source <(agent completions zsh)"#),
      Example(purpose: "Complete in this fish", line: "agent completions fish | source"),
    ],
    run: CompletionsCommand.run)

  /// What the completions ask for names that only the daemon knows. It is in no list, since it is not
  /// for people.
  static let complete = Command(
    name: "__complete", summary: "Print candidates for a shell's completion", operands: .candidateKind,
    run: CompleteCommand.run)

  /// What the function of ``PromptHook`` asks. It is in no list either.
  static let renew = Command(
    name: "__renew", summary: "Print statements for a shell's prompt",
    options: [Option(name: .variable, value: .text("NAME=FIELD"), repeats: true, summary: "Set the variable `NAME`")],
    operands: .completionShell, run: RenewCommand.run)
}
