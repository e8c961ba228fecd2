extension Command {
  static let daemonStart = Command(
    name: "daemon start",
    summary: "Start the daemon, unless it runs",
    details: [
      "Other commands start the daemon by themselves when they need it. With `--json` prints the object that"
        + " `agent status` has under `daemon`."
    ],
    run: DaemonCommand.start)

  static let daemonStop = Command(
    name: "daemon stop",
    summary: "Stop the daemon",
    details: ["Access tokens are forgotten. Sessions are kept in the vault and go on with the next command."],
    run: DaemonCommand.stop)

  static let daemonRestart = Command(
    name: "daemon restart",
    summary: "Stop the daemon and start it anew",
    details: ["Needed after an upgrade, when the running daemon is older than this program."],
    run: DaemonCommand.restart)

  static let daemonStatus = Command(
    name: "daemon status",
    summary: "Show the running daemon",
    details: [
      "Fails with exit status 4 when no daemon runs, and starts none. With `--json` prints the object that"
        + " `agent status` has under `daemon`."
    ],
    run: DaemonCommand.status)

  static let daemonRun = Command(
    name: "daemon run",
    summary: "Run the daemon in the foreground",
    details: ["Becomes `agentd --foreground`, which logs to standard error."],
    run: DaemonCommand.runInForeground)
}
