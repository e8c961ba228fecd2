internal import Vocabulary
internal import Wire

/// The commands for the daemon.
enum DaemonCommands {
  static let daemonStart = Command(
    .daemonStart,
    summary: "Start the daemon, unless it runs",
    details: """
      Other commands start the daemon when they need it.

      With `--json` prints the object of `agent daemon status`.
      """)

  static let daemonStop = Command(
    .daemonStop,
    summary: "Stop the daemon",
    details: """
      Discards access tokens. Sessions stay in the vault and continue with the next command.

      Commands that wait for a token fail with exit status 4 within 5 seconds, and do not start another daemon. If a
      server has not yet answered a refresh, the process waits up to 120 seconds for the new token and stores it. The
      next daemon waits for that account only.

      With `--json` prints `{}`.
      """)

  static let daemonRestart = Command(
    .daemonRestart,
    summary: "Restart the daemon",
    details: """
      Required after an upgrade, if the running daemon is older than this program.

      With `--json` prints the object of `agent daemon status`.
      """)

  static let daemonStatus = Command(
    .daemonStatus,
    summary: "Show the running daemon",
    details: """
      Fails with exit status 4 if no daemon is running. Does not start one.
      """,
    answer: DaemonRequest.statusRows)

  static let daemonRun = Command(
    .daemonRun,
    summary: "Run the daemon in the foreground",
    details: """
      Becomes `agentd --foreground`, which logs to standard error. If another daemon still serves the directory after
      three seconds, it prints an error and fails with exit status 75.
      """)

  static let daemonLog = Command(
    .daemonLog,
    summary: "Show the recent log of the daemon",
    details: """
      The daemon keeps its last 500 events in memory: refreshes with their duration and result, each request to a
      server, sign-ins, sign-outs, changes of settings, and dropped peers.

      For the history of sessions, see `agent events`. The log never contains a token, a code or text from a server.
      Fails with exit status 4 if no daemon is running, and does not start one. In the foreground `agentd` writes the
      same lines to standard error.

      With `--json` prints `{"events": [{"time", "account", "event", ..., "text"}], "dropped"}`, oldest first; `dropped`
      is the number of discarded older events, and `text` the event as a sentence. `event` is one of `started`,
      `stopping`, `refresh_began` (with `"attempt"`), `refresh_retry` (`"attempt"`, `"wait_ms"`), `refresh_queued`
      (`"seconds"`), `refresh_ended` (`"duration_ms"`, `"result"`), `token_expiring` (`"seconds"`), `token_expired`,
      `network_changed`, `watch_unavailable`, `clock_set` (`"seconds"`), `sign_in_began`, `sign_in_code` (`"seconds"`),
      `sign_in_slowed` (`"seconds"`), `sign_in_approved`, `sign_in_ended` (`"duration_ms"`, `"result"`), `signed_out`
      (`"result"`: \(Prose.words(LogEvent.SignOut.self))), `checked` (`"duration_ms"`, `"result"`, from `agent status
      --check`), `settings_changed` (`"change"`: \(Prose.words(LogEvent.SettingsChange.self))), `locked` (`"cause"`:
      \(Prose.words(LogEvent.LockCause.self))), `unlocked` (`"protection"`: \(Prose.words(Protection.self))),
      `vault_changed` (`"change"`: \(Prose.words(LogEvent.VaultChange.self))), `peer_dropped` (`"reason"`:
      \(Prose.words(LogEvent.PeerProblem.self))), `command_failed` (a command that is run for events, by its position in
      the settings, `"position"`; `"reason"`: `exited` with `"status"`, `signalled` with `"signal"`, `timed_out`, or
      `not_started` with `"errno"`), `commands_dropped` (`"count"`), `token_file` (`"change"`:
      \(Prose.words(LogEvent.TokenFileChange.self))), `key_set_warning` (`"reason"`:
      \(Prose.words(LogEvent.KeySetFlaw.self)), for a published key that was ignored), `authentication_time_changed` (a
      new ID Token has a later sign-in of the same user), `endpoint_moved` (the server's metadata now names an endpoint
      at an origin absent at sign-in; nothing is sent there), `redirect_foreign` and `request_timed_out`. Unless stated
      otherwise, `result` is `ok` or an error code.

      Each request to a server is an event: `answered` (`"endpoint"`, `"method"`, `"url"` without its query, and for a
      resource without its path, `"status"`, the HTTP status, `"duration_ms"`) or `unanswered` (`"endpoint"`,
      `"method"`, `"url"`, `"result"`, `"cause"`, if known one of \(Prose.words(ConnectionProblem.self)),
      `"duration_ms"`). While a command with `--verbose` waits, single steps are events too: `token_served`
      (`"seconds_left"`), `served_offline`, `refresh_needed` (`"reason"`: `no_token`, `asked`, `refused` or `ending`,
      the last with `"seconds_left"` and `"seconds_wanted"`), `refresh_joined`, `record_changed`, `waited_for_account`
      (`"duration_ms"`), `record_read`, `record_written`, `document_kept` (`"endpoint"`, `"seconds"`), `keys_doubted`,
      `metadata_doubted`, `id_token_verified` (`"algorithm"`), `identity_known` and `sign_in_pending` (`"seconds"`).
      `endpoint` is one of \(Prose.words(EndpointRole.self)).
      """,
    options: [Option.utc.declaration],
    examples: [
      Example(
        "List the requests without an answer, and the causes",
        #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#)
    ])
}
