internal import Vocabulary
internal import Wire

/// The commands that show sessions, and the help.
enum SessionCommands {
  static let status = Command(
    .status,
    summary: "Show accounts and their sessions",
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
    operands: .account,
    examples: [
      Example("See why something does not work", "agent doctor"),
      Example("Check one account", "agent doctor work"),
      Example("Print only what is wrong", "agent doctor --json | jq '.findings[] | select(.level != \"ok\")'"),
    ])

  static let list = Command(
    .list,
    summary: "List the accounts",
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
    answer: StateRequest.useDirectory(account: "", directory: "").page.result,
    options: [Option.here.declaration, Option.directory.declaration, Option.clear.declaration],
    operands: .account,
    examples: [
      Example("Change the active account", "agent use work"),
      Example("Use another account in one directory", "agent use work --here"),
      Example("Let it have no account of its own any more", "agent use --clear"),
    ])

  static let whoami = Command(
    .whoami,
    summary: "Show who is signed in",
    answer: StateRequest.whoami(account: nil).page.result,
    operands: .account)

  static let help = Command(
    .help,
    summary: "Print the help of a command",
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
    options: [
      Option.follow.declaration, Option.utc.declaration,
      Option.lease.saying("Show the events of leases", in: .output), Option.notices.declaration,
    ],
    operands: .account,
    examples: [
      Example(
        "Print each account when it is signed out",
        #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#)
    ])
}
