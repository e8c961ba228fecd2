/// The commands for shells, and those that users do not type.
enum ShellCommands {
  static let completions = Command(
    .completions,
    summary: "Print the completions for a shell",
    operands: .completionShell,
    examples: [
      Example("Complete in this bash", #"source <(agent completions bash)"#),
      Example("Complete in this zsh, after compinit", #"source <(agent completions zsh)"#),
      Example("Complete in this fish", "agent completions fish | source"),
    ])

  /// `agent` without a command. It is not listed, because it has no name.
  static let overview = Command(
    .overview,
    summary: "Show the accounts, or how to begin")

  /// Lists names that only the daemon knows, for the completions. Not listed, because it is not for users.
  static let complete = Command(
    .complete,
    summary: "Print candidates for a shell's completion", operands: .candidateKind)

  /// Notifies the desktop of an event. Not listed either.
  static let notify = Command(.notify, summary: "Show an event on standard input as a desktop notice")

  /// Prints statements for the function of ``PromptHook``. Not listed either.
  static let renew = Command(
    .renew,
    summary: "Print statements for a shell's prompt",
    options: [Option.variable.declaration, Option.minValid.declaration, Option.former.declaration],
    operands: .completionShell)
}
