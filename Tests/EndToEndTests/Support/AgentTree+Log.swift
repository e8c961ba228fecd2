import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// What `status --check` prints with `--json`, whatever it says of the sessions.
  func checked(_ account: String...) throws -> JSON {
    try JSON(parsing: agent(["status"] + account + ["--check", "--json"]).output)
  }

  /// The events that the daemon's log has now, without the requests to servers.
  func events() throws -> [JSON] {
    try logged().filter { !["answered", "unanswered"].contains($0["event"]?.string) }
  }

  /// All that the daemon's log has now.
  func logged() throws -> [JSON] { try #require(try json("daemon", "log")["events"]?.array) }

  /// Waits until the log has an event of an account. There is nothing to wait for but the log itself.
  func awaitEvent(_ event: String, of account: String) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !events().contains(where: { $0["event"]?.string == event && $0["account"]?.string == account }) {
      try #require(Instant.now < deadline, "there is no \(event)")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  /// What `status --check` says of an account.
  func check(_ account: String = "work") throws -> JSON {
    let status = try checked(account)
    return try #require(status["accounts"]?.array?.first)
  }
}
