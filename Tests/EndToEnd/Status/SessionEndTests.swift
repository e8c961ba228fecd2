import Encoding
import Platform
import TestSupport
import Testing

/// Ends of sessions that a server announces: `refresh_token_expires_in` and `authorization_expires_in`.
@Suite(.needsPrograms) struct `The end of a session` {
  private static let day = 86_400

  private static func account(_ tree: AgentTree, _ command: String = "status") throws -> JSON {
    let result = try tree.agent(command, "--json")
    return try #require(JSON(parsing: result.output)["accounts"]?.array?.first)
  }

  private static func isNear(_ time: JSON?, _ seconds: Int) -> Bool {
    time?.int.map { abs($0 - SystemTime().wallSeconds() - seconds) < 120 } ?? false
  }

  @Test func `is shown, told once, and survives a restart`() throws {
    try Session.with("--refresh-token-expires-in", "\(2 * Self.day)", "--authorization-expires-in", "\(30 * Self.day)")
    {
      session in
      let account = try Self.account(session.tree)
      #expect(Self.isNear(account["refresh_token_expires_at"], 2 * Self.day))
      #expect(Self.isNear(account["authorization_expires_at"], 30 * Self.day))
      #expect(account["sign_in_by"] == account["refresh_token_expires_at"])
      #expect(try Self.account(session.tree, "list")["sign_in_by"] == account["sign_in_by"])
      _ = try session.tree.token("work")
      func told() throws -> [Substring] {
        try session.tree.agent("events", "--json").lines.filter { $0.contains("session_expiring") }
      }
      #expect(
        try told().count == 1 && told()[0].contains("\"expires_at\":\(account["sign_in_by"]?.int ?? 0)"))
      try session.tree.stopDaemon()
      // No token is in memory; the record contains it.
      #expect(try session.tree.agent("daemon", "start").succeeded)
      let deadline = Instant.now.advanced(by: .testLimit)
      while try told().isEmpty {
        try #require(Instant.now < deadline)
        Threads.sleep(for: .milliseconds(50))
      }
      #expect(try told().count == 1)
      #expect(try Self.account(session.tree)["sign_in_by"] == account["sign_in_by"])
    }
  }

  @Test func `is a day of the week in the time of the person`() throws {
    try Session.with("--refresh-token-expires-in", "\(2 * Self.day)") { session in
      let end = try #require(try Self.account(session.tree)["sign_in_by"]?.int)
      let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
      for (zone, hours) in [("UTC0", 0), ("XXX-14", 14), ("YYY12", -12)] {
        let shifted = end + hours * 3600
        let day = days[shifted / Self.day % 7]
        let stamp = Timestamp.rfc3339(shifted).prefix(16).map { $0 == "T" ? " " : $0 }
        for command in ["status", "list"] {
          let result = try session.tree.agent([command], ["TZ": zone])
          #expect(result.outputText.contains("sign in again by \(day) (\(String(stamp)))"), "\(result.outputText)")
        }
      }
      for command in ["token", "env"] {
        let program = try WatchedProgram(
          session.tree, columns: 200, ["TZ": "UTC0"], [try Programs.path("agent"), command])
        let screen = try program.end()
        #expect(screen.rows.contains { $0.contains("work: sign in again by ") }, "\(command) \(screen.rows)")
        let silent = try session.tree.agent(command)
        #expect(silent.succeeded && silent.errorText == "")
      }
    }
  }

  @Test func `far off is shown and not told`() throws {
    try Session.with("--authorization-expires-in", "\(30 * Self.day)") { session in
      let account = try Self.account(session.tree)
      #expect(Self.isNear(account["authorization_expires_at"], 30 * Self.day) && account["sign_in_by"] == nil)
      #expect(try session.tree.agent("status", "work").outputText.contains("until 2"))
      #expect(!(try session.tree.agent("events").outputText.contains("the session ends")))
    }
  }

  @Test func `follows the refresh token`() throws {
    try Session.with("--refresh-token-expires-in", "\(2 * Self.day)") { session in
      func refreshed(_ value: String) throws -> JSON {
        try session.issuer.control("refresh_token_expires_in", value)
        _ = try session.tree.token("work", "--force-refresh")
        return try Self.account(session.tree)
      }
      #expect(Self.isNear(try refreshed("\(9 * Self.day)")["refresh_token_expires_at"], 9 * Self.day))
      #expect(try refreshed("off")["refresh_token_expires_at"] == nil)
      #expect(Self.isNear(try refreshed("\"\(4 * Self.day)\"")["refresh_token_expires_at"], 4 * Self.day))
      try session.issuer.control("rotation", "off")
      #expect(try refreshed("off")["refresh_token_expires_at"] == nil, "an answer that names no end has none")
      #expect(Self.isNear(try refreshed("\(5 * Self.day)")["refresh_token_expires_at"], 5 * Self.day))
      for value in ["-1", "0.5", "1000000000000000000", "\"soon\"", "[]", "0"] {
        let account = try refreshed(value)
        #expect(account["refresh_token_expires_at"] == nil && account["state"] == "active", "\(value)")
      }
      // Only the server decides whether an end has come.
      _ = try refreshed("1")
      Threads.sleep(for: .milliseconds(1100))
      #expect(try session.tree.agent("token", "--force-refresh").succeeded)
    }
  }
}
