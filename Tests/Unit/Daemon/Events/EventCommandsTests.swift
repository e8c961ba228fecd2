import Encoding
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A command for an event` {
  private let home: DaemonHome
  private let commands: EventCommands
  private let place: TemporaryDirectory
  private let audience: RecordedAnnouncements

  init() throws {
    home = try DaemonHome()
    place = try TemporaryDirectory()
    commands = try EventCommands(withRunnerFor: home.context)
    audience = RecordedAnnouncements { [commands] entry in commands.run(for: entry) }
    home.context.log.observer = audience
  }

  /// Adds this command to the settings, for the named events or all.
  private func set(_ line: String, events: [String] = []) throws {
    let settings = try PrivateDirectory(opening: home.settings.directoryPath, create: true)
    var command: JSONObject = ["run": ["/bin/sh", "-c", .string(line)]]
    command["events"] = events.isEmpty ? nil : .array(events.map { .string($0) })
    let text = JSON.object(["version": 2, "on": .array([.object(command)])]).serialized()
    try settings.replaceFile(SettingsFile.name, with: text.span)
  }

  private func tell(_ event: SessionEvent, _ account: String = "work") throws {
    home.context.log.publish(event, try AccountName(account))
  }

  /// Waits until no command runs or is about to.
  private func awaitIdle() throws {
    home.runJobs()
    let serve = try #require(home.sink.watched.first)
    try home.runJobs {
      serve()
      return commands.isIdle
    }
  }

  @Test func `reads the event as a line, and runs for those that the settings name`() throws {
    try set("cat >> '\(place.path("told"))'", events: ["locked"])
    for event in [SessionEvent.online, .locked, .unlocked] { try tell(event) }
    try awaitIdle()
    let lines = try place.readText("told").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "")
    let told = try JSON(parsing: Array(lines[0].utf8))
    #expect(told["event"] == "locked" && told["account"] == "work")
  }

  @Test func `that fails is logged`() throws {
    try set("exit 3")
    try tell(.online)
    try awaitIdle()
    #expect(home.logged == [.commandFailed(position: 1, .exited(3))])
  }

  // Causing many events must not make the machine run many commands.
  @Test func `is one of four at once and of 64 that wait, and the others are dropped and counted`() throws {
    try set("true")
    for _ in 1...68 { try tell(.online) }
    home.runJobs()
    #expect(home.logged == [])
    for _ in 1...3 { try tell(.online) }
    home.runJobs()
    #expect(home.logged.allSatisfy { if case .commandsDropped = $0 { true } else { false } })
    #expect(home.logged.reduce(0) { if case .commandsDropped(let count) = $1 { $0 + count } else { $0 } } == 3)
    try awaitIdle()
  }
}
