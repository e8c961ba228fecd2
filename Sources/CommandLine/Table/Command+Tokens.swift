extension Command {
  static let token = Command(
    name: "token",
    summary: "Print a valid access token",
    details: [
      "Prints a token at once when a good one is at hand, and gets a new one from the server otherwise.",
      #"With `--json` prints `{"account", "issuer", "access_token", "token_type", "scope", "expires_at"}`, without the"#
        + " members that the server left out.",
    ],
    options: [
      Option(
        name: .minValid, value: .duration(0...86_400),
        summary: "Get a new token when the one at hand expires sooner than this"),
      Option(name: .forceRefresh, summary: "Get a new token even if the one at hand is good"),
      Option(name: .header, summary: "Print a whole `Authorization` header line"),
    ],
    operands: .account,
    examples: [
      Example(
        purpose: "Call an API without the token on the command line, where other users could see it",
        line: "agent token --header | curl -H @- https://api.example.com/me")
    ],
    run: TokenCommand.run)

  static let env = Command(
    name: "env",
    summary: "Print shell statements that set a token's variables",
    details: [
      "Sets and exports `AGENT_ACCESS_TOKEN`, `AGENT_TOKEN_TYPE`, `AGENT_TOKEN_EXPIRES_AT` (unix seconds),"
        + " `AGENT_ACCOUNT`, `AGENT_ISSUER` and `AGENT_SUBJECT`; one that has no value is unset. Every value is quoted so"
        + " that the shell takes it for nothing but text, also where the quotes around `$(agent env)` were forgotten.",
      "When the command fails, it prints one statement that only sets the exit status, so that"
        + #" `eval "$(agent env)" || exit` stops."#,
    ],
    options: [
      Option(
        name: .shell, value: .choice("SHELL", Shell.allCases.map(\.rawValue)),
        summary: "The shell to write for; `sh`, the default, suits bash, zsh and ksh too"),
      Option(name: .unset, summary: "Print statements that unset the variables"),
    ],
    operands: .account,
    examples: [Example(purpose: "Set the variables in this shell", line: #"eval "$(agent env)""#)],
    run: EnvCommand.run)

  static let exec = Command(
    name: "exec",
    summary: "Run a command with a token in its environment",
    details: [
      "Sets the variables that `agent env` names and becomes the command. The exit status is the command's own,"
        + " 126 when it cannot be run and 127 when it is not found."
    ],
    operands: .account,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [Example(purpose: "Give one program a token", line: "agent exec work -- ./deploy.sh")],
    run: ExecCommand.run)
}
