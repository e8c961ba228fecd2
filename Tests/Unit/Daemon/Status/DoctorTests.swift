import Encoding
import WireSupport
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `An examination by the doctor` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(isWatched: true)
    try home.addSignedIn("a", origins: ["https://api.example"])
    parts = try DaemonParts(home.context)
    home.runJobs()
  }

  private func accounts(_ number: Int) -> [JSON]? { home.sink.results[number]?["accounts"]?.array }

  /// Makes the daemon read the settings now rather than later.
  private func readSettings() {
    home.context.files.poll()
    home.context.whenSettingsAreRead {}
    home.runJobs()
  }

  @Test func `without accounts is over at once`() throws {
    let home = try DaemonHome()
    let parts = try DaemonParts(home.context)
    try parts.status.examine(nil, .number(1))
    home.runJobs()
    #expect(home.sink.results[1]?["accounts"]?.array?.isEmpty == true && home.sink.results[1]?["vault"] != nil)
  }

  @Test func `is over once all servers have answered, each for its accounts`() throws {
    try home.addSignedIn("b", origins: ["https://api.example"])
    try home.add("c", at: "https://other.example")
    readSettings()
    try parts.status.examine(nil, .number(1))
    home.runJobs()
    let accounts = accounts(1) ?? []
    #expect(accounts.map { $0["name"] } == ["a", "b", "c"])
    for account in accounts.prefix(2) {
      #expect(account["server"]?["milliseconds"] == 0 && account["server"]?["problem"] == nil)
      #expect(account["origins"] == ["https://api.example"])
    }
    #expect(accounts.last?["server"]?["problem"] != nil, "that is the document of another server")
  }

  @Test func `tells after two seconds which server has not answered, and tells it once`() throws {
    readSettings()
    try #require(!home.context.mustReadSettings)
    try parts.status.examine("a", .number(1))
    // The server's response is not handled.
    try home.takeResult()
    home.time.advance(seconds: 1)
    home.sink.runDue()
    #expect(accounts(1) == nil)
    home.time.advance(seconds: 1)
    home.sink.runDue()
    #expect(accounts(1)?.first?["server"]?["problem"]?["code"] == "timeout")
    home.runJobs()
    #expect(accounts(1)?.first?["server"]?["problem"]?["code"] == "timeout")
  }
}
