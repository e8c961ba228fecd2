internal import Vocabulary
internal import Wire

/// The commands for the daemon.
enum DaemonCommands {
  static let daemonStart = Command(
    .daemonStart,
    summary: "Start the daemon, unless it runs",
    details: """
      Other commands start the daemon by themselves when they need it.

      With `--json` prints the object of `agent daemon status`.
      """)

  static let daemonStop = Command(
    .daemonStop,
    summary: "Stop the daemon",
    details: """
      Access tokens are forgotten. Sessions are kept in the vault and go on with the next command.

      Commands that wait for a token fail with exit status 4 after 5 seconds at most, and start no other daemon. If a
      server has got a refresh token and has not answered, the process waits for it for up to 120 seconds and stores the
      new token. The next daemon waits for that account alone.

      With `--json` prints `{}`.
      """)

  static let daemonRestart = Command(
    .daemonRestart,
    summary: "Restart the daemon",
    details: """
      Needed after an upgrade, when the running daemon is older than this program.

      With `--json` prints the object of `agent daemon status`.
      """)

  static let daemonStatus = Command(
    .daemonStatus,
    summary: "Show the running daemon",
    details: """
      Fails with exit status 4 when no daemon runs, and starts none.
      """,
    answer: DaemonRequest.statusRows)

  static let daemonRun = Command(
    .daemonRun,
    summary: "Run the daemon in the foreground",
    details: """
      Becomes `agentd --foreground`, which logs to standard error. Where another daemon serves the directory already, it
      says so after three seconds, in which that one may end, and fails with exit status 75.
      """)

  static let daemonLog = Command(
    .daemonLog,
    summary: "Show the recent log of the daemon",
    details: """
      The daemon keeps its last 500 events in memory: refreshes with their duration and result, each request to a
      server, sign-ins, sign-outs, changes of settings, and peers that it dropped.

      What became of the sessions is in `agent events`. No token, code or text of a server is ever in it. Fails
      with exit status 4 when no daemon runs, and starts none. In the foreground `agentd` writes the same lines to
      standard error.

      With `--json` prints `{"events": [{"time", "account", "event", ..., "text"}], "dropped"}`, the oldest first; `dropped`
      is the number of events that were pushed out, and `text` the event as a sentence. `event` is one of `started`, `stopping`, `refresh_began` (with
      `"attempt"`), `refresh_retry` (`"attempt"`, `"wait_ms"`), `refresh_queued` (`"seconds"`), `refresh_ended`
      (`"duration_ms"`, `"result"`), `token_expiring` (`"seconds"`), `token_expired`, `network_changed`, `watch_unavailable`, `clock_set`
      (`"seconds"`), `sign_in_began`, `sign_in_code` (`"seconds"`), `sign_in_slowed` (`"seconds"`), `sign_in_approved`,
      `sign_in_ended` (`"duration_ms"`, `"result"`), `signed_out` (`"result"`: \(Prose.words(LogEvent.SignOut.self))),
      `checked` (`"duration_ms"`, `"result"`, as of `agent status --check`), `settings_changed` (`"change"`:
      \(Prose.words(LogEvent.SettingsChange.self))), `locked`
      (`"cause"`: \(Prose.words(LogEvent.LockCause.self))), `unlocked` (`"protection"`: \(Prose.words(Protection.self))),
      `vault_changed` (`"change"`: \(Prose.words(LogEvent.VaultChange.self))), `peer_dropped`
      (`"reason"`: \(Prose.words(LogEvent.PeerProblem.self))), `command_failed` (a command that is run for events, by its place in
      the settings, `"position"`; `"reason"`: `exited` with `"status"`, `signalled` with `"signal"`, `timed_out`, or
      `not_started` with `"errno"`), `commands_dropped` (`"count"`), `token_file`
      (`"change"`: \(Prose.words(LogEvent.TokenFileChange.self))), `key_set_warning`
      (`"reason"`: \(Prose.words(LogEvent.KeySetFlaw.self)), which an issuer published and which
      was left out), `authentication_time_changed` (the server put a later sign-in of the same user into a new ID
      Token), `endpoint_moved` (the server's metadata name an endpoint at an origin that was not there at the sign-in; it
      gets nothing), `redirect_foreign` and `request_timed_out`. Where nothing else is said, `result` is `ok` or the code of an
      error.

      Each request to a server is an event: `answered` (`"endpoint"`, `"method"`, `"url"` without its query, and for a
      resource without its path, `"status"`, which is that of HTTP, `"duration_ms"`) or `unanswered` (`"endpoint"`,
      `"method"`, `"url"`, `"result"`, `"cause"`, where one is known, one of \(Prose.words(ConnectionProblem.self)), `"duration_ms"`). While a command
      with `--verbose` waits, single steps are events too: `token_served` (`"seconds_left"`),
      `served_offline`, `refresh_needed` (`"reason"`: `no_token`, `asked`, `refused` or `ending`, the last with
      `"seconds_left"` and `"seconds_wanted"`), `refresh_joined`, `record_changed`, `waited_for_account`
      (`"duration_ms"`), `record_read`, `record_written`, `document_kept` (`"endpoint"`, `"seconds"`), `keys_doubted`,
      `metadata_doubted`, `id_token_verified` (`"algorithm"`), `identity_known` and
      `sign_in_pending` (`"seconds"`). `endpoint` is one of \(Prose.words(EndpointRole.self)).
      """,
    options: [Option.utc.declaration],
    examples: [
      Example(
        "See the requests that got no answer, and why",
        #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#)
    ])
}
