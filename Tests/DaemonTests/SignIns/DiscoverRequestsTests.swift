import Encoding
import Platform
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A question about a URL` {
  @Test func `is answered with the account that is there, where only a new one needs more`() throws {
    let home = try DaemonHome()
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

  @Test(arguments: [true, false])
  func `names the servers of a resource that a file has a client for, if there are some`(
    hasClient: Bool
  ) throws {
    let home = try DaemonHome()
    home.http.documents["https://api.example/.well-known/oauth-protected-resource/mcp"] = [
      "resource": "https://api.example/mcp",
      "authorization_servers": ["https://as.example", "https://other.example"],
    ]
    if hasClient {
      let place = try PrivateDirectory(opening: home.settings.directoryPath, create: true)
      try place.replaceFile("clients.json", with: Array(#"{"https://other.example":{"client_id":"c"}}"#.utf8).span)
    }
    try DaemonParts(home.context).discoveries.discover(DiscoverRequest(url: "https://api.example/mcp"), .number(1))
    home.runJobs()
    let answer = try #require(home.sink.results[1], "\(home.sink.failures)")
    #expect(answer["authorization_servers"]?.array?.count == 2)
    #expect(answer["servers_with_client"] == (hasClient ? ["https://other.example"] : nil))
  }
}
