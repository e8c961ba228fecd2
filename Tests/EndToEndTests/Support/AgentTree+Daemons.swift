import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// The process that serves the tree's socket.
  func daemon() throws -> Int32 {
    let status = try json("daemon", "status")
    return Int32(clamping: try #require(status["pid"]?.int))
  }

  /// Every `agentd` whose arguments name a directory of this tree.
  func daemons() throws -> [Int32] {
    try ProcessFiles.processes(naming: directory.path).filter { ProcessFiles.text("comm", of: $0) == "agentd\n" }
  }

  /// `agent daemon stop`, after which the process must be gone.
  func stopDaemon() throws {
    let process = try OtherProcess(try daemon())
    let result = try agent("daemon", "stop")
    #expect(result.succeeded, "\(result.errorText)")
    #expect(process.ends(within: .testLimit), "the daemon outlives its stop")
  }

  /// Waits until the daemon has `count` connections with clients.
  func awaitConnections(_ count: Int) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    // The listener has the name too.
    while try ProcessRunner.shell("grep -c ' \(socketPath)$' /proc/net/unix").outputText != "\(count + 1)\n" {
      try #require(Instant.now < deadline, "there are not \(count) connections")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  /// Whether an account's server is being asked for a token.
  func isRefreshing(_ account: String = "work") throws -> Bool {
    try json("status", account)["accounts"]?.array?.first?["state"] == "refreshing"
  }

  /// Kills the tree's daemon, without a chance to clean up.
  func killDaemon() throws {
    let process = try OtherProcess(try daemon())
    try process.signal(Signals.SIGKILL)
    try #require(process.ends(within: .testLimit))
  }

  /// Stops everything that runs in the tree; a daemon that does not stop is reported as an issue and killed.
  func close() {
    do {
      for number in try daemons() {
        guard let process = try? OtherProcess(number) else { continue }
        try process.signal(Signals.SIGTERM)
        if process.ends(within: .testLimit) { continue }
        Issue.record("the daemon \(number) did not end")
        try process.signal(Signals.SIGKILL)
      }
    } catch {
      Issue.record(error, "the tree could not be cleaned up")
    }
  }

  /// Runs `body` while the daemon accepts connections and does not respond.
  func whileDaemonIsSilent<Result>(_ body: () throws -> Result) throws -> Result {
    let daemon = try daemon()
    let process = try OtherProcess(daemon)
    try process.signal(Signals.SIGSTOP)
    defer { try? process.signal(Signals.SIGCONT) }
    try ProcessFiles.awaitStop(of: daemon)
    return try body()
  }
}
