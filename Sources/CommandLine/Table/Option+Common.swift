internal import Wire

extension Option {
  /// The options that every command understands, before its name as well as after it.
  static let common: [Option] = [
    Option(
      name: .account, short: "a", value: .text("NAME"),
      summary: "Act on this account instead of the active one; `AGENT_ACCOUNT` does the same"),
    Option(
      name: .timeout, value: .duration(1...WireProtocol.maximumTimeoutSeconds),
      summary: "Give up after this time"),
    Option(
      name: .noDaemon,
      summary: "Use a private `agentd` that ends with this command, as containers and build jobs need it"),
    Option(
      name: .noInput,
      summary: "Never read from the terminal; what would need a sign-in fails at once with exit status 3"),
    Option(name: .quiet, short: "q", summary: "Print errors and answers only"),
    Option(
      name: .verbose, short: "v",
      summary: "Tell on standard error what is done and why, and how long it took; never a secret"),
    Option(name: .json, short: "j", summary: "Print the answer, and any error, as JSON objects, one a line"),
    Option(name: .help, short: "h", summary: "Print how the command is used"),
    Option(name: .version, short: "V", summary: "Print the version"),
  ]
}
