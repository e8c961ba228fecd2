import Encoding
import WireSupport
import Platform
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A question about a URL` {
  @Test func `is answered with the account that is there, where only a new one needs more`() throws {
    try home.add("work")
    let parts = try DaemonParts(home.context)
    for (number, isOnlyForNew) in [(1, true), (2, false)] {
      var request = DiscoverRequest(url: "https://as.example")
      (request.account, request.onlyForNewAccount) = ("work", isOnlyForNew)
      try parts.discoveries.discover(request, .number(number))
    }
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(home.sink.results[2]?["account"] == nil && home.sink.results[2]?["issuer_metadata_found"] == true)
    #expect(home.http.roles.isEmpty)
  }

  private let home: DaemonHome

  init() throws {
    home = try DaemonHome()
    home.http.documents[Self.metadataURL] = [
      "resource": "https://api.example/mcp",
      "authorization_servers": ["https://as.example", "https://other.example"],
    ]
  }

  private static let metadataURL = "https://api.example/.well-known/oauth-protected-resource/mcp"

  private func ask() throws -> JSONObject {
    try DaemonParts(home.context).discoveries.discover(DiscoverRequest(url: "https://api.example/mcp"), .number(1))
    home.runJobs()
    return try #require(home.sink.results[1], "\(home.sink.failures)")
  }

  @Test(arguments: [true, false])
  func `names the servers of a resource that a file has a client for, if there are some`(
    hasClient: Bool
  ) throws {
    if hasClient {
      let place = try PrivateDirectory(opening: home.settings.directoryPath, create: true)
      try place.replaceFile("clients.json", with: Array(#"{"https://other.example":{"client_id":"c"}}"#.utf8).span)
    }
    let answer = try ask()
    #expect(answer["authorization_servers"]?.array?.count == 2)
    #expect(answer["servers_with_client"] == (hasClient ? ["https://other.example"] : nil))
  }

  // Requests are validated before anything is fetched.
  @Test func `is refused with settings that cannot be right`() throws {
    let parts = try DaemonParts(home.context)
    for (number, change) in [(1, { $0.caFile = "ca.pem" }), (2, { $0.pins = ["sha256//AAAA"] })]
      as [(Int, (inout AccountSettings) -> Void)]
    {
      var request = DiscoverRequest(url: "https://api.example/mcp")
      change(&request.settings)
      #expect(throws: Failure.self) { try parts.discoveries.discover(request, .number(number)) }
    }
    home.runJobs()
    #expect(home.http.roles.isEmpty)
  }

  // RFC 9728 section 2.
  @Test(arguments: [(JSON?.none, JSON?.none), (false, nil), (true, true)])
  func `tells that a resource takes bound tokens alone, where it does`(written: JSON?, told: JSON?) throws {
    home.http.documents[Self.metadataURL]?["dpop_bound_access_tokens_required"] = written
    #expect(try ask()["dpop_bound_access_tokens_required"] == told)
  }
}
