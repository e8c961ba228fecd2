internal import Vocabulary
internal import Wire

/// The commands that show sessions, and the help.
enum SessionCommands {
  static let status = Command(
    .status,
    summary: "Show accounts and their sessions",
    details: """
      Shows a line for each account: the user, whether the account is signed in, signed out, expired, locked or offline,
      and how long its token is still valid. The output never contains a token.
      """,
    answer: StateRequest.status(account: nil).page.result,
    options: [Option.check.declaration, Option.utc.declaration],
    operands: .account,
    examples: [
      Example("Show every account", "agent status"),
      Example("Ask the server of one whether its session is still valid", "agent status work --check"),
      Example(
        "List the accounts that need a new sign-in",
        #"agent status --json | jq -r '.accounts[] | select(.state == "expired").name'"#),
    ])

  static let doctor = Command(
    .doctor,
    summary: "Find out what is wrong, and what helps",
    details: """
      Checks everything that a session needs, and prints a line for each check: `ok`, `warn` or `FAIL`, and the command
      that helps. The exit status is 1 if a line is `FAIL`, else 0.
      """,
    operands: .account,
    examples: [
      Example("See why something does not work", "agent doctor"),
      Example("Check one account", "agent doctor work"),
      Example("Print only what is wrong", "agent doctor --json | jq '.findings[] | select(.level != \"ok\")'"),
    ])

  static let list = Command(
    .list,
    summary: "List the accounts",
    details: """
      The active account is marked with an asterisk.
      """,
    answer: StateRequest.list.page.result,
    options: [Option.utc.declaration],
    examples: [
      Example(
        "Print the name of the active account",
        "agent list --json | jq -r '.accounts[] | select(.active).name'")
    ])

  static let use = Command(
    .use,
    summary: "Show or change the active account",
    details: """
      Commands without an account use the active one. `agent use -` returns to the account that was active before.
      """,
    answer: StateRequest.use(account: "").page.result,
    operands: .account)

  static let whoami = Command(
    .whoami,
    summary: "Show who is signed in",
    details: """
      Shows the user according to the last verified ID Token, also without the network.
      """,
    answer: StateRequest.whoami(account: nil).page.result,
    operands: .account)

  static let help = Command(
    .help,
    summary: "Print the help of a command",
    details: """
      Prints the essential help of a command on one screen. With `--all`, prints every option; the manual page has the
      rest.
      """,
    options: [Option.everything.declaration],
    operands: .command,
    examples: [
      Example(
        "Show help for login",
        "agent help login"),
      Example(
        "Show every option of login",
        "agent help --all login"),
    ])

  static let events = Command(
    .events,
    summary: "Show events of sessions and accounts",
    details: """
      Prints the last 200 events that the daemon keeps in memory, optionally of one account. With `--follow`, prints
      only new events, as they happen, until the command or the daemon ends.
      """,
    options: [
      Option.follow.declaration, Option.utc.declaration,
      Option.lease.saying("Show the events of leases", in: .output),
    ],
    operands: .account,
    examples: [
      Example(
        "Print each account when it is signed out",
        #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#)
    ])
}
