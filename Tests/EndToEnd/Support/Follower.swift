import Encoding
import Platform
import TestSupport
import Testing

/// Runs `agent events --follow --json`.
final class Follower: Sendable {
  private let process: RunningProcess

  /// Returns when the command receives events.
  init(_ tree: AgentTree, _ options: String...) throws {
    process = try tree.start(["events", "--follow", "--json", "--verbose"] + options)
    let deadline = Instant.now.advanced(by: .testLimit)
    while !process.errorText.contains("following what happens") {
      try #require(Instant.now < deadline, "\(process.errorText)")
      Threads.sleep(for: .milliseconds(10))
    }
  }

  /// The next event, without its time.
  func next() throws -> String {
    var object = try #require(JSON(parsing: Array(process.readLine().utf8)).object)
    #expect((object["time"]?.int ?? 0) > 1_600_000_000)
    object["time"] = nil
    if object["expires_at"] != nil { object["expires_at"] = "T" }
    return String(decoding: JSON.object(object).serialized(), as: UTF8.self)
  }

  /// The events up to one that begins with this text.
  func until(_ event: String) throws -> [String] {
    var events: [String] = []
    repeat { events.append(try next()) } while events.last?.hasPrefix(#"{"event":"\#(event)""#) == false
    return events
  }

  var errorText: String { process.errorText }

  func wait() throws -> ProcessStatus { try process.wait() }
}
