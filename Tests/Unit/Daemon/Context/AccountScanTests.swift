import Encoding
import OAuth
import WireSupport
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The survey of the accounts` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work")
    parts = try DaemonParts(home.context)
  }

  private func scan() throws -> [String: AccountSummary] {
    let found = AccountScan.summaries(of: try home.context.settings(), only: nil, services: home.services)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name.text, $0) })
  }

  @Test func `tells which accounts are in no file, and has their sessions`() throws {
    home.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.beginSignIn(to: "guest", parts.signIns, 1) { $0.isEphemeral = true }
    home.pass(seconds: 5)
    try #require(home.sink.results[1]?["account"] == "guest")
    let (guest, work) = (try #require(scan()["guest"]), try #require(scan()["work"]))
    #expect(guest.isEphemeral && guest.isSignedIn && guest.protection == nil && guest.problem == nil)
    #expect(!work.isEphemeral && work.isSignedIn && work.protection == .device)
  }

  @Test func `has the ends of sessions that go on, and of no other`() throws {
    let tokens: JSONObject = [
      "access_token": "at-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt-2",
      "refresh_token_expires_in": 7200,
    ]
    home.http.answers = [.json(tokens), .error("invalid_grant")]
    for number in 1...2 {
      try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(number))
      home.runJobs()
      let work = try #require(scan()["work"])
      #expect(work.isSignedIn == (number == 1) && (work.expiry != GrantExpiry()) == (number == 1))
    }
  }
}
