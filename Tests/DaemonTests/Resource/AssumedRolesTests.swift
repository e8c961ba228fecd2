import Platform
import Testing
import Wire

@testable import Daemon

@Suite struct `A request for credentials of a role` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://sts.example"], renewals: 1)
    parts = try DaemonParts(home.context)
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
