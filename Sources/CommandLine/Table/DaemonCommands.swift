internal import Vocabulary
internal import Wire

/// The commands for the daemon.
enum DaemonCommands {
  static let daemonStart = Command(
    .daemonStart,
    summary: "Start the daemon, unless it runs",
    details: """
      Other commands start the daemon when they need it.
      """)

  static let daemonStop = Command(
    .daemonStop,
    summary: "Stop the daemon",
    details: """
      Discards access tokens. Sessions stay in the vault and continue with the next command.
      """)

  static let daemonRestart = Command(
    .daemonRestart,
    summary: "Restart the daemon",
    details: """
      Required after an upgrade, if the running daemon is older than this program.
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
      """,
    options: [Option.utc.declaration],
    examples: [
      Example(
        "List the requests without an answer, and the causes",
        #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#)
    ])
}
