import Encoding
import Platform
import Testing
import Wire

@testable import Daemon

@Suite struct `A token that a place refused` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.addSignedIn("work", origins: ["https://api.example"])
    parts = try DaemonParts(home.context)
    home.http.answers = [.tokens("at-1", refresh: "rt-2"), .tokens("at-2", refresh: "rt-3")]
    try ask(1)
  }

  private func ask(_ number: Int) throws {
    try parts.broker.token(TokenRequest(account: "work"), .number(number))
    home.runJobs()
  }

  private func forget(_ token: String, _ number: Int) throws -> JSON? {
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(Array(token.utf8).span)
      let source = SharedDescriptor(try pipe.reading.duplicate())
      try parts.placed.forget(ForgetRequest(url: "https://api.example/x"), .number(number), passed: [source])
    }
    home.runJobs()
    return home.sink.results[number]?["forgotten"]
  }

  @Test func `is forgotten, and no other`() throws {
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    #expect(try forget("at-0", 2) == false)
    try ask(3)
    #expect(home.sink.lines[3]?.contains("at-1") == true)
    #expect(try forget("at-1", 4) == true)
    try ask(5)
    #expect(home.sink.lines[5]?.contains("at-2") == true)
    #expect(home.http.sent == ["rt-1", "rt-2"])
  }
}
