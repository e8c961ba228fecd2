import Encoding
import WireSupport
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
    try parts.broker.sendToken(TokenRequest(account: "work"), .number(number))
    home.runJobs()
  }

  private func ask(_ number: Int, isRefused: Bool) throws -> String? {
    var request = TokenRequest(account: "work")
    request.destination = TokenRequest.Destination(url: "https://api.example/x", isRefused: isRefused)
    try parts.urlTokens.sendToken(request, .number(number))
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
    try parts.broker.resolve("work").ownSlot.session.forgetToken()
    #expect(try ask(2, isRefused: true) == "at-2")
    home.http.answers.append(.tokens("at-3", refresh: "rt-4"))
    #expect(try ask(3, isRefused: true) == "at-3")
  }

  private func forget(_ token: String, _ number: Int) throws -> JSON? {
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(Array(token.utf8).span)
      let source = SharedDescriptor(try pipe.reading.duplicate())
      try parts.urlTokens.forget(ForgetRequest(url: "https://api.example/x"), .number(number), passed: [source])
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

  @Test func `is not forgotten while another one is on its way, nor where it is the session`() throws {
    let failure = #expect(throws: Failure.self) {
      try parts.urlTokens.forget(ForgetRequest(url: "https://api.example/x"), .number(2), passed: [])
    }
    #expect(failure?.message == "the request must pass a descriptor with the token")
    home.http.isHeld = true
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(3))
    try home.runJobs { home.http.sent.count == 2 }
    let source = SharedDescriptor(try FileDescriptor.inMemory(Array("at-1".utf8).span))
    try parts.urlTokens.forget(ForgetRequest(url: "https://api.example/x"), .number(4), passed: [source])
    try home.runJobs { home.sink.results[4] != nil }
    #expect(home.sink.results[4]?["forgotten"] == false)
    home.http.isHeld = false
    home.runJobs()
    let account = try parts.broker.resolve("work")
    let grant = try #require(account.ownSlot.session.grant)
    account.ownSlot.session.applySignIn(grant, isRenewable: false, wallSeconds: home.time.wallSeconds(), jitter: 0)
    #expect(try forget("at-2", 5) == false)
    #expect(try parts.broker.resolve("work").ownSlot.session.grant != nil)
  }

  @Test(arguments: [65_536, 65_537]) func `is compared up to a length of 65,536 bytes`(length: Int) throws {
    let token = [UInt8](repeating: UInt8(ascii: "a"), count: length)
    let source = SharedDescriptor(try FileDescriptor.inMemory(token.span))
    try parts.urlTokens.forget(ForgetRequest(url: "https://api.example/x"), .number(2), passed: [source])
    home.runJobs()
    #expect(home.sink.results[2]?["forgotten"] == (length == 65_536 ? false : nil))
    #expect((home.sink.failures[2] == nil) == (length == 65_536))
  }
}

@Suite struct `A token for a place` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example"])
    parts = try DaemonParts(home.context)
  }

  private func ask(_ number: Int, _ edit: (inout TokenRequest) -> Void) throws -> JSON? {
    var request = TokenRequest()
    edit(&request)
    try parts.urlTokens.sendToken(request, .number(number))
    home.runJobs()
    return try home.sink.lines[number].flatMap { try JSON(parsing: Array($0.utf8))["result"] }
  }

  @Test func `names the place or the account`() throws {
    for place in [nil, TokenRequest.Destination(url: nil, kind: .accessToken)] {
      let failure = #expect(throws: Failure.self) { _ = try ask(1) { $0.destination = place } }
      #expect(failure?.message == "neither a URL nor an account is given")
      #expect(failure?.hint?.contains("work") == true)
    }
  }

  @Test func `is told from one that is not listed, whose account may have a token`() throws {
    home.http.answers = [.error("invalid_grant")]
    #expect(try ask(1) { $0.destination = TokenRequest.Destination(url: "https://other.example/x") } == nil)
    #expect(home.sink.failures[1]?.code == .originNotListed && home.http.sent.isEmpty)
    #expect(try ask(2) { $0.destination = TokenRequest.Destination(url: "https://api.example/x") } == nil)
    #expect(home.sink.failures[2]?.code == .sessionExpired)
  }

  @Test func `waits for the server as long as its sender says`() throws {
    #expect(
      try ask(1) { ($0.destination, $0.waitSeconds) = (TokenRequest.Destination(url: "https://api.example/x"), 600) }
        == nil)
    #expect(try ask(2) { $0.destination = TokenRequest.Destination(url: "https://api.example/x") } == nil)
    for _ in 0..<4 { home.pass(seconds: 5) }
    #expect(home.sink.failures.keys.sorted() == [2])
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    home.pass(seconds: 300)
    #expect(home.sink.lines[1]?.contains("at-1") == true)
  }

  @Test func `is good for as long as its sender says, and new where it says so`() throws {
    home.http.answers = (1...3).map { .tokens("at-\($0)", refresh: "rt-\($0 + 1)") }
    let place = TokenRequest.Destination(url: "https://api.example/x")
    #expect(try ask(1) { $0.destination = place }?["access_token"] == "at-1")
    home.time.advance(seconds: 600)
    #expect(try ask(2) { ($0.destination, $0.minimumValiditySeconds) = (place, 3000) }?["access_token"] == "at-1")
    #expect(try ask(3) { ($0.destination, $0.minimumValiditySeconds) = (place, 3100) }?["access_token"] == "at-2")
    #expect(try ask(4) { ($0.destination, $0.forceRefresh) = (place, true) }?["access_token"] == "at-3")
  }
}

@Suite struct `An ID Token for a place` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example", "https://id.example token=id_token"])
    parts = try DaemonParts(home.context)
  }

  private func ask(_ number: Int, _ place: TokenRequest.Destination) throws -> JSON? {
    var request = TokenRequest(account: "work")
    request.destination = place
    try parts.urlTokens.sendToken(request, .number(number))
    home.runJobs()
    return try home.sink.lines[number].flatMap { try JSON(parsing: Array($0.utf8))["result"] }
  }

  @Test func `is in the answer with an end of its own, and nowhere else`() throws {
    try home.put(idTokenFor: 600, parts.broker.resolve("work"))
    let now = home.time.wallSeconds()
    for (number, place) in [
      (1, TokenRequest.Destination(url: "https://id.example/x")),
      (2, TokenRequest.Destination(url: nil, kind: .idToken)),
    ] {
      let answer = try ask(number, place)
      #expect(answer?["use"] == "id_token" && answer?["use_expires_at"] == .int(now + 600))
      #expect(answer?["id_token"]?.string?.split(separator: ".").count == 3)
    }
    let other = try ask(3, TokenRequest.Destination(url: "https://api.example/x"))
    #expect(other?["use"] == "access_token" && other?["use_expires_at"] == .int(now + 3600))
    #expect(other?["id_token"] == nil && home.http.sent.isEmpty)
  }

  @Test func `that ends within a minute costs one refresh, and is not handed out where that brings no other`() throws {
    try home.put(idTokenFor: 59, issuedBefore: 1, parts.broker.resolve("work"))
    home.http.answers = [.tokens("at-1", refresh: "rt-2")]
    for number in 1...2 {
      #expect(try ask(number, TokenRequest.Destination(url: nil, kind: .idToken)) == nil)
      #expect(home.sink.failures[number]?.code == .interactionRequired)
      #expect(home.http.sent == ["rt-1"])
    }
    try home.put(idTokenFor: 60, parts.broker.resolve("work"))
    #expect(try ask(3, TokenRequest.Destination(url: nil, kind: .idToken))?["use"] == "id_token")
  }
}
