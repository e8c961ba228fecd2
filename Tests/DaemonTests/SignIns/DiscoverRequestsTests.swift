import Encoding
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
}
