import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// The ID of the process that listens on the tree's socket.
  func daemon() throws -> Int32 {
    let status = try json("daemon", "status")
    return Int32(clamping: try #require(status["pid"]?.int))
  }

  /// The IDs of all `agentd` processes whose arguments name a directory of this tree.
  func daemons() throws -> [Int32] {
    try ProcessFiles.processes(naming: directory.path).filter { ProcessFiles.text("comm", of: $0) == "agentd\n" }
  }

  func stopDaemon() throws {
    let process = try OtherProcess(try daemon())
    let result = try agent("daemon", "stop")
    #expect(result.succeeded, "\(result.errorText)")
    #expect(process.ends(within: .testLimit), "the daemon outlives its stop")
  }

  func awaitConnections(_ count: Int) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    // The listening socket has the same name.
    while try ProcessRunner.shell("grep -c ' \(socketPath)$' /proc/net/unix").outputText != "\(count + 1)\n" {
      try #require(Instant.now < deadline, "there are not \(count) connections")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  func isRefreshing(_ account: String = "work") throws -> Bool {
    try json("status", account)["accounts"]?.array?.first?["state"] == "refreshing"
  }

  func killDaemon() throws {
    let process = try OtherProcess(try daemon())
    try process.signal(Signals.SIGKILL)
    try #require(process.ends(within: .testLimit))
  }

  /// Stops all processes of the tree. A daemon that does not stop is reported as an issue and killed.
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

  /// Stops the daemon by SIGSTOP during `body`.
  func whileDaemonIsSilent<Result>(_ body: () throws -> Result) throws -> Result {
    let daemon = try daemon()
    let process = try OtherProcess(daemon)
    try process.signal(Signals.SIGSTOP)
    defer { try? process.signal(Signals.SIGCONT) }
    try ProcessFiles.awaitStop(of: daemon)
    return try body()
  }
}
