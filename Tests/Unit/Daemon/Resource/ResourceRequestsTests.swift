import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `A request to a resource` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example"], renewals: 2)
    parts = try DaemonParts(home.context)
  }

  /// Sends a request whose response goes to a pipe.
  private func call(_ number: Int, wait: Int? = nil) throws {
    var request = CallRequest(account: "work", url: "https://api.example/items", method: "POST")
    request.waitSeconds = wait
    try start(request, number)
    home.runJobs()
  }

  private func start(_ request: CallRequest, _ number: Int) throws {
    let pipe = try Pipe()
    try parts.resources.call(
      request, .number(number), timeoutSeconds: nil, passed: [SharedDescriptor(try pipe.writing.duplicate())])
  }

  @Test func `that never left waits for the server, as long as its sender says`() throws {
    home.http.resourceAnswers = [.failure(HTTPFailure(.connect)), .status(200)]
    try call(1, wait: 60)
    #expect(home.sink.results.isEmpty && home.sink.failures.isEmpty)
    home.pass(seconds: 2)
    #expect(home.sink.results[1]?["status"] == 200)
    #expect(home.http.resourceTokens == ["Bearer at-1", "Bearer at-1"])
  }

  @Test func `that never left is tried again less and less often, and not beyond the time of its sender`() throws {
    try call(1, wait: 60)
    var tries = 1
    for pause in [1, 2, 4, 8, 15, 15] {
      home.pass(seconds: pause - 1)
      #expect(home.http.resourceTokens.count == tries && home.sink.failures.isEmpty, "\(pause)")
      home.pass(seconds: 1)
      tries += 1
      #expect(home.http.resourceTokens.count == tries, "\(pause)")
    }
    // The next attempt would be at its deadline.
    #expect(home.sink.failures[1]?.code == .network)
    try call(2)
    #expect(home.sink.failures[2]?.code == .network && home.http.resourceTokens.count == tries + 1)
  }

  @Test func `has no deadline once it has a token: an answer may be of any length`() throws {
    home.http.resourceAnswers = [.status(200)]
    let now = home.time.now()
    try start(CallRequest(account: "work", url: "https://api.example/items", method: "POST"), 1)
    try home.runJobs { home.sink.deadlines[1] != nil }
    #expect(home.sink.deadlines[1] == now.advanced(by: .seconds(WireProtocol.defaultTimeoutSeconds)))
    home.runJobs()
    #expect(try #require(home.sink.deadlines[1]) > now.advanced(by: .seconds(86_400)))
  }

  @Test func `whose account goes meanwhile is answered with that`() throws {
    home.http.resourceAnswers = [.status(200)]
    home.http.isResourceHeld = true
    try start(CallRequest(account: "work", url: "https://api.example/items", method: "POST"), 1)
    try home.runJobs { home.http.resourceTokens.count == 1 }
    parts.broker.removeDeletedAccount(try AccountName("work"))
    home.http.isResourceHeld = false
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .signedOut && home.sink.results[1] == nil)
  }

  @Test func `ends with those of its account, or with all`() throws {
    home.http.isResourceHeld = true
    try home.addSignedIn("mail", origins: ["https://api.example"])
    for (number, account) in [(1, "work"), (2, "mail")] {
      try start(CallRequest(account: account, url: "https://api.example/items", method: "POST"), number)
    }
    try home.runJobs { home.http.resourceTokens.count == 2 }
    parts.resources.endTransfers(of: try AccountName("work"), .stopping)
    #expect(home.sink.failures.mapValues(\.words) == [1: Failure.stopping.words])
    parts.resources.endTransfers(.stopping)
    #expect(home.sink.failures.mapValues(\.words) == [1: Failure.stopping.words, 2: Failure.stopping.words])
    home.http.isResourceHeld = false
    home.runJobs()
    #expect(home.sink.results.isEmpty)
  }

  @Test func `with a body in lines takes parts while it goes on, and none that came unasked`() throws {
    home.http.isResourceHeld = true
    var request = CallRequest(account: "work", url: "https://api.example/items", method: "POST", sendsBody: true)
    (request.isInline, request.sendsBodyInLines) = (true, true)
    try parts.resources.call(request, .number(1), timeoutSeconds: nil, passed: [])
    #expect(parts.resources.expectsBody(.number(1)) && !parts.resources.expectsBody(.number(2)))
    for isLast in [false, true] {
      parts.resources.appendBodyPart(ResourceBodyRequest(bytes: [1], isLast: isLast), .number(1))
      #expect(home.sink.failures.isEmpty)
    }
    parts.resources.appendBodyPart(ResourceBodyRequest(bytes: [1], isLast: true), .number(2))
    parts.resources.appendBodyPart(ResourceBodyRequest(bytes: [1], isLast: true), .number(1))
    #expect(home.sink.failures.mapValues(\.message) == [1: "unexpected part of a body"])
    #expect(!parts.resources.expectsBody(.number(1)))
    home.http.isResourceHeld = false
    home.runJobs()
  }

  @Test func `with a body in lines keeps no pipe where its sender is gone before a part is asked for`() throws {
    home.sink.whileSending = { [parts] in parts.resources.abandon(.number(1)) }
    var request = CallRequest(account: "work", url: "https://api.example/items", method: "POST", sendsBody: true)
    (request.isInline, request.sendsBodyInLines) = (true, true)
    try parts.resources.call(request, .number(1), timeoutSeconds: nil, passed: [])
    #expect(home.sink.events[1] == [.bodyWanted] && !parts.resources.expectsBody(.number(1)))
    home.runJobs()
    #expect(home.http.sent.isEmpty && home.http.resourceTokens.isEmpty)
  }

  @Test(arguments: [
    HTTPFailure(.receive, requestMayHaveArrived: true), HTTPFailure(.timeout, requestMayHaveArrived: true),
    HTTPFailure(.receive, responseStarted: true, requestMayHaveArrived: true),
  ])
  func `that may have been carried out is not sent again`(failure: HTTPFailure) throws {
    home.http.resourceAnswers = [.failure(failure), .status(200)]
    try call(1, wait: 60)
    #expect(home.sink.failures[1] != nil)
    home.pass(seconds: 60)
    #expect(home.http.resourceTokens.count == 1)
  }

  // Fair shares.
  @Test func `has its place among 128 to its origin and 192 in all, and none beyond them until one has ended`() throws {
    func begin(_ number: Int, at host: String) throws {
      try start(CallRequest(account: "work", url: "https://\(host)/items", method: "POST"), number)
    }
    for number in 1...128 { try begin(number, at: "api.example") }
    for (number, host) in [(193, "api.example"), (194, "other.example")] {
      if number == 194 { for number in 129...192 { try begin(number, at: "third.example") } }
      let refusal = #expect(throws: Failure.self) { try begin(number, at: host) }
      #expect(refusal?.code == .tooBusy && refusal?.message.contains(number == 193 ? "(128)" : "(192)") == true)
    }
    home.runJobs()
    home.http.resourceAnswers = [.status(200)]
    try call(200)
    #expect(home.sink.results[200]?["status"] == 200)
  }

  // Streams may last for days.
  @Test func `whose answer is a stream of events takes no place of others, and is one of 128 at most`() throws {
    func start(_ number: Int) throws {
      try self.start(CallRequest(account: "work", url: "https://api.example/events", method: "GET"), number)
    }
    func heads() -> Int {
      home.sink.events.values.joined().count { if case .response = $0 { true } else { false } }
    }
    home.http.resourceAnswers = Array(repeating: .events, count: 129)
    for number in 1...128 { try start(number) }
    try home.runJobs { heads() == 128 }
    try start(129)
    try home.runJobs { home.sink.failures[129] != nil }
    #expect(home.sink.failures[129]?.message == "128 event streams are already open" && heads() == 128)
    home.http.resourceAnswers = [.status(200)]
    try start(200)
    try home.runJobs { home.sink.results[200]?["status"] == 200 }
    #expect(home.sink.failures.count == 1)
    home.http.endStreams()
    home.runJobs()
    #expect(home.sink.results.count == 129)
  }

  @Test func `whose content cannot be read is not sent`() throws {
    var request = CallRequest(account: "work", url: "https://api.example/items", method: "POST")
    request.sendsBody = true
    let pipe = try Pipe()
    // A directory has no bytes to read.
    let content = SharedDescriptor(try FileDescriptor(opening: "/", for: .reading))
    try parts.resources.call(
      request, .number(1), timeoutSeconds: nil, passed: [content, SharedDescriptor(try pipe.writing.duplicate())])
    home.runJobs()
    #expect(home.sink.failures[1]?.code == .storage)
    #expect(home.http.resourceTokens.isEmpty)
  }

  @Test(arguments: [
    ("api.example/items", "the URL must begin with https:// and the name of a host"),
    ("api.example:8443/items", "the URL must begin with https:// and the name of a host"),
    ("https:///items", "the URL must begin with https:// and the name of a host"),
    ("https://ann:pw@api.example/", "the URL has a user name or a password before its host, which is never sent"),
    ("https://api.example/a b", "the URL is not valid"), ("https://api.example:x/", "the URL is not valid"),
    ("http://api.example/", "a token is sent only to https URLs"),
  ]) func `is told what is wrong with its URL`(url: String, message: String) {
    let failure = #expect(throws: Failure.self) {
      try ResourceCall.Target(CallRequest(account: nil, url: url, method: "GET"))
    }
    #expect(failure?.code == .invalidRequest && failure?.message == message)
  }

  @Test(arguments: [
    ("api.example:8443/items", "did you mean \"https://api.example:8443/items\"?"),
    ("items", "for example: https://api.example.com/me"),
  ]) func `is told how to write its URL`(url: String, hint: String) {
    let failure = #expect(throws: Failure.self) {
      try ResourceCall.Target(CallRequest(account: nil, url: url, method: "GET"))
    }
    #expect(failure?.hint == hint)
  }

  @Test
  func `for which there is no token is answered with the reason, also where that is known before any server is asked`()
    throws
  {
    home.http.answers = [.json(["error": "login_required"], 400)]
    for number in 1...2 {
      try call(number)
      #expect(home.sink.failures[number]?.code == .interactionRequired)
    }
    #expect(home.http.sent == ["rt-1"] && home.http.resourceTokens.isEmpty)
  }

  @Test func `whose sender goes before its account is chosen costs no refresh`() throws {
    try start(CallRequest(account: "work", url: "https://api.example/items", method: "POST"), 1)
    parts.resources.abandon(.number(1))
    home.runJobs()
    #expect(home.http.sent.isEmpty && home.http.resourceTokens.isEmpty)
  }

  @Test func `whose token is refused is sent once more with a new one`() throws {
    home.http.resourceAnswers = [.status(401), .status(200)]
    try call(1)
    #expect(home.sink.results[1]?["status"] == 200)
    #expect(home.http.resourceTokens == ["Bearer at-1", "Bearer at-2"])
  }

  // A stream of more than a mebibyte cannot be sent again.
  @Test func `whose content is gone is not sent again for a refused token, but the next one has a new token`() throws {
    home.http.resourceAnswers = [.status(401), .status(200)]
    var request = CallRequest(account: "work", url: "https://api.example/items", method: "POST")
    request.sendsBody = true
    let content = SharedDescriptor(try FileDescriptor(opening: "/dev/zero", for: .reading))
    try parts.resources.call(
      request, .number(1), timeoutSeconds: nil,
      passed: [content, SharedDescriptor(try Pipe().writing.duplicate())])
    home.runJobs()
    #expect(home.sink.results[1]?["status"] == 401)
    try call(2)
    #expect(home.sink.results[2]?["status"] == 200)
    #expect(home.http.resourceTokens == ["Bearer at-1", "Bearer at-2"])
  }

  @Test func `that is refused late, for a token that was replaced meanwhile, costs no refresh and no new token`() throws
  {
    home.http.resourceAnswers = [.status(401)]
    home.http.isResourceHeld = true
    try start(CallRequest(account: "work", url: "https://api.example/items", method: "POST"), 1)
    try home.runJobs { home.http.resourceTokens.count == 1 }
    // Another request gets the next token before the response arrives.
    try parts.broker.sendToken(TokenRequest(account: "work", forceRefresh: true), .number(2))
    try home.runJobs { home.sink.lines[2]?.contains("at-2") == true }
    home.http.resourceAnswers.append(.status(200))
    home.http.isResourceHeld = false
    home.runJobs()
    #expect(home.sink.results[1]?["status"] == 200)
    #expect(home.http.resourceTokens == ["Bearer at-1", "Bearer at-2"])
    #expect(home.http.sent == ["rt-1", "rt-2"])
    #expect(try parts.broker.resolve("work").ownSlot.session.grant?.accessToken.open().text == "at-2")
  }
}
