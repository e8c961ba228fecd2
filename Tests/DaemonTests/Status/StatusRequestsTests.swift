import Encoding
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The status of an account` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
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

  @Test func `tells that it may go to a server of this machine without TLS, where the settings say so`() throws {
    #expect(try status(1)?["http_loopback"] == nil)
    let work = try AccountName("work")
    var configuration = try #require(try home.settings.current()[work])
    configuration.allowHTTPLoopback = true
    let changed = configuration
    _ = try home.settings.change { (settings) throws(ConfigurationError) in try settings.set(changed, for: work) }
    #expect(try status(2)?["http_loopback"] == true)
  }

  @Test func `has the ends that the server told, until the session is over`() throws {
    let tokens: JSONObject = [
      "access_token": "at-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt-2",
      "refresh_token_expires_in": 7200, "authorization_expires_in": 86_400,
    ]
    home.http.answers = [.json(tokens), .error("invalid_grant")]
    try parts.broker.token(TokenRequest(account: "work"), .number(1))
    home.runJobs()
    let now = home.time.wallSeconds()
    let account = try #require(try status(2))
    #expect(account["refresh_token_expires_at"] == .int(now + 7200))
    #expect(account["authorization_expires_at"] == .int(now + 86_400))
    try parts.broker.token(TokenRequest(account: "work", forceRefresh: true), .number(3))
    home.runJobs()
    let ended = try #require(try status(4))
    #expect(ended["state"] == "expired" && ended["refresh_token_expires_at"] == nil)
    #expect(ended["authorization_expires_at"] == nil)
  }

  @Test func `has the daemon and the vault beside it, a list has not`() throws {
    _ = try status(1)
    _ = try status(2, .list)
    #expect(home.sink.results[1]?["daemon"]?["socket"] != nil && home.sink.results[1]?["vault"] != nil)
    #expect(home.sink.results[2]?["daemon"] == nil && home.sink.results[2]?["vault"] == nil)
  }
}
