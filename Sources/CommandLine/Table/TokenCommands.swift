/// The commands that print tokens, or run another command with them.
enum TokenCommands {
  static let token = Command(
    .token,
    summary: "Print a valid access token",
    options: [Option.minValid.declaration] + Options.tokenTarget + [
      Option.wait.declaration, Option.forceRefresh.declaration, Option.header.declaration, Option.idToken.declaration,
      Option.ask.declaration,
    ],
    everyday: ["ask", "min-valid", "force-refresh", "header", "id-token", "scope", "resource", "audience", "wait"],
    operands: .account,
    examples: [
      Example(
        "Call an API without the token on the command line, where other users could see it",
        "agent token --header | curl -H @- https://api.example.com/me"),
      Example("Stop a script if not signed in", "token=$(agent token) || exit"),
      Example("Get a token valid for at least 10 minutes", "agent token work --min-valid 10m"),
    ])

  static let env = Command(
    .env,
    summary: "Print shell statements that set a token's variables",
    options: [
      Option.shell.declaration, Option.variable.declaration, Option.unset.declaration, Option.hook.declaration,
      Option.minValid.declaration, Option.wait.declaration, Option.ask.declaration,
    ],
    operands: .account,
    examples: [
      Example("Set the variables in this shell", #"eval "$(agent env)""#),
      Example("Sign in before, if that is needed", #"eval "$(agent env --ask)""#),
      Example("The same in fish", "agent env --shell fish | source"),
    ])

  static let exec = Command(
    .exec,
    summary: "Run a command with a token in its environment",
    options: [
      Option.variable.declaration, Option.tokenFile.declaration, Option.idToken.declaration,
      Option.signal.declaration, Option.onRenewal.declaration, Option.minValid.declaration, Option.wait.declaration,
      Option.lease.declaration, Option.urlVariables.declaration, Option.tokenVariable.declaration,
      Option.ask.declaration,
    ] + Options.lease,
    everyday: ["var", "ask", "token-file", "signal", "min-valid", "wait", "lease", "only", "method", "for"],
    operands: .account,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [
      Example("Give one program a token", "agent exec work -- ./deploy.sh"),
      Example(
        "Use the variable name that the program expects, and add a claim",
        "agent exec --var GH_TOKEN=access_token --var EMAIL=claim:email -- ./report"),
      Example(
        "Give a server a token file and send SIGHUP when it changes",
        "agent exec --token-file --signal HUP -- ./server --token-file-from AGENT_TOKEN_FILE"),
    ])

  static let serve = Command(
    .serve,
    summary: "Lend other programs requests with an account's token",
    options: [Option.socket.declaration] + Options.lease,
    everyday: ["only", "method", "for", "times", "socket"],
    operands: .account,
    examples: [
      Example(
        "Lend one API for reading, for an hour",
        "agent serve work --only https://api.example.com/notes --method GET --for 1h"),
      Example(
        "Choose the socket's path, to forward it by ssh -R for three requests",
        "agent serve work --only api.example.com --times 3 --socket ~/lease/agent.sock"),
    ])

  static let leasePort = Command(
    .leasePort,
    summary: "Reach a lease by HTTP from a network of its own",
    operands: .file,
    trailing: "COMMAND [ARGUMENT]...",
    examples: [
      Example(
        "Run a program that only supports HTTP in a sandbox without a network", "agent lease-port -- ./assistant")
    ])
}
