import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A token that a place refused` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example"], renewals: 2)
    parts = try DaemonParts(home.context)
    try ask(1)
  }

  private func ask(_ number: Int) throws {
    try parts.broker.token(TokenRequest(account: "work"), .number(number))
    home.runJobs()
  }

  private func ask(_ number: Int, isRefused: Bool) throws -> String? {
    var request = TokenRequest(account: "work")
    request.place = TokenRequest.Place(url: "https://api.example/x", isRefused: isRefused)
    try parts.placed.token(request, .number(number))
    home.runJobs()
    return try home.sink.lines[number].flatMap { try JSON(parsing: Array($0.utf8))["result"]?["access_token"]?.string }
  }

  @Test func `is replaced once: a place that refuses the fresh one too costs no further refresh`() throws {
    home.http.answers.append(.tokens("at-3", refresh: "rt-4"))
    #expect(try ask(2, isRefused: false) == "at-1")
    #expect(try ask(3, isRefused: true) == "at-2")
    #expect(try ask(4, isRefused: false) == "at-2")
    #expect(try ask(5, isRefused: true) == "at-2")
    #expect(home.http.sent == ["rt-1", "rt-2"])
  }

  @Test func `is not the reason for a refresh that is needed anyway`() throws {
    home.time.advance(seconds: 3600)
    try parts.broker.resolve("work").session.forgetToken()
    #expect(try ask(2, isRefused: true) == "at-2")
    home.http.answers.append(.tokens("at-3", refresh: "rt-4"))
    #expect(try ask(3, isRefused: true) == "at-3")
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

  @Test(arguments: [65_536, 65_537]) func `is compared up to a length of 65,536 bytes`(length: Int) throws {
    let token = [UInt8](repeating: UInt8(ascii: "a"), count: length)
    let source = SharedDescriptor(try FileDescriptor.inMemory(token.span))
    try parts.placed.forget(ForgetRequest(url: "https://api.example/x"), .number(2), passed: [source])
    home.runJobs()
    #expect(home.sink.results[2]?["forgotten"] == (length == 65_536 ? false : nil))
    #expect((home.sink.failures[2] == nil) == (length == 65_536))
  }
}

@Suite struct `An ID Token for a place` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example", "https://id.example token=id_token"])
    parts = try DaemonParts(home.context)
  }

  private func ask(_ number: Int, _ place: TokenRequest.Place) throws -> JSON? {
    var request = TokenRequest(account: "work")
    request.place = place
    try parts.placed.token(request, .number(number))
    home.runJobs()
    return try home.sink.lines[number].flatMap { try JSON(parsing: Array($0.utf8))["result"] }
  }

  @Test func `is in the answer with an end of its own, and nowhere else`() throws {
    try home.put(idTokenFor: 600, parts.broker.resolve("work"))
    let now = home.time.wallSeconds()
    for (number, place) in [
      (1, TokenRequest.Place(url: "https://id.example/x")), (2, TokenRequest.Place(url: nil, kind: .idToken)),
    ] {
      let answer = try ask(number, place)
      #expect(answer?["use"] == "id_token" && answer?["use_expires_at"] == .int(now + 600))
      #expect(answer?["id_token"]?.string?.split(separator: ".").count == 3)
    }
    let other = try ask(3, TokenRequest.Place(url: "https://api.example/x"))
    #expect(other?["use"] == "access_token" && other?["use_expires_at"] == .int(now + 3600))
    #expect(other?["id_token"] == nil && home.http.sent.isEmpty)
  }

  @Test func `that ends within a minute costs one refresh, and is not handed out where that brings no other`() throws {
    try home.put(idTokenFor: 59, issuedBefore: 1, parts.broker.resolve("work"))
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for number in 1...2 {
      #expect(try ask(number, TokenRequest.Place(url: nil, kind: .idToken)) == nil)
      #expect(home.sink.failures[number]?.code == .missingValue)
      #expect(home.http.sent == ["rt-1"])
    }
    try home.put(idTokenFor: 60, parts.broker.resolve("work"))
    #expect(try ask(3, TokenRequest.Place(url: nil, kind: .idToken))?["use"] == "id_token")
  }
}
