import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// The output of `status --check --json`, whatever the exit status.
  func checked(_ account: String...) throws -> JSON {
    try JSON(parsing: agent(["status"] + account + ["--check", "--json"]).output)
  }

  /// The events in the daemon's log, without requests to servers.
  func events() throws -> [JSON] {
    try logged().filter { !["answered", "unanswered"].contains($0["event"]?.string) }
  }

  func logged() throws -> [JSON] { try #require(try json("daemon", "log")["events"]?.array) }

  /// Polls until the log has an event of an account.
  func awaitEvent(_ event: String, of account: String) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !events().contains(where: { $0["event"]?.string == event && $0["account"]?.string == account }) {
      try #require(Instant.now < deadline, "there is no \(event)")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  /// The result of `status --check` for an account.
  func check(_ account: String = "work") throws -> JSON {
    let status = try checked(account)
    return try #require(status["accounts"]?.array?.first)
  }
}
