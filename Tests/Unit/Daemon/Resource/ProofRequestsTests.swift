import Encoding
import WireSupport
import Platform
import Testing
import Wire

@testable import Daemon

// RFC 9449 section 7.1.
@Suite struct `A proof for a request of others` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.addSignedIn("work", origins: ["https://api.example"], isBound: true)
    home.http.answers = [
      .json(["access_token": "at-1", "token_type": "DPoP", "expires_in": 3600, "refresh_token": "rt-2"])
    ]
    parts = try DaemonParts(home.context)
  }

  private func prove(_ number: Int, url: String = "https://api.example/me", withToken: Bool = false) throws {
    try parts.proofs.sendProof(
      ProofRequest(account: "work", method: "GET", url: url, wantsAccessToken: withToken), .number(number))
    home.runJobs()
  }

  @Test func `comes without the token, which is told only where it is asked for`() throws {
    try prove(1)
    #expect(home.sink.results[1]?["dpop"]?.string?.split(separator: ".").count == 3)
    #expect(home.sink.results[1]?["access_token"] == nil && home.sink.lines.isEmpty)
    try prove(2, withToken: true)
    let answer = try JSON(parsing: Array(try #require(home.sink.lines[2]).utf8))["result"]
    #expect(answer?["access_token"] == "at-1" && answer?["dpop"]?.string?.split(separator: ".").count == 3)
    #expect(home.http.sent == ["rt-1"])
  }

  @Test func `is made for no place that may not get the token`() throws {
    try prove(1, url: "https://other.example/me")
    #expect(home.sink.failures[1]?.code == .originNotAllowed)
    #expect(home.sink.results.isEmpty && home.http.sent.isEmpty)
  }

  @Test func `is not made of a token that is bound to no key, which is told with the way to bind it`() throws {
    try home.addSignedIn("mail", origins: ["https://mail.example"])
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try parts.proofs.sendProof(ProofRequest(account: "mail", method: "GET", url: "https://mail.example/"), .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.hint == "to bind it: agent account set mail --dpop && agent login mail")
  }

  @Test
  func `for which there is no token is answered with the reason, also where that is known before any server is asked`()
    throws
  {
    home.http.answers = [.json(["error": "login_required"], 400)]
    for number in 1...2 {
      try prove(number)
      #expect(home.sink.failures[number]?.code == .interactionRequired)
    }
    #expect(home.http.sent == ["rt-1"])
  }
}
