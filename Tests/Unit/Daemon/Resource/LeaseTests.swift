import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

/// The access rules that every request of a lease's peer must pass.
@Suite struct `The terms of a lease` {
  private final class Told: Lessor {
    var mayBeginRequest = true
    var events: [LeaseEntry.Event] = []
    var ended = 0
    var countedUse = 0
    var asked: [String] = []

    func note(_ event: LeaseEntry.Event, of lease: Lease, _ peer: LeaseEntry.Peer?) { events.append(event) }
    func didBeginUse(of lease: Lease) { countedUse += 1 }
    func didEndUse(of lease: Lease) { ended += 1 }
    func ask(_ lease: Lease, _ method: String, _ origin: String?, _ peer: LeaseEntry.Peer?) {
      asked.append(origin ?? method)
    }
  }

  private let told = Told()

  private func lease(
    places: [String] = ["https://api.example"], methods: [String] = [], uses: Int? = nil, scope: [String] = [],
    isWithinTotalLimit: Bool = true, lendsToken: Bool = false, requiresConfirmation: Bool = false
  ) throws -> Lease {
    var request = LeaseRequest(account: "work")
    (request.lendsToken, request.requiresConfirmation) = (lendsToken, requiresConfirmation)
    (request.methods, request.uses, request.target.scope) = (methods, uses, scope)
    told.mayBeginRequest = isWithinTotalLimit
    return Lease(
      request, name: "0123456789abcdef", owner: .number(1), account: try AccountName("work"),
      origins: places.compactMap { OriginEntry($0, allowHTTPLoopback: true) }, end: nil, by: told)
  }

  private func call(_ url: String, _ method: String = "GET", headers: [String] = []) -> RequestEnvelope {
    RequestEnvelope(.call(CallRequest(url: url, method: method, headers: headers)), verbose: true)
  }

  /// The call that the rest of the daemon gets.
  private func admitted(_ asked: RequestEnvelope, by lease: Lease) throws -> CallRequest? {
    if case .call(let call) = try lease.admit(asked, .number(2))?.request { call } else { nil }
  }

  private func code(_ body: () throws(Failure) -> Void) -> FailureCode? { failure(body)?.code }

  private func failure(_ body: () throws(Failure) -> Void) -> Failure? {
    do { try body() } catch { return error }
    return nil
  }

  @Test func `pin account and token, and let no steps be told`() throws {
    let lease = try lease(scope: ["read"])
    let admitted = try #require(try lease.admit(call("https://api.example/x"), .number(2)))
    guard case .call(let pinned) = admitted.request else {
      Issue.record("another request")
      return
    }
    #expect(pinned.account == "work" && pinned.target.scope == ["read"] && !admitted.verbose)
    #expect(!pinned.refusesRedirects)
  }

  @Test func `let a peer name neither an account nor a token`() throws {
    let lease = try lease(scope: ["read"])
    var named = CallRequest(account: "work", url: "https://api.example/x", method: "GET")
    #expect(
      code { () throws(Failure) in _ = try lease.admit(RequestEnvelope(.call(named)), .number(2)) } == .notPermitted)
    (named.account, named.target.scope) = (nil, ["write"])
    #expect(
      code { () throws(Failure) in _ = try lease.admit(RequestEnvelope(.call(named)), .number(2)) } == .notPermitted)
    named.target.scope = ["read"]
    #expect(code { () throws(Failure) in _ = try lease.admit(RequestEnvelope(.call(named)), .number(2)) } == nil)
    #expect(told.events == [.refused(.notPermitted), .refused(.notPermitted)])
  }

  @Test(arguments: [
    ("https://api.example/a", true), ("https://api.example/a/b", true), ("https://api.example/a?x=..%2f", true),
    ("https://api.example/ab", false), ("https://api.example/", false), ("https://api.example/a/../b", false),
    ("https://api.example/a/%2e%2e/b", false), ("https://api.example/a%2f..%2fb", false),
    ("https://api.example/a//b", false), ("https://api.example/a;x/b", false), ("https://api.example/a/%252e", false),
    ("https://api.example:444/a", false), ("https://other.example/a", false), ("http://api.example/a", false),
    ("https://user@api.example/a", false), ("https://api.example/A", false),
  ]) func `know a path however it is written`(url: String, isPermitted: Bool) throws {
    let lease = try lease(places: ["https://api.example/a"])
    let found = code { () throws(Failure) in _ = try lease.admit(call(url), .number(2)) }
    #expect(isPermitted == (found == nil), "\(String(describing: found))")
  }

  @Test func `follow no redirect where a path is named`() throws {
    let lease = try lease(places: ["https://api.example/a"])
    #expect(try admitted(call("https://api.example/a"), by: lease)?.refusesRedirects == true)
  }

  @Test(
    arguments: [
      ("POST", []), ("get", []), ("GET", ["X-HTTP-Method-Override: POST"]), ("GET", ["x-http-method: PUT"]),
      ("GET", ["X-Method-Override: PATCH"]),
    ] as [(String, [String])]) func `know a method however it is written`(method: String, headers: [String]) throws
  {
    let lease = try lease(methods: ["GET"])
    let asked = call("https://api.example/x", method, headers: headers)
    #expect(code { () throws(Failure) in _ = try lease.admit(asked, .number(2)) } == .notPermitted)
    #expect(code { () throws(Failure) in _ = try lease.admit(call("https://api.example/x"), .number(3)) } == nil)
  }

  @Test(
    arguments: [
      ("GET", [], false), ("OPTIONS", [], false), ("DELETE", [], false), ("get", [], false), ("FETCH", [], false),
      ("PROPFIND", [], false), ("QUERY", [], false), ("POST", [], true), ("PUT", [], true), ("PATCH", [], true),
      ("PROPFIND", ["PROPFIND"], true), ("DELETE", ["DELETE"], true), ("REPORT", ["REPORT"], true),
    ] as [(String, [String], Bool)])
  func `let a body go with POST, PUT, PATCH and methods that are named`(
    method: String, named: [String], isPermitted: Bool
  ) throws {
    let lease = try lease(methods: named)
    let asked = CallRequest(url: "https://api.example/x", method: method, sendsBody: true)
    let failure = failure { () throws(Failure) in _ = try lease.admit(RequestEnvelope(.call(asked)), .number(2)) }
    #expect((failure == nil) == isPermitted)
    if let failure {
      #expect(failure.code == .notPermitted && failure.message == "the lease does not allow a body with \(method)")
    }
  }

  @Test func `count the header fields that are left out, and bring no cookie back`() throws {
    let lease = try lease()
    let asked = call("https://api.example/x", headers: ["X-A: 1", "Accept: a/b", "X-B: 2"])
    #expect(try admitted(asked, by: lease)?.headers == ["Accept: a/b"])
    let head = ResponseHead(
      status: 200, headers: [.init("set-Cookie", "a=b"), .init("A", "b"), .init("Set-Cookie2", "c")])
    #expect(
      lease.filtering(.event(.response(head)), of: .number(2))
        == .event(.response(ResponseHead(status: 200, headers: [.init("A", "b")]))))
    _ = lease.filtering(.result(["status": 200, "body_bytes": 3]), of: .number(2))
    #expect(
      told.events == [
        .used(method: "GET", origin: "https://api.example", status: 200, bytes: 3, dropped: 2, nil)
      ])
    #expect(lease.accessRules(now: .now)["dropped_headers"] == 2)
  }

  @Test func `count a use and tell of it before the request goes on`() throws {
    let lease = try lease(uses: 2)
    #expect(throws: Failure.self) { try lease.admit(call("https://other.example/"), .number(2)) }
    #expect(told.countedUse == 0 && lease.usesLeft == 2)
    _ = try lease.admit(call("https://api.example/x"), .number(2))
    #expect(told.countedUse == 1 && lease.usesLeft == 1 && told.ended == 0)
  }

  @Test func `tell the rest of the daemon by which lease a request came`() throws {
    for (places, methods, isNarrow) in [
      (["https://api.example"], [], false), (["https://api.example/a"], [], true),
      (["https://api.example"], ["GET"], true),
    ] {
      let lease = try lease(places: places, methods: methods)
      let pinned = try admitted(call("https://api.example/a"), by: lease)
      #expect(pinned?.lease == RequestLease(name: "0123456789abcdef", isNarrow: isNarrow))
    }
  }

  @Test func `count uses, and end with the last answer`() throws {
    let lease = try lease(uses: 2)
    _ = try lease.admit(call("https://api.example/x"), .number(2))
    _ = try lease.admit(call("https://api.example/x"), .number(3))
    #expect(
      code { () throws(Failure) in _ = try lease.admit(call("https://api.example/x"), .number(4)) } == .leaseEnded)
    _ = lease.filtering(.result(["status": 200, "body_bytes": 3, "account": "work"]), of: .number(2))
    #expect(lease.usesLeft == 0 && lease.usesInProgress.count == 1 && told.ended == 1)
    lease.didDisconnect(3)
    #expect(lease.usesInProgress.isEmpty && told.ended == 2)
  }

  @Test func `leave room for others`() throws {
    let full = try lease(isWithinTotalLimit: false)
    #expect(code { () throws(Failure) in _ = try full.admit(call("https://api.example/x"), .number(2)) } == .tooBusy)
    let lending = try self.lease(scope: ["read"], isWithinTotalLimit: false, lendsToken: true)
    #expect(code { () throws(Failure) in _ = try lending.admit(token(), .number(2)) } == .tooBusy)
    let lease = try lease()
    for number in 0..<16 { _ = try lease.admit(call("https://api.example/x"), .number(number)) }
    #expect(code { () throws(Failure) in _ = try lease.admit(call("https://api.example/x"), .number(16)) } == .tooBusy)
  }

  @Test func `show no account's name and no command but to sign in`() throws {
    let lease = try lease()
    for failure in [
      Failure(.signedOut, "work is signed out", hint: "agent login work"), Failure(.locked, "work is locked"),
      Failure(.tokenRefused, "https://api.example refuses the tokens of work", hint: "agent login work"),
      Failure(.invalidConfiguration, "the settings of work are wrong", hint: "agent account show work"),
      Failure(.network, "cannot reach api.example", hint: "agent doctor"),
    ] {
      guard case .failure(let shown) = lease.filtering(.failure(failure), of: .number(2)) else {
        Issue.record("no failure for \(failure.code)")
        continue
      }
      #expect(shown.code == failure.code && !shown.message.contains("work"), "\(shown.message)")
      #expect(shown.hint == (failure.code == .signedOut ? "on the lending machine, run: agent login" : nil))
    }
    _ = try lease.admit(call("https://api.example/x"), .number(2))
    let problem = Failure(.stepUpNeeded, "another sign-in", hint: "agent login work --acr x")
    let reply = lease.filtering(
      .result(["status": 401, "body_bytes": 0, "account": "work", "problem": problem.json]), of: .number(2))
    guard case .result(let result) = reply else {
      Issue.record("another reply: \(reply)")
      return
    }
    #expect(!String(decoding: Reply.result(result).serialized(), as: UTF8.self).contains("work"))
    #expect(result["problem"]?["code"] == "step_up_needed" && result["account"] == "lease")
  }

  // MARK: The token itself

  private func token(_ change: (inout TokenRequest) -> Void = { _ in }) -> RequestEnvelope {
    var request = TokenRequest()
    change(&request)
    return RequestEnvelope(.token(request))
  }

  @Test func `give the token only where that was said, and nothing else of the account`() throws {
    let other = try lease(scope: ["read"])
    #expect(code { () throws(Failure) in _ = try other.admit(token(), .number(2)) } == .notPermitted)
    let lease = try lease(scope: ["read"], lendsToken: true)
    let admitted = try #require(try lease.admit(token { $0.extras.wantsVariables = true }, .number(2)))
    guard case .token(let pinned) = admitted.request else {
      Issue.record("another request")
      return
    }
    #expect(pinned.isLent && pinned.account == "work" && pinned.target.scope == ["read"])
    #expect(pinned.extras == TokenRequest.Extras())
    let refused: [(inout TokenRequest) -> Void] = [
      { $0.account = "work" }, { $0.forceRefresh = true }, { $0.extras.wantsIDToken = true },
      { $0.extras.wantsClaims = true },
      { $0.target.scope = ["write"] }, { $0.destination = TokenRequest.Destination(url: "https://api.example") },
    ]
    for change in refused {
      #expect(code { () throws(Failure) in _ = try lease.admit(token(change), .number(3)) } == .notPermitted)
    }
  }

  private func grant(_ scope: String?, isNamed: Bool) throws -> AccessGrant {
    var token = SecretBuffer(capacity: 8)
    token.append(utf8: "token")
    return AccessGrant(
      accessToken: SharedSecret(try token.finish()), tokenType: "Bearer", scope: scope, isScopeFromServer: isNamed,
      subject: nil, issuedAt: .now, issuedAtUnixSeconds: 0, lifetimeSeconds: 60, recordGeneration: 1)
  }

  @Test func `take a token for narrow only if the server says so`() throws {
    let lease = try lease(scope: ["read", "list"], lendsToken: true)
    for scope in ["read", "list read"] {
      #expect(lease.hasOnlyRequestedScope(try grant(scope, isNamed: true)), "\(scope)")
    }
    for scope in ["read write", "openid", nil] {
      #expect(!lease.hasOnlyRequestedScope(try grant(scope, isNamed: true)))
    }
    #expect(!lease.hasOnlyRequestedScope(try grant("read", isNamed: false)))
  }

  @Test(arguments: [("read", "Bearer", true), ("read write", "Bearer", false), ("read", "DPoP", false)])
  func `give no token that the server did not narrow, nor one that is of use with its key only`(
    granted: String, type: String, isGiven: Bool
  ) throws {
    let home = try DaemonHome()
    try home.addSignedIn("work", origins: ["https://api.example"], isBound: type == "DPoP")
    let parts = try DaemonParts(home.context)
    var request = LeaseRequest(account: "work")
    (request.lendsToken, request.target.scope) = (true, ["read"])
    let channel = try SocketPair()
    try parts.resources.leases.open(request, .number(9), passed: [SharedDescriptor(channel.first)])
    let peer = try parts.resources.leases.connect(home.sink.channels[0])
    let terms = try #require(home.sink.connectionRules.last)
    home.http.answers = [
      .json([
        "access_token": "at-1", "token_type": .string(type), "expires_in": 3600, "refresh_token": "rt-2",
        "scope": .string(granted),
      ])
    ]
    let envelope = try #require(try terms.admit(token(), .number(1), passed: []))
    guard case .token(let admitted) = envelope.request else {
      Issue.record("another request")
      return
    }
    try parts.resources.leases.sendToken(admitted, .number(1))
    home.runJobs()
    #expect((home.sink.lines[1]?.contains("at-1") ?? false) == isGiven)
    #expect((home.sink.failures[1]?.code == .notPermitted) != isGiven)
    withExtendedLifetime(peer) {}
  }

  @Test func `hold for no socket that cannot be watched`() throws {
    let home = try DaemonHome(signedIn: "work", origins: ["https://api.example"])
    let parts = try DaemonParts(home.context)
    let channel = try SocketPair()
    let end = SharedDescriptor(channel.first)
    home.sink.isFull = true
    let failure = #expect(throws: Failure.self) {
      try parts.resources.leases.open(LeaseRequest(account: "work"), .number(1), passed: [end])
    }
    #expect(failure?.code == .tooBusy)
  }

  @Test func `permit peers over the process that accepts them, and nothing else over its connection`() throws {
    let run = try LeaseRun()
    let peer = try run.connect()
    let terms = try #require(run.home.sink.connectionRules.last)
    let channel = Ticket(connection: run.home.sink.channels[0], serial: 1)
    let added = RequestEnvelope(.leasePeer(LeasePeerRequest(userID: 1, processID: 1)))
    #expect(try terms.admit(added, channel, passed: []) != nil)
    #expect(code { () throws(Failure) in _ = try terms.admit(added, .number(1), passed: []) } == .notPermitted)
    for request in [call("https://api.example/x"), RequestEnvelope(.leaseStatus()), RequestEnvelope(.state(.list))] {
      #expect(code { () throws(Failure) in _ = try terms.admit(request, channel, passed: []) } == .notPermitted)
    }
    // A pipe of the other process could make this one wait.
    let pipe = try Pipe()
    let end = SharedDescriptor(try pipe.writing.duplicate())
    #expect(
      code { () throws(Failure) in _ = try terms.admit(call("https://api.example/x"), .number(1), passed: [end]) }
        == .descriptorMissing)
    withExtendedLifetime(peer) {}
  }

  // MARK: Questions

  @Test func `take an answer from their owner alone`() throws {
    let run = try LeaseRun {
      ($0.lendsToken, $0.requiresConfirmation, $0.target.scope) = (true, true, ["read"])
    }
    let peer = try run.connect()
    let terms = try #require(run.home.sink.connectionRules.last)
    #expect(try terms.admit(token(), .number(1), passed: []) == nil)
    let question = try #require(
      run.home.sink.events[9]?.compactMap { if case .leaseQuestion(let asked) = $0 { asked.number } else { nil } }.first
    )
    run.leases.applyAnswer(LeaseAnswerRequest(questionNumber: question, isAllowed: true), .number(8))
    #expect(run.home.sink.admitted.isEmpty && run.home.sink.failures.isEmpty)
    run.leases.applyAnswer(LeaseAnswerRequest(questionNumber: question, isAllowed: true), .number(9))
    #expect(run.home.sink.admitted.keys.sorted() == [1])
    withExtendedLifetime(peer) {}
  }

  @Test func `hold the first requests for an origin until the person has answered, and remember the answer`() throws {
    let lease = try lease(places: ["https://api.example", "https://b.example"], requiresConfirmation: true)
    for number in 2...3 { #expect(try lease.admit(call("https://api.example/x"), .number(number)) == nil) }
    #expect(told.asked == ["https://api.example"])
    #expect(lease.applyAnswer(about: "https://api.example", isAllowed: true).map(\.ticket) == [.number(2), .number(3)])
    #expect(try lease.admit(call("https://api.example/y"), .number(4)) != nil)
    #expect(try lease.admit(call("https://b.example/y"), .number(5)) == nil)
    #expect(lease.applyAnswer(about: "https://b.example", isAllowed: false).count == 1)
    #expect(
      code { () throws(Failure) in _ = try lease.admit(call("https://b.example/y"), .number(6)) } == .notPermitted)
    #expect(told.asked == ["https://api.example", "https://b.example"])
  }

  @Test func `ask again when nobody answered, and nothing for a peer that went`() throws {
    let lease = try lease(scope: ["read"], lendsToken: true, requiresConfirmation: true)
    #expect(try lease.admit(token(), .number(2)) == nil)
    #expect(lease.applyAnswer(about: nil, isAllowed: nil).count == 1)
    #expect(try lease.admit(token(), .number(3)) == nil)
    lease.didDisconnect(3)
    #expect(lease.applyAnswer(about: nil, isAllowed: true).isEmpty)
    #expect(told.asked == ["token", "token"])
  }
}

@Suite struct `A lease` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example", "https://mail.example token=id_token"])
    parts = try DaemonParts(home.context)
  }

  private var leases: Leases { parts.resources.leases }

  private func open(_ number: Int, _ edit: (inout LeaseRequest) -> Void = { _ in }) throws {
    var request = LeaseRequest(account: "work")
    edit(&request)
    let channel = try SocketPair()
    try leases.open(request, .number(number), passed: [SharedDescriptor(channel.first)])
    opened.channels[number] = home.sink.channels.last
  }

  private final class Channels { var channels: [Int: UInt64] = [:] }
  private let opened = Channels()

  private func connect(to number: Int) throws -> SharedDescriptor {
    try leases.connect(try #require(opened.channels[number]))
  }

  private func events(_ name: String) -> [JSON] {
    (leases.eventsJSON["events"]?.array ?? []).filter { $0["event"]?.string == name }
  }

  @Test func `is one of 16, until one has ended`() throws {
    for number in 1...16 { try open(number) }
    let failure = #expect(throws: Failure.self) { try open(17) }
    #expect(failure?.message == "there are already 16 leases")
    leases.abandon(.number(1))
    try open(18)
  }

  @Test func `has one end of a pair of sockets`() throws {
    let pipe = try Pipe()
    let listener = SharedDescriptor(try UnixSocket.listen(in: home.runtime(), name: "lease", backlog: 1))
    let pair = try SocketPair()
    let end = SharedDescriptor(try pair.first.duplicate())
    for passed in [[], [SharedDescriptor(try pipe.reading.duplicate())], [listener], [end, end]] {
      let failure = #expect(throws: Failure.self) {
        try leases.open(LeaseRequest(account: "work"), .number(1), passed: passed)
      }
      #expect(failure?.message == "the request must pass one end of a pair of local sockets")
    }
  }

  @Test func `is for methods that can be sent, and for places that its account lists`() throws {
    let refused: [(FailureCode, (inout LeaseRequest) -> Void)] = [
      (.invalidRequest, { $0.methods = ["GET", "CONNECT"] }), (.invalidRequest, { $0.lendsToken = true }),
      (.originNotAllowed, { $0.origins = ["https://other.example"] }), (.invalidRequest, { $0.origins = ["ht tp"] }),
      (.invalidRequest, { $0.origins = ["https://api.example token=id_token"] }),
      (.invalidRequest, { $0.origins = ["https://api.example/a;b"] }),
    ]
    for (number, (code, edit)) in refused.enumerated() {
      let failure = #expect(throws: Failure.self) { try open(10 + number, edit) }
      #expect(failure?.code == code, "\(failure?.message ?? "")")
    }
    try open(2) { $0.origins = ["https://api.example/a"] }
    let peer = try connect(to: 2)
    try leases.sendAccessRules(Ticket(connection: 1, serial: 1))
    #expect(home.sink.results[1]?["places"] == ["https://api.example/a"])
    withExtendedLifetime(peer) {}
  }

  @Test func `of an account without places is not opened`() throws {
    try home.add("mail")
    let failure = #expect(throws: Failure.self) { try open(1) { $0.account = "mail" } }
    #expect(failure?.code == .originNotAllowed && failure?.hint == "agent help account set")
  }

  @Test func `has 32 peers at most, and all have 64`() throws {
    var peers: [SharedDescriptor] = []
    for number in 1...3 {
      try open(number)
      for _ in 1...33 { peers.append(try connect(to: number)) }
      #expect(home.sink.connectionRules.count == min(32 * number, 64))
    }
    #expect(events("lease_refused").count == 2 + 33)
    leases.abandon(.number(1))
    peers.append(try connect(to: 3))
    #expect(home.sink.connectionRules.count == 65)
    withExtendedLifetime(peers) {}
  }

  @Test func `tells its terms to its own peers alone`() throws {
    try open(9)
    let peer = try connect(to: 9)
    #expect(throws: Failure.self) { try leases.sendAccessRules(.number(2)) }
    try leases.sendAccessRules(.number(1))
    #expect(home.sink.results[1]?["lease"] != nil)
    withExtendedLifetime(peer) {}
  }

  @Test func `ends with its time, and says so`() throws {
    try open(1) { $0.expiresInSeconds = 60 }
    home.pass(seconds: 59)
    #expect(home.sink.failures.isEmpty && leases.isOwner(.number(1)))
    home.pass(seconds: 1)
    #expect(
      home.sink.failures.mapValues(\.words) == [1: Failure.leaseExpired.words] && home.sink.endings == [.leaseEnded])
    #expect(events("lease_ended").compactMap { $0["cause"] } == ["time"])
    #expect(!leases.isOwner(.number(1)))
  }

  @Test func `ends with its last use, once that is answered`() throws {
    try open(9) { $0.uses = 2 }
    let peer = try connect(to: 9)
    let terms = try #require(home.sink.connectionRules.last)
    func left() -> [Int?] {
      (home.sink.events[9] ?? []).compactMap { if case .lease(let event) = $0 { event.usesLeft } else { nil } }
    }
    for serial in 1...2 {
      let ticket = Ticket(connection: 1, serial: UInt64(serial))
      let call = RequestEnvelope(.call(CallRequest(url: "https://api.example/x", method: "GET")))
      _ = try terms.admit(call, ticket, passed: [])
      // Before the request is sent: a daemon that starts now permits only the remaining ones.
      #expect(home.sink.failures.isEmpty && left().last == 2 - serial)
      _ = terms.filtering(.result(["status": 200, "body_bytes": 3]), of: ticket)
      home.pass(seconds: 0)
    }
    #expect(left() == [2, 1, 0])
    #expect(
      home.sink.failures.mapValues(\.words) == [9: Failure.leaseUsedUp.words] && home.sink.endings == [.leaseEnded])
    withExtendedLifetime(peer) {}
  }

  @Test func `ends with the session of its account, its account and the daemon, each with the reason`() throws {
    try home.add("mail", origins: ["https://api.example"])
    let (work, mail) = (try AccountName("work"), try AccountName("mail"))
    for number in 1...3 { try open(number) { $0.account = number == 1 ? "work" : "mail" } }
    home.context.log.publish(.online, mail)
    home.context.log.publish(.signedOut(.user), work)
    #expect(home.sink.failures.mapValues(\.code) == [1: .signedOut])
    leases.abandon(.number(2))
    #expect(events("lease_ended").compactMap { $0["cause"] } == ["signed_out", "closed"])
    home.context.log.publish(.accountRenamed(from: "mail"), try AccountName("post"))
    home.context.log.publish(.accountRemoved, mail)
    #expect(home.sink.failures[3] == nil)
    home.context.log.publish(.accountRemoved, try AccountName("post"))
    #expect(home.sink.failures[3]?.code == .noAccount)
    try open(4)
    leases.stop()
    #expect(home.sink.failures[4]?.words == Failure.stopping.words)
  }

  @Test func `takes no answer for a yes, and asks for one for a minute`() throws {
    try open(9) { ($0.lendsToken, $0.requiresConfirmation, $0.target.scope) = (true, true, ["read"]) }
    let peer = try connect(to: 9)
    let terms = try #require(home.sink.connectionRules.last)
    #expect(try terms.admit(RequestEnvelope(.token(TokenRequest())), .number(1), passed: []) == nil)
    home.pass(seconds: 59)
    #expect(home.sink.failures.isEmpty)
    home.pass(seconds: 1)
    #expect(
      home.sink.failures.mapValues(\.words) == [1: Failure.notPermittedByLease.words] && home.sink.admitted.isEmpty)
    leases.applyAnswer(LeaseAnswerRequest(questionNumber: 1, isAllowed: true), .number(9))
    #expect(home.sink.admitted.isEmpty, "nobody waits for the answer any more")
    withExtendedLifetime(peer) {}
  }

  @Test func `keeps its last 64 events, and those of the last 32 leases, in the order of their times`() throws {
    for number in 1...33 {
      try open(number)
      leases.abandon(.number(number))
      home.time.advance(seconds: 1)
    }
    #expect(events("lease_opened").count == 32)
    let times = (leases.eventsJSON["events"]?.array ?? []).compactMap { $0["time"]?.int }
    #expect(times.count == 64 && times == times.sorted())
    try open(40)
    let peer = try connect(to: 40)
    let terms = try #require(home.sink.connectionRules.last)
    for _ in 1...64 {
      #expect(throws: Failure.self) { try terms.admit(RequestEnvelope(.state(.list)), .number(1), passed: []) }
    }
    #expect(events("lease_refused").count == 64 && leases.eventsJSON["dropped"] == 1)
    withExtendedLifetime(peer) {}
  }
}

/// A daemon with an account and its lease, which belongs to request 9.
private final class LeaseRun {
  let home: DaemonHome
  private let parts: DaemonParts

  init(_ edit: (inout LeaseRequest) -> Void = { _ in }) throws {
    home = try DaemonHome(signedIn: "work", origins: ["https://api.example"])
    parts = try DaemonParts(home.context)
    var request = LeaseRequest(account: "work")
    edit(&request)
    let channel = try SocketPair()
    try leases.open(request, .number(9), passed: [SharedDescriptor(channel.first)])
  }

  var leases: Leases { parts.resources.leases }

  func connect() throws -> SharedDescriptor { try leases.connect(home.sink.channels[0]) }
}

extension Leases {
  /// Connects a peer, as reported over the connection `channel`. Returns the peer's other end.
  fileprivate func connect(_ channel: UInt64) throws -> SharedDescriptor {
    let pair = try SocketPair()
    let request = LeasePeerRequest(userID: Int(Machine.userID), processID: 1)
    try handle(request, Ticket(connection: channel, serial: 1), passed: [SharedDescriptor(pair.first)])
    return SharedDescriptor(pair.second)
  }
}
