import Encoding
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The status of an account` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.addSignedIn("work")
    parts = try DaemonParts(home.context)
  }

  private func status(_ number: Int, _ purpose: StatusRequests.Purpose = .status, of name: String? = nil) throws
    -> JSON?
  {
    try parts.status.survey(purpose, name, .number(number))
    home.runJobs()
    return home.sink.results[number]?["accounts"]?.array?.first
  }

  @Test func `that was deleted from the settings by hand tells that its session is left, and how that is ended`() throws
  {
    let work = try AccountName("work")
    _ = try home.settings.change { (settings) throws(ConfigurationError) in settings.remove(work) }
    for (number, name) in [(1, nil), (2, "work")] {
      let account = try #require(try status(number, of: name))
      #expect(account["state"] == "signed_out" && account["in_config"] == false)
      #expect(account["client_id"] == "cli")
      #expect(account["problem"]?["code"] == "no_account")
      #expect(account["problem"]?["hint"] == "agent account remove work")
    }
    let brief = try #require(try status(3, .list))
    #expect(brief["in_config"] == false && brief["problem"] == nil && brief["client_id"] == nil)
  }

  @Test func `whose settings are others than those of its sign-in is that of one who is signed out`() throws {
    #expect(try status(1)?["state"] == "stale")
    let work = try AccountName("work")
    var configuration = try #require(try home.settings.current()[work])
    configuration.clientID = "other"
    let changed = configuration
    _ = try home.settings.change { (settings) throws(ConfigurationError) in try settings.set(changed, for: work) }
    let account = try #require(try status(2))
    #expect(account["state"] == "signed_out" && account["in_config"] == nil)
    #expect(account["problem"]?["code"] == "configuration_changed", "\(account["problem"] ?? .null)")
  }

  @Test func `has the daemon and the vault beside it, a list has not`() throws {
    _ = try status(1)
    _ = try status(2, .list)
    #expect(home.sink.results[1]?["daemon"]?["socket"] != nil && home.sink.results[1]?["vault"] != nil)
    #expect(home.sink.results[2]?["daemon"] == nil && home.sink.results[2]?["vault"] == nil)
  }
}
