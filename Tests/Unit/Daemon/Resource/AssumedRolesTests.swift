import Encoding
import WireSupport
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A request for credentials of a role` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://sts.example"], renewals: 1)
    parts = try DaemonParts(home.context)
  }

  private func assume(_ number: Int) throws {
    let request = AssumeRoleRequest(
      url: "https://sts.example/", roleARN: "arn:aws:iam::123456789012:role/reader", sessionName: "work")
    try parts.roles.assume(request, .number(number))
  }

  /// Makes the service return credentials that are valid for an hour.
  private func grant() throws {
    let end = Timestamp.rfc3339(home.time.wallSeconds() + 3600)
    let answer =
      "<AccessKeyId>AK1</AccessKeyId><SecretAccessKey>SK1</SecretAccessKey><SessionToken>ST1</SessionToken>"
      + "<Expiration>\(end)</Expiration>"
    home.http.documents["https://sts.example/"] = ["answer": .string(answer)]
    try home.put(idTokenFor: 3600, parts.broker.resolve("work"))
  }

  @Test func `shares one exchange with others for the same, and the next one has what that brought`() throws {
    try grant()
    for number in 1...3 { try assume(number) }
    home.runJobs()
    try assume(4)
    home.runJobs()
    for number in 1...4 { #expect(home.sink.lines[number]?.contains("SK1") == true) }
    #expect(home.http.roles == [.resource] && home.sink.failures.isEmpty)
  }

  @Test func `is not made with an access token that is bound to a key, which the service does not take`() throws {
    let home = try DaemonHome()
    try home.addSignedIn("work", origins: ["https://sts.example token=access_token"], isBound: true)
    home.http.answers = [
      .json(["access_token": "at-1", "token_type": "DPoP", "expires_in": 3600, "refresh_token": "rt-2"])
    ]
    let parts = try DaemonParts(home.context)
    let request = AssumeRoleRequest(
      url: "https://sts.example/", roleARN: "arn:aws:iam::123456789012:role/reader", sessionName: "work")
    try parts.roles.assume(request, .number(1))
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .tokenNotBound)
    #expect(home.sink.failures[1]?.hint == "agent account set work --host 'https://sts.example/ token=id_token'")
    #expect(!home.http.roles.contains(.resource))
  }

  @Test func `for which the server gave no ID Token is answered with that`() throws {
    try assume(1)
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .missingValue)
    #expect(home.http.sent == ["rt-1"] && home.http.resourceTokens.isEmpty)
  }
}
