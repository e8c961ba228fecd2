internal import Vocabulary
internal import Wire

/// The commands for the daemon.
enum DaemonCommands {
  static let daemonStart = Command(
    .daemonStart,
    summary: "Start the daemon, unless it runs")

  static let daemonStop = Command(
    .daemonStop,
    summary: "Stop the daemon")

  static let daemonRestart = Command(
    .daemonRestart,
    summary: "Restart the daemon")

  static let daemonStatus = Command(
    .daemonStatus,
    summary: "Show the running daemon",
    answer: DaemonRequest.statusRows)

  static let daemonRun = Command(
    .daemonRun,
    summary: "Run the daemon in the foreground")

  static let daemonLog = Command(
    .daemonLog,
    summary: "Show the recent log of the daemon",
    options: [Option.utc.declaration],
    examples: [
      Example(
        "List the requests without an answer, and the causes",
        #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#)
    ])
}
