import Platform
import Testing
import Wire

@testable import Daemon

@Suite struct `A request for credentials of a role` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.addSignedIn("work", origins: ["https://sts.example"])
    parts = try DaemonParts(home.context)
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
  }

  @Test func `for which the server gave no ID Token is answered with that`() throws {
    let request = AssumeRoleRequest(
      url: "https://sts.example/", roleARN: "arn:aws:iam::123456789012:role/reader", sessionName: "work")
    try parts.roles.assume(request, .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .missingValue)
    #expect(home.http.sent == ["rt-1"] && home.http.resourceTokens.isEmpty)
  }
}
