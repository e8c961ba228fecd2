internal import Vocabulary
internal import Wire

/// The commands that show sessions, and the help.
enum SessionCommands {
  static let status = Command(
    .status,
    summary: "Show accounts and their sessions",
    details: """
      Shows a line for each account: the person, whether the account is signed in, signed out, expired, locked or
      offline, and for how long its token is still good. No token is ever part of the answer.

      With an account all that is known of it is shown. Daemon and vault are shown with `--verbose`, and what is wrong
      with them always. The person is what the last ID Token said, an e-mail address or a name. It is kept in the vault
      until sign-out, sealed so that it can be shown while the account is locked.

      In JSON `state` is one of \(Prose.words(SessionState.self)). An account is stale when it is signed in, but the token must be renewed, and
      expired too when the server wants the user to sign in again
      before it renews the session, which it has not ended: `problem` then has the code `interaction_required`.

      With `--check` the authorization server of each account is asked whether the session still holds, by introspection
      (RFC 7662) where the client may use it, and by UserInfo otherwise. `CHECK` is one of
      \(Prose.words(CheckResult.self)); it is not possible
      where the server offers no way to check. A session that was ended
      elsewhere is expired from then on; `check_cause` in JSON says how it ended: revoked, where the server refused a token that was
      still good, as after a sign-out on its page of sessions, else expired. The exit status is that of the worst of what was found: 5 where something is
      locked, else 3 where a sign-in is needed, else 4 where a server gave no answer, else 6 or 1. An account that is not
      signed in counts where it is named.

      The ends of a session, `refresh_token_expires_at` and `authorization_expires_at`, are what the server announced; the
      session is used until the server itself refuses a refresh. From three days before the end, `status`, `list` and
      commands that get a token ask on a terminal to sign in again. An end that each refresh postpones is shown in its last
      quarter. Objects that describe a problem are `{"code", "message", "hint"}`.
      """,
    answer: StateRequest.status(account: nil).page.result,
    options: [Option.check.declaration, Option.utc.declaration],
    operands: .account,
    examples: [
      Example("Show every account", "agent status"),
      Example("Ask the server of one whether its session still holds", "agent status work --check"),
      Example(
        "Have a script list those that a person must sign in to again",
        #"agent status --json | jq -r '.accounts[] | select(.state == "expired").name'"#),
    ])

  static let doctor = Command(
    .doctor,
    summary: "Find out what is wrong, and what helps",
    details: """
      Looks at all that a session needs, and prints a line for each: `ok`, `warn` or `FAIL`, and the command that helps.
      The exit status is 1 if something is `FAIL`, else 0.

      It looks at the socket and the daemon, their versions, the unit of the service manager, room on the disk, the vault,
      the clock, the authorization servers of all accounts (or of one), sessions and their scopes, ways to sign in, what
      `agent setup` has written, other helpers of `git` and `docker`, versions of programs that ask `agent helper`, and
      variables that go before all this. The servers are asked at once, and it takes no more than three seconds.

      The lines can be shown to others: no token is in them, no variable's value but that of a path, and the home directory
      is `~`. Accounts, servers and paths are named.

      With `--json` prints `{"ok", "findings": [{"check", "level", "message", "hint"}]}`; `level` is \(Prose.words(Finding.Level.self)),
      and `check` what was looked at: \(Prose.words(Finding.Check.self)).
      """,
    operands: .account,
    examples: [
      Example("See why something does not work", "agent doctor"),
      Example("Look at what belongs to one account", "agent doctor work"),
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
        "Name the account that commands act on by default",
        "agent list --json | jq -r '.accounts[] | select(.active).name'")
    ])

  static let use = Command(
    .use,
    summary: "Show or change the active account",
    details: """
      Commands without an account use the active one. `agent use -` returns to the account that was active before.

      Without `ACCOUNT`, prints the active account. On a terminal, lists all accounts and asks for the number or the name
      of the one to use.
      """,
    answer: StateRequest.use(account: "").page.result,
    operands: .account)

  static let whoami = Command(
    .whoami,
    summary: "Show who is signed in",
    details: """
      Shows what the last verified ID Token says, also without the network.

      Where the server gives no ID Token, it shows what the UserInfo endpoint says, which is not verified and
      marked so. 
      """,
    answer: StateRequest.whoami(account: nil).page.result,
    operands: .account)

  static let help = Command(
    .help,
    summary: "Print the help of a command",
    details: """
      Says what most people need of a command, on one screen. With `--all` every detail and every option is told,
      as in the page of the manual.
      """,
    options: [Option.everything.declaration],
    operands: .command,
    examples: [
      Example(
        "Say what there is to know of signing in",
        "agent help login"),
      Example(
        "Say all of it",
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
      Prints the last 200 events that the daemon keeps in memory, those of one account if one is named, and ends;
      with `--follow` those that happen from now on, each at once, until it is ended or the daemon is.

      `AGENT_ACCOUNT` does not matter here. No token, code or text of a server is ever in an event. Without
      `--follow` no daemon is started, and where none runs it fails with exit status 4. What the daemon did in
      detail is in `agent daemon log`.

      `--follow` ends with exit status 4 when the daemon stops, and with `--timeout` after that time. A reader that does
      not read is let go: nobody waits for it. At most 32 commands can follow.

      With `--json` prints one object a line: `{"time", "event", "account", ...}`, where `account` is missing for what
      is about none. `event` is one of these:

      \(eventLines)

      With `--lease` prints what happened to leases instead, of each the last 64 events, or with `--follow` those to come:
      `lease_opened`, `lease_used`, `lease_token` (`"method"`, `"origin"`, never a path; `"status"` and `"body_bytes"` of the answer, or `"code"`; `"dropped_headers"` counts the headers left out), `lease_refused`
      (`"code"`) and `lease_ended` (`"cause"`: \(Prose.words(LeaseEntry.Cause.self))), each with
      `"lease"` and, where a peer did it, the process `"pid"` and the user `"uid"` that connected; `"pid"` is 0 for a
      process that cannot be seen from here. It is a trace, no proof.

      Commands that are run for events are in the member `on` of the settings: see agent-config(5).
      """,
    options: [
      Option.follow.declaration, Option.utc.declaration,
      Option.lease.saying("Show the events of leases", in: .output),
    ],
    operands: .account,
    examples: [
      Example(
        "Tell the desktop when a session is over",
        #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#)
    ])
}
