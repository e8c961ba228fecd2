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

      With an account, shows everything about it. Daemon and vault are shown with `--verbose`, and their problems
      always. The user is the e-mail address or name in the last ID Token. It is kept in the vault until sign-out,
      sealed so that it can be shown while the account is locked.

      In JSON `state` is one of \(Prose.words(SessionState.self)). An account is stale if it is signed in, but its token
      must be renewed. An account is also expired if the session has not ended, but the server wants the user to sign in
      again before it renews the session: `problem` then has the code `interaction_required`.

      With `--check`, asks the authorization server of each account whether the session is still valid, by introspection
      (RFC 7662) if the client may use it, and by UserInfo otherwise. `CHECK` is one of
      \(Prose.words(CheckResult.self)); it is not possible if the server offers no way to check. A session that was
      ended elsewhere is expired from then on. `check_cause` in JSON shows how it ended: revoked, if the server refused
      a token that was still valid, as after a sign-out on its page of sessions; else expired. The exit status is that
      of the worst result: 5 if something is locked, else 3 if a sign-in is needed, else 4 if a server did not answer,
      else 6 or 1. An account that is not signed in affects it only if named.

      The ends of a session, `refresh_token_expires_at` and `authorization_expires_at`, are those the server announced;
      the session is used until the server refuses a refresh. From three days before the end, `status`, `list` and
      commands that get a token remind you on a terminal to sign in again. An end that each refresh postpones is shown
      in its last quarter. Objects that describe a problem are `{"code", "message", "hint"}`.
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

      It checks the socket and the daemon, their versions, the unit of the service manager, disk space, the vault, the
      clock, the authorization servers of all accounts (or of one), sessions and their scopes, ways to sign in, the
      changes made by `agent setup`, other helpers of `git` and `docker`, versions of programs that use `agent helper`,
      and variables that override all this. The servers are queried in parallel, and the command takes at most three
      seconds.

      You can show the output to others: it contains no token, no value of a variable except paths, and `~` for the home
      directory. It does name accounts, servers and paths.

      With `--json` prints `{"ok", "findings": [{"check", "level", "message", "hint"}]}`; `level` is
      \(Prose.words(Finding.Level.self)), and `check` the subject: \(Prose.words(Finding.Check.self)).
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

      Without `ACCOUNT`, prints the active account. On a terminal, lists all accounts and asks for the number or name of
      the one to use.
      """,
    answer: StateRequest.use(account: "").page.result,
    operands: .account)

  static let whoami = Command(
    .whoami,
    summary: "Show who is signed in",
    details: """
      Shows the user according to the last verified ID Token, also without the network.

      If the server issues no ID Token, shows the answer of the UserInfo endpoint, which is not verified and is marked
      so.
      """,
    answer: StateRequest.whoami(account: nil).page.result,
    operands: .account)

  static let help = Command(
    .help,
    summary: "Print the help of a command",
    details: """
      Prints the essential help of a command on one screen. With `--all`, prints every detail and every option, as on
      the manual page.
      """,
    options: [Option.everything.declaration],
    operands: .command,
    examples: [
      Example(
        "Show help for login",
        "agent help login"),
      Example(
        "Show everything about login",
        "agent help --all login"),
    ])

  /// A paragraph for each event: its name, members and description, then one for the members.
  private static var eventLines: String {
    var meanings: [String] = []
    let lines = SessionEventName.allCases.map { name in
      let event = SessionEvent(name)
      let rows = event.memberRows
      for row in rows where !meanings.contains(where: { $0.hasPrefix("`\"\(row.name)\"`") }) {
        meanings.append("`\"\(row.name)\"`: \(row.meaning)")
      }
      let names = rows.map { "`\"\($0.name)\"`" }.joined(separator: ", ")
      return "`\(name.rawValue)`\(names.isEmpty ? "" : " (\(names))"): \(event.meaning)"
    }
    return (lines + ["Members: \(meanings.joined(separator: " "))"]).joined(separator: "\n\n")
  }

  static let events = Command(
    .events,
    summary: "Show events of sessions and accounts",
    details: """
      Prints the last 200 events that the daemon keeps in memory, optionally of one account. With `--follow`, prints
      only new events, as they happen, until the command or the daemon ends.

      `AGENT_ACCOUNT` has no effect here. An event never contains a token, a code or text from a server. Without
      `--follow`, no daemon is started, and if none runs the exit status is 4. For the details of the daemon's work, see
      `agent daemon log`.

      `--follow` ends with exit status 4 when the daemon stops, and with `--timeout` after that time. Readers that stop
      reading are disconnected. At most 32 commands can follow.

      With `--json` prints one object a line: `{"time", "event", "account", ...}`, without `account` if the event
      concerns none. `event` is one of these:

      \(eventLines)

      With `--lease`, prints the events of leases instead: the last 64 of each lease, or with `--follow` new ones:
      `lease_opened`, `lease_used`, `lease_token` (`"method"`, `"origin"`, never a path; `"status"` and `"body_bytes"`
      of the answer, or `"code"`; `"dropped_headers"` counts the headers left out), `lease_refused` (`"code"`) and
      `lease_ended` (`"cause"`: \(Prose.words(LeaseEntry.Cause.self))), each with `"lease"` and, if a peer caused it,
      the process `"pid"` and the user `"uid"` that connected; `"pid"` is 0 for a process that cannot be seen from here.
      It is a trace, not a proof.

      To run commands for events, use the member `on` of the settings: see agent-config(5).
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
