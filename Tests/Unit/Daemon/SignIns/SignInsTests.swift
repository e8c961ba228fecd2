import Encoding
import HTTP
import Loopback
import OAuth
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A sign-in by code` {
  private let home: SignInHome

  init() throws { home = try SignInHome() }

  @Test func `asks as often as the server says, and stores what it gets`() throws {
    home.daemon.http.answers = [.error("authorization_pending"), .error("slow_down"), .tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1)
    #expect(home.code(1) == "WDJB-MJHT")
    #expect(home.polls == 0)
    home.daemon.pass(seconds: 5)
    home.daemon.pass(seconds: 4)
    #expect(home.polls == 1)
    home.daemon.pass(seconds: 1)
    // Five more seconds per poll (RFC 8628 section 3.5), and two fifths in case a clock is fast.
    home.daemon.pass(seconds: 13)
    #expect(home.polls == 2)
    #expect(home.sink.results[1] == nil)
    home.daemon.pass(seconds: 1)
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(try home.daemon.storedToken("work") == "rt-1")
    #expect(try home.daemon.settings.current()[AccountName("work")]?.clientID == "cli")
  }

  @Test(arguments: [
    (60, []), (61, ["this server can be polled only every 61 seconds, so it may take that long after you approve"]),
  ])
  func `tells why it takes long where the server wants more than a minute between polls`(
    interval: Int, notices: [String]
  ) throws {
    home.daemon.http.pollInterval = interval
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1)
    #expect(home.sink.events[1]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } } == notices)
    home.daemon.pass(seconds: interval - 1)
    #expect(home.polls == 0)
    home.daemon.pass(seconds: 1)
    #expect(home.sink.results[1]?["account"] == "work")
  }

  @Test func `tells once that the clock may run too fast, when the server has asked three times to slow down`() throws {
    home.daemon.http.answers = Array(repeating: .error("slow_down"), count: 4)
    try home.begin("work", 1)
    func notices() -> [String] {
      home.sink.events[1]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } } ?? []
    }
    // Five more seconds each time, and two fifths in case a clock is fast.
    for (polls, wait) in [(1, 5), (2, 14), (3, 21), (4, 28)] {
      home.daemon.pass(seconds: wait)
      #expect(home.polls == polls)
      #expect(notices().count == (polls < 3 ? 0 : 1))
    }
    #expect(notices() == ["the server keeps asking to slow down: this machine's clock may be too fast"])
  }

  @Test func `is followed by one by browser where the server forbids the device grant`() throws {
    home.daemon.http.answers = [.error("unauthorized_client")]
    try home.begin("work", 1)
    home.daemon.pass(seconds: 5)
    #expect(home.sink.failures[1]?.hint?.contains("--paste") == true)
    try home.begin("work", 2) { $0.flow = nil }
    #expect(home.code(2) == nil)
    #expect(home.sink.events[2]?.contains { if case .browser = $0 { true } else { false } } == true)
    try home.begin("other", 3) { $0.flow = nil }
    #expect(home.code(3) == "WDJB-MJHT")
  }

  @Test func `begins where the account has no session, though one would do`() throws {
    try home.daemon.add("work")
    try home.begin("work", 1) { $0.skipCondition = .token }
    #expect(home.code(1) == "WDJB-MJHT")
    try home.daemon.addSignedIn("other")
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.begin("other", 2) { $0.skipCondition = .token }
    #expect(home.code(2) == nil && home.sink.results[2]?["kept"] == true)
  }

  @Test func `does not begin where the account has a session, and asks no server where any will do`() throws {
    try home.daemon.addSignedIn("work")
    try home.begin("work", 1) { $0.skipCondition = .signedIn }
    #expect(home.sink.results[1]?["kept"] == true, "\(home.sink.failures)")
    #expect(home.polls == 0 && home.code(1) == nil)
  }

  @Test(arguments: [LoginRequest.Condition.signedIn, .token])
  func `makes the account the active one, if that is wanted, though it keeps the session`(
    condition: LoginRequest.Condition
  ) throws {
    try home.daemon.addSignedIn("other")
    try home.daemon.addSignedIn("work")
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-2")]
    try home.begin("work", 1) { ($0.skipCondition, $0.activates) = (condition, true) }
    #expect(home.sink.results[1]?["kept"] == true && home.sink.results[1]?["active_account"] == "work")
    #expect(try home.daemon.settings.current().active?.text == "work")
  }

  @Test func `tells why it cannot begin, where it was to begin only without a session`() throws {
    try home.daemon.add("work")
    try home.begin("work", 1) { ($0.skipCondition, $0.passedSecrets) = (.token, [.clientSecret]) }
    #expect(home.sink.failures[1]?.code == .invalidRequest, "\(home.sink.failures)")
    #expect(home.isFree("work"))
  }

  @Test func `does not begin where the account is locked, which may have a session`() throws {
    try home.daemon.add("work", protection: .passphrase)
    home.lock.beginLock()
    home.lock.refuseTokens(of: try AccountName("work"), at: .passphrase)
    try home.begin("work", 1) { $0.skipCondition = .token }
    #expect(home.code(1) == nil && home.sink.failures[1]?.code == .locked, "\(home.sink.failures)")
  }

  @Test func `ends with its code, and asks no more`() throws {
    home.daemon.http.answers = Array(repeating: .error("authorization_pending"), count: 100)
    try home.begin("work", 1)
    for _ in 1...60 { home.daemon.pass(seconds: 5) }
    #expect(home.sink.failures[1]?.code == .codeExpired)
    let polls = home.polls
    home.daemon.pass(seconds: 600)
    #expect(home.polls == polls)
    // Every five seconds, and not at the end itself.
    #expect(polls == 59)
  }

  // RFC 8628 section 3.5.
  @Test func `is not asked about by a machine that slept past its end`() throws {
    home.daemon.http.answers = Array(repeating: .error("authorization_pending"), count: 100)
    try home.begin("work", 1)
    home.daemon.pass(seconds: 5)
    let polls = home.polls
    home.daemon.pass(seconds: 3600)
    #expect(home.sink.failures[1]?.code == .codeExpired)
    #expect(home.polls == polls)
  }

  @Test func `ends when the person says no`() throws {
    home.daemon.http.answers = [.error("access_denied")]
    try home.begin("work", 1)
    home.daemon.pass(seconds: 5)
    #expect(home.sink.failures[1] != nil)
    #expect(try home.daemon.storedToken("work") == nil)
    home.daemon.pass(seconds: 600)
    #expect(home.polls == 1)
  }

  @Test func `logs each time that the server wants to be asked less often`() throws {
    home.daemon.http.answers = [.error("authorization_pending"), .error("slow_down"), .error("authorization_pending")]
    try home.begin("work", 1)
    for seconds in [5, 5, 14] { home.daemon.pass(seconds: seconds) }
    #expect(home.polls == 3)
    #expect(
      home.daemon.logged.filter { if case .signInSlowed = $0 { true } else { false } } == [.signInSlowed(seconds: 10)])
  }

  @Test func `ends its request to the server when it is given up`() throws {
    try home.begin("work", 1)
    let cancellation = try #require(home.signIns.logins.values.first?.cancellation)
    #expect(!cancellation.isCancelled)
    home.signIns.abandon(.number(1))
    #expect(cancellation.isCancelled)
  }

  // What spends something is cut only by the end of the process.
  @Test(arguments: ["gone", "replaced", "signed out", "stopped"])
  func `revokes what a poll brings that was under way when it was given up`(how: String) throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    home.daemon.http.isHeld = true
    try home.begin("work", 1)
    home.daemon.time.advance(seconds: 5)
    home.sink.runDue()
    try home.daemon.takeResult()
    home.daemon.http.awaitRequests(1)
    switch how {
    case "gone": home.signIns.abandon(.number(1))
    case "replaced": try home.begin("work", 2, runs: false)
    case "signed out": home.signIns.endUnapproved(of: try AccountName("work"))
    default:
      home.daemon.context.jobs.endWaits()
      home.signIns.stop()
    }
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(home.daemon.http.revoked == ["rt-1"])
    #expect(try home.daemon.storedToken("work") == nil)
  }

  @Test func `ends when whoever began it goes`() throws {
    try home.begin("work", 1)
    home.signIns.abandon(.number(1))
    home.daemon.pass(seconds: 5)
    #expect(home.polls == 0)
    #expect(home.isFree("work"))
  }

  /// Begins and approves a sign-in; its grant is stored, and the loop has not been notified.
  private func beginApproved() throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1)
    home.daemon.time.advance(seconds: 5)
    home.sink.runDue()
    try home.daemon.takeResult()
    try home.daemon.wait { try home.daemon.storedToken("work") != nil }
  }

  // No approval is wasted.
  @Test func `is finished once it is approved, though whoever began it goes`() throws {
    try beginApproved()
    home.signIns.abandon(.number(1))
    home.daemon.runJobs()
    #expect(try home.daemon.storedToken("work") == "rt-1")
    #expect(try home.daemon.settings.current()[AccountName("work")] != nil)
  }

  @Test func `is finished once it is approved, though what it is stored behind is to be locked`() throws {
    try beginApproved()
    home.signIns.endUnapproved(at: [.device])
    home.daemon.runJobs()
    #expect(home.sink.failures[1] == nil && home.sink.results[1]?["account"] == "work")
  }

  @Test(arguments: [
    (String?.none, [String]()), ("read write", []),
    ("read", ["the server did not grant the full scope; missing: write"]),
  ])
  func `tells what of the scope was withheld`(granted: String?, notices: [String]) throws {
    var answer: JSONObject = [
      "access_token": "at-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "rt-1",
    ]
    answer["scope"] = granted.map { .string($0) }
    home.daemon.http.answers = [.json(answer)]
    try home.begin("work", 1) { $0.scope = ["read", "write"] }
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[1] != nil)
    #expect(home.notices(1) == notices)
  }

  // The device grant is not part of OpenID Connect, so a server may return no ID Token.
  @Test func `tells that the user is not verified where an ID Token was asked for and none came`() throws {
    home.announce(["jwks_uri": "https://as.example/keys"])
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1) { $0.scope = ["openid"] }
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[1] != nil, "\(home.sink.failures)")
    #expect(home.notices(1) == ["the server sent no ID Token for the device code, so the user is not verified"])
  }

  @Test(arguments: [true, false]) func `tells that it got no refresh token, where that is so`(hasOne: Bool) throws {
    let without: JSONObject = ["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600]
    home.daemon.http.answers = [hasOne ? .tokens("at-1", refresh: "rt-1") : .json(without)]
    try home.begin("work", 1)
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[1] != nil)
    let notices: [String] = (home.sink.events[1] ?? []).compactMap {
      if case .notice(let text) = $0 { text.english } else { nil }
    }
    #expect(notices.contains { $0.contains("no refresh token") } != hasOne)
    #expect(home.sink.results[1]?["renews"] == (hasOne ? true : nil))
  }

  @Test(arguments: [true, false])
  func `tells how to get a refresh token where the session ends without one, and not where its token is kept`(
    isKept: Bool
  ) throws {
    home.daemon.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])]
    try home.begin("work", 1) {
      $0.scope = ["read"]
      $0.settings.keepsAccessToken = isKept
    }
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[1] != nil)
    let notices: [String] = (home.sink.events[1] ?? []).compactMap {
      if case .notice(let text) = $0 { text.english } else { nil }
    }
    #expect(notices.contains { $0.contains("is kept until the server refuses it") } == isKept)
    #expect(notices.contains { $0.contains("many servers issue a refresh token only with this scope") } != isKept)
    #expect(home.sink.results[1]?["renews"] == nil)
  }

  // As GitHub does for OAuth apps.
  @Test(arguments: [true, false])
  func `tells until when it lasts, and that a token that has no end is not kept`(isEphemeral: Bool) throws {
    home.daemon.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer"])]
    try home.begin("work", 1) {
      $0.scope = ["read"]
      $0.isEphemeral = isEphemeral
    }
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[1] != nil)
    #expect(home.notices(1).contains { $0.hasSuffix("this session lasts until agentd stops") })
    #expect(home.sink.results[1]?["not_kept"] == (isEphemeral ? nil : true))
  }

  @Test func `gives way to another one for the same account, and to no other`() throws {
    try home.begin("work", 1)
    try home.begin("mail", 2)
    try home.begin("work", 3)
    #expect(home.sink.failures[1]?.code == .cancelled)
    #expect(home.sink.failures[2] == nil && home.sink.failures[3] == nil)
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1"), .tokens("at-2", refresh: "rt-2")]
    home.daemon.pass(seconds: 5)
    #expect(home.sink.results.keys.sorted() == [2, 3])
  }

  @Test func `keeps its account from changing under it`() throws {
    try home.begin("work", 1)
    #expect(!home.isFree("work"))
    #expect(home.isFree("mail"))
  }

  @Test(arguments: [true, false])
  func `ends at the sign-out of its account, and when the daemon does`(isSignOut: Bool) throws {
    try home.begin("work", 1)
    if isSignOut { home.signIns.endUnapproved(of: try AccountName("work")) } else { home.signIns.stop() }
    #expect(home.sink.failures[1]?.code == .cancelled)
    home.daemon.pass(seconds: 5)
    #expect(home.polls == 0)
  }

  @Test func `ends at a lock of what it would be stored behind, and at no other`() throws {
    try home.begin("work", 1)
    home.signIns.endUnapproved(at: [.passphrase, .tpm2])
    #expect(home.sink.failures[1] == nil)
    home.signIns.endUnapproved(at: [.device])
    #expect(home.sink.failures[1]?.code == .locked)
  }
}

@Suite struct `How a sign-in goes` {
  private let home: SignInHome

  init() throws { home = try SignInHome() }

  // A server cannot be required to support something unknown to it.
  @Test func `is not by code where the person demands what a code cannot carry`() throws {
    try home.begin("work", 1) { $0.requirements.loginHint = "alice" }
    #expect(home.sink.failures[1]?.code == .invalidRequest)
    #expect(home.roles(.deviceAuthorization) == 0 && home.isFree("work"))
  }

  @Test func `takes no port for a code`() throws {
    let squatter = try UnixSocket.listenLoopback(port: 0)
    let place = "http://127.0.0.1:\(try UnixSocket.localPort(squatter))/cb"
    try home.begin("work", 1) { $0.settings.redirectURI = place }
    #expect(home.code(1) == "WDJB-MJHT", "\(home.sink.failures)")
    try home.begin("mail", 2) { ($0.flow, $0.settings.redirectURI) = (.browser, place) }
    #expect(home.sink.failures[2] != nil, "another program listens there")
  }

  @Test(arguments: [false, true])
  func `is by code at a service that wants a secret for the browser, unless the secret is there`(
    hasSecret: Bool
  ) throws {
    try home.begin("github", 1, passed: hasSecret ? ["s"] : []) {
      ($0.issuer, $0.flow, $0.canOpenBrowser) = (nil, nil, true)
      if hasSecret { $0.passedSecrets = [.clientSecret] }
    }
    #expect((home.code(1) != nil) == !hasSecret, "\(home.sink.failures)")
    #expect((home.browser(1) != nil) == hasSecret)
  }

  // A registered port used by another program is not ours at another address either (RFC 8252 section 8.3).
  @Test func `is at a new port of a new client where another program has taken the one that was registered`() throws {
    home.announce(["registration_endpoint": "https://as.example/register"])
    home.daemon.http.documents["https://as.example/register"] = ["client_id": "c-1"]
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1) { ($0.clientID, $0.registersClient, $0.flow) = (nil, true, .browser) }
    let first = try #require(home.browser(1), "\(home.sink.failures)")
    let state = try #require(first.url.split(separator: "&").first { $0.hasPrefix("state=") })
    try home.paste(first.loginID, "\(first.redirectURI)?code=c-1&\(state)")
    home.daemon.runJobs()
    #expect(try home.daemon.storedToken("work") == "rt-1", "\(home.sink.failures)")
    let port = try #require(
      first.redirectURI.split(separator: "/")[1].split(separator: ":").last.flatMap { UInt16($0) })
    // If this fails, another program was faster.
    let squatter = try? SharedDescriptor(UnixSocket.listenLoopback(port: port))
    defer { withExtendedLifetime(squatter) {} }
    home.daemon.http.documents["https://as.example/register"] = ["client_id": "c-2"]
    try home.begin("work", 2) { ($0.clientID, $0.flow) = (nil, .browser) }
    let second = try #require(home.browser(2), "\(home.sink.failures)")
    #expect(second.clientID == "c-2" && second.redirectURI.hasPrefix("http://127.0.0.1:"))
    #expect(second.redirectURI != first.redirectURI)
  }

  // RFC 7591 section 2: users recognize the device in the server's list of clients.
  @Test func `registers a client that is named after the machine`() throws {
    home.announce(["registration_endpoint": "https://as.example/register"])
    home.daemon.http.documents["https://as.example/register"] = ["client_id": "c-1"]
    try home.begin("work", 1) { ($0.clientID, $0.registersClient) = (nil, true) }
    let asked = try JSON(parsing: Array(try #require(home.daemon.http.registrations.first).utf8))
    #expect(asked["client_name"]?.string == "agent on \(TerminalText.clean(Machine.hostName(), limit: 64))")
  }

  // RFC 7592 section 2.3: the client is no longer used.
  @Test func `leaves no client at the server where it is given up while a code is asked for`() throws {
    let place = "https://as.example/register/c-1"
    home.announce(["registration_endpoint": "https://as.example/register"])
    home.daemon.http.documents["https://as.example/register"] = [
      "client_id": "c-1", "registration_client_uri": .string(place), "registration_access_token": "rat-1",
    ]
    try home.begin("work", 1, runs: false) { ($0.clientID, $0.registersClient) = (nil, true) }
    try home.daemon.wait { home.roles(.deviceAuthorization) == 1 }
    home.signIns.abandon(.number(1))
    #expect(home.roles(.registration) == 1)
    home.daemon.runJobs()
    #expect(home.roles(.registration) == 2 && home.code(1) == nil, "it is deleted")
  }

  @Test func `listens for no browser where its sender is gone before it is told of the client`() throws {
    home.announce(["registration_endpoint": "https://as.example/register"])
    home.daemon.http.documents["https://as.example/register"] = ["client_id": "c-1"]
    home.sink.whileSending = { [signIns = home.signIns] in signIns.abandon(.number(1)) }
    try home.begin("work", 1) { ($0.clientID, $0.registersClient, $0.flow) = (nil, true, .browser) }
    #expect(home.sink.events[1]?.count == 1, "\(home.sink.failures)")
    #expect(home.signIns.redirects == nil && home.signIns.logins.isEmpty)
  }

  @Test func `is refused by browser at a service that wants a secret for it, where there is none`() throws {
    try home.begin("github", 1) { ($0.issuer, $0.flow) = (nil, .browser) }
    #expect(home.sink.failures[1]?.code == .clientNeeded && home.sink.failures[1]?.needsClientSecret == true)
    #expect(home.browser(1) == nil)
  }

  @Test(arguments: [false, true])
  func `has a QR code where the client can show one`(isWanted: Bool) throws {
    try home.begin("work", 1) { $0.wantsQRCode = isWanted }
    #expect(home.code(1) != nil)
    #expect(home.sink.events[1]?.contains { if case .qrCode = $0 { true } else { false } } == isWanted)
  }
}

@Suite struct `A sign-in to what may be locked` {
  private let daemon: DaemonHome
  private let parts: DaemonParts

  init() throws {
    daemon = try DaemonHome()
    parts = try DaemonParts(daemon.context)
    try daemon.createPassphrase(parts.vault, 10)
    try daemon.add("work", protection: .passphrase)
  }

  private func begin(_ number: Int) throws {
    var request = LoginRequest()
    (request.account, request.flow) = ("work", .device)
    try parts.signIns.login(request, .number(number), passed: [])
  }

  // The user is not asked to approve a session that could not be stored.
  @Test func `shows nothing where the lock came while the server was asked`() throws {
    try begin(1)
    try daemon.wait { daemon.http.roles.contains(.deviceAuthorization) }
    daemon.services.vault.lock()
    daemon.runJobs()
    #expect(daemon.sink.failures[1]?.code == .locked)
    #expect(daemon.sink.events[1] == nil)
    daemon.pass(seconds: 10)
    #expect(!daemon.http.roles.contains(.token))
  }
}

@Suite struct `A sign-in without a person` {
  private let home: SignInHome

  init() throws {
    home = try SignInHome()
    home.daemon.http.answers = [.json(["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])]
  }

  private func beginAsGuest(_ number: Int) throws {
    try home.begin("work", number, passed: ["s"]) {
      ($0.flow, $0.isGuest, $0.passedSecrets) = (nil, true, [.clientSecret])
    }
  }

  @Test func `is told to have been one by the sign-in of a person that follows`() throws {
    try beginAsGuest(1)
    let guest = try #require(home.sink.results[1], "\(home.sink.failures)")
    #expect(guest["account"] == "work" && guest["upgraded_from_guest"] == nil)
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-2"), .tokens("at-3", refresh: "rt-3")]
    for (number, wasGuest) in [(2, JSON?.some(true)), (3, nil)] {
      try home.begin("work", number)
      home.daemon.pass(seconds: 5)
      let person = try #require(home.sink.results[number], "\(home.sink.failures)")
      #expect(person["upgraded_from_guest"] == wasGuest)
    }
  }

  @Test func `is published as a guest's, and as no longer one's`() throws {
    try beginAsGuest(1)
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-2")]
    try home.begin("work", 2)
    home.daemon.pass(seconds: 5)
    let signIns = home.daemon.published.filter { $0.name == .signedIn }
    #expect(signIns.map(\.isGuest) == [true, false] && signIns.map(\.wasGuest) == [false, true])
  }

  @Test func `is revoked when a person signs in to the account`() throws {
    try beginAsGuest(1)
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-2")]
    try home.begin("work", 2)
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[2]?["upgraded_from_guest"] == true, "\(home.sink.failures)")
    #expect(home.daemon.http.revoked == ["at-1"])
    #expect(!home.notices(2).contains { $0.hasPrefix("the guest's access token") })
    #expect(try home.daemon.storedToken("work") == "rt-2")
  }

  @Test func `is said to live on where the server revokes nothing`() throws {
    var metadata = PlayedServer.metadata
    metadata["revocation_endpoint"] = nil
    for name in ["openid-configuration", "oauth-authorization-server"] {
      home.daemon.http.documents["https://as.example/.well-known/\(name)"] = metadata
    }
    try beginAsGuest(1)
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-2")]
    try home.begin("work", 2)
    home.daemon.pass(seconds: 5)
    try #require(home.sink.results[2]?["upgraded_from_guest"] == true, "\(home.sink.failures)")
    let notice = "the guest's access token was not revoked: the server may accept it until it expires"
    #expect(home.notices(2).contains(notice) && home.roles(.revocation) == 0)
  }

  @Test func `is by what its connection has handed over`() throws {
    try home.handOver(["GITLAB_OIDC_TOKEN": home.assertion()], 1)
    try home.begin("work", 1) { ($0.flow, $0.settings.assertionFrom) = (nil, .gitLabCI) }
    #expect(home.sink.results[1]?["account"] == "work", "\(home.sink.failures)")
    #expect(home.polls == 1 && home.notices(1) == [])
  }

  @Test func `is not begun before its variables are there, so that it can be made again`() throws {
    let failure = #expect(throws: Failure.self) {
      try home.begin("work", 1) { ($0.flow, $0.settings.assertionFrom) = (nil, .gitLabCI) }
    }
    #expect(failure?.code == .assertionNeeded && failure?.variables == ["GITLAB_OIDC_TOKEN"])
    #expect(home.isFree("work") && home.polls == 0)
  }

  // The sign-in needs no user, so there is nothing to cancel.
  @Test func `is finished, though whoever began it goes`() throws {
    home.daemon.http.isHeld = true
    try home.handOver(["GITLAB_OIDC_TOKEN": home.assertion()], 1)
    try home.begin("work", 1, runs: false) { ($0.flow, $0.settings.assertionFrom) = (nil, .gitLabCI) }
    home.daemon.http.awaitRequests(1)
    home.signIns.abandon(.number(1))
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(home.session("work")?.grant != nil)
    #expect(try home.daemon.settings.current()[AccountName("work")] != nil)
  }

  @Test func `says that it is good once, where its assertion is`() throws {
    try home.begin("work", 1, passed: [home.assertion()]) { ($0.flow, $0.passedSecrets) = (nil, [.assertion]) }
    #expect(home.sink.results[1]?["account"] == "work", "\(home.sink.failures)")
    #expect(home.notices(1) == ["the assertion cannot be used again: this session ends with its access token"])
  }
}

@Suite struct `A sign-in in the background` {
  private let home: SignInHome
  private let login: String

  init() throws {
    home = try SignInHome()
    try home.begin("work", 1) { $0.isDetached = true }
    login = home.sink.results[1]?["login"]?.string ?? ""
  }

  @Test func `answers as soon as a person can act`() {
    #expect(home.sink.results[1]?["state"] == "waiting")
    #expect(home.sink.results[1]?["expires_at"] == .int(home.daemon.time.wallSeconds() + 300))
    #expect(home.code(1) == "WDJB-MJHT")
  }

  @Test func `goes on when whoever began it has gone, and keeps its result for ten minutes`() throws {
    home.signIns.abandon(.number(1))
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    home.daemon.pass(seconds: 5)
    #expect(try home.daemon.storedToken("work") == "rt-1")
    home.daemon.time.advance(seconds: 600)
    try home.resume(login, 2)
    #expect(home.sink.results[2]?["account"] == "work")
    home.daemon.time.advance(seconds: 1)
    #expect(throws: Failure.self) { try home.resume(login, 3) }
  }

  @Test func `shows whoever resumes it what to do, and then the result`() throws {
    try home.resume(login, 2)
    #expect(home.code(2) == "WDJB-MJHT")
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    home.daemon.pass(seconds: 5)
    #expect(home.sink.results[2]?["account"] == "work")
  }

  @Test func `tells its state to who does not wait`() throws {
    try home.resume(login, 2, waits: false)
    #expect(home.sink.results[2]?["state"] == "waiting")
  }

  @Test func `has one who waits, the last to ask`() throws {
    try home.resume(login, 2)
    try home.resume(login, 3)
    #expect(home.sink.failures[2]?.code == .cancelled)
    // The sign-in continues after that request ends.
    home.signIns.abandon(.number(3))
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    home.daemon.pass(seconds: 5)
    #expect(try home.daemon.storedToken("work") == "rt-1")
  }

  // Many sign-ins must not fill the daemon's memory.
  @Test func `is remembered as one of the last 32 that ended`() throws {
    let names =
      [login]
      + (2...33).map { number in
        #expect(throws: Never.self) { try home.begin("account-\(number)", number) { $0.isDetached = true } }
        return home.sink.results[number]?["login"]?.string ?? ""
      }
    for account in ["work"] + (2...33).map({ "account-\($0)" }) {
      home.signIns.endUnapproved(of: try AccountName(account))
    }
    #expect(throws: Failure.self) { try home.resume(names[0], 100) }
    for (number, name) in names.enumerated().dropFirst() {
      try home.resume(name, 100 + number)
      #expect(home.sink.failures[100 + number]?.code == .cancelled)
    }
  }

  @Test func `is known by its whole name only`() {
    #expect(throws: Failure.self) { try home.resume(String(login.dropLast()), 2) }
    #expect(throws: Failure.self) { try home.resume("", 2) }
  }
}

@Suite struct `A sign-in where the server refuses codes` {
  private let home: SignInHome

  init() throws {
    home = try SignInHome()
    home.daemon.http.refusesCodes = true
    try home.begin("work", 1) { $0.flow = nil }
    #expect(home.sink.failures[1]?.code == .clientRejected)
    #expect(home.sink.failures[1]?.hint?.contains("--paste") == true)
  }

  /// Signs in with a browser elsewhere.
  private func signIn(_ number: Int) throws {
    let event = try #require(home.browser(number))
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.paste(event.loginID, "\(event.redirectURI)?code=c-1&\(state)")
    home.daemon.runJobs()
    #expect(home.sink.results[number]?["account"] == "work")
  }

  private var record: AccountRecord? {
    get throws { try home.daemon.services.record(of: AccountName("work")) }
  }

  @Test func `is followed by one with a browser, also once the daemon has forgotten it`() throws {
    try home.begin("work", 2) { $0.flow = nil }
    try signIn(2)
    #expect(try record?.isDeviceGrantRefused == true)
    try home.begin("work", 3) { $0.flow = nil }
    try signIn(3)
    #expect(home.roles(.deviceAuthorization) == 1)
    #expect(try record?.isDeviceGrantRefused == true)
  }

  @Test func `is forgotten for another client`() throws {
    try home.begin("work", 2) { $0.flow = nil }
    try signIn(2)
    try home.begin("work", 3) { ($0.flow, $0.clientID) = (nil, "other") }
    #expect(home.roles(.deviceAuthorization) == 2)
  }

  @Test func `is forgotten once a code that the user asks for works`() throws {
    try home.begin("work", 2) { $0.flow = nil }
    try signIn(2)
    home.daemon.http.refusesCodes = false
    home.daemon.http.answers = [.tokens("at-2", refresh: "rt-2")]
    try home.begin("work", 3)
    home.daemon.pass(seconds: 5)
    #expect(home.sink.results[3]?["account"] == "work")
    #expect(try record?.isDeviceGrantRefused == false)
  }
}

@Suite struct `A sign-in by address` {
  private let home: SignInHome
  private let event: Event.Browser

  init() throws {
    home = try SignInHome()
    try home.begin("work", 1) { $0.flow = .paste }
    event = try #require(
      home.sink.events[1]?.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first)
  }

  /// The redirect URL of the response.
  private func answer(_ parameters: String) throws -> String {
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    return "\(event.redirectURI)?\(parameters)&\(state)"
  }

  @Test func `goes on waiting after what is no answer of its own`() throws {
    for url in ["\(event.redirectURI)?code=c-1&state=theirs", "https://elsewhere.example/?code=c-1", "nonsense"] {
      #expect(throws: Failure.self) { try home.paste(event.loginID, url) }
    }
    #expect(home.polls == 0)
    #expect(home.sink.failures[1] == nil)
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.paste(event.loginID, answer("code=c-1"))
    home.daemon.runJobs()
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(try home.daemon.storedToken("work") == "rt-1")
  }

  // RFC 6749 section 4.1.2: a code is single-use.
  @Test func `takes its answer once`() throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.paste(event.loginID, answer("code=c-1"))
    #expect(throws: Failure.self) { try home.paste(event.loginID, answer("code=c-1")) }
    home.daemon.runJobs()
    #expect(throws: Failure.self) { try home.paste(event.loginID, answer("code=c-1")) }
    #expect(home.polls == 1)
  }

  // Its result was sent to the request that began it.
  @Test func `cannot be resumed after its end`() throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.paste(event.loginID, answer("code=c-1"))
    home.daemon.runJobs()
    #expect(home.sink.results[1]?["account"] == "work")
    try home.daemon.add("other")
    _ = try home.daemon.settings.change { (settings) throws(ConfigurationError) in
      settings.activate(try! AccountName("other"))
    }
    home.daemon.context.files.poll()
    let failure = #expect(throws: Failure.self) { try home.resume(event.loginID, 2) }
    #expect(failure?.code == .unknownLogin && failure?.hint == "agent login work --start")
    #expect(home.sink.results[2] == nil)
    // The account of an unknown sign-in is unknown.
    let unknown = #expect(throws: Failure.self) { try home.resume("0f", 3) }
    #expect(unknown?.hint == "agent login work --start or agent login other --start")
  }

  // A refusal must not be mistaken for the result of the waiting request.
  @Test func `takes its answer beside the request that waits for it, and beside no other`() throws {
    func taken(_ url: String, _ number: Int) -> Bool {
      home.signIns.handleFollowUp(
        .loginStep(.redirect(loginID: event.loginID, url: url)), .number(number))
    }
    let right = try answer("code=c-1")
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    #expect(!taken(right, 2))
    home.daemon.runJobs()
    #expect(home.polls == 0 && home.sink.events[2] == nil)
    #expect(taken("nonsense", 1))
    guard case .redirectRefused(let failure)? = home.sink.events[1]?.last else {
      Issue.record("\(home.sink.events)")
      return
    }
    #expect(failure.code == .redirectRejected)
    #expect(taken(right, 1))
    home.daemon.runJobs()
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(!taken(right, 1), "it has ended")
  }

  @Test func `ends with the error that the server answers`() throws {
    try home.paste(event.loginID, answer("error=access_denied"))
    #expect(home.sink.failures[1] != nil)
    #expect(home.isFree("work"))
    #expect(home.polls == 0)
  }

  @Test func `takes no answer after its end, and keeps nothing of an account that was new`() throws {
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.paste(event.loginID, answer("error=access_denied"))
    #expect(home.sink.failures[1]?.code == .accessDenied)
    #expect(home.sink.failures[1]?.hint == "agent login work --issuer https://as.example --client-id cli --paste")
    #expect(throws: Failure.self) { try home.paste(event.loginID, answer("code=c-1")) }
    home.daemon.runJobs()
    #expect(home.polls == 0)
    #expect(try home.daemon.settings.current().accounts.isEmpty)
  }

  @Test func `ends when its time is over`() throws {
    home.daemon.pass(seconds: SessionServices.browserSignInSeconds - 1)
    #expect(home.sink.failures[1] == nil)
    home.daemon.pass(seconds: 1)
    #expect(home.sink.failures[1]?.code == .codeExpired)
    #expect(throws: Failure.self) { try home.paste(event.loginID, answer("code=c-1")) }
  }
}

@Suite struct `A sign-in whose answer another machine receives` {
  @Test(arguments: [(nil, 40_000), ("http://127.0.0.1:8400/cb", 8400), ("http://localhost/cb", 40_000)])
  func `has the port of that machine, unless one is registered, and waits for the address`(
    redirectURI: String?, port: Int
  ) throws {
    let home = try SignInHome()
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1) {
      ($0.flow, $0.canOpenBrowser, $0.redirectPort, $0.redirectURI) = (nil, true, 40_000, redirectURI)
    }
    let event = try #require(
      home.sink.events[1]?.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first)
    #expect(event.mustPaste && event.redirectURI.contains(":\(port)/") && event.linkURL == nil)
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    try home.paste(event.loginID, "\(event.redirectURI)?code=c-1&\(state)")
    home.daemon.runJobs()
    #expect(home.sink.results[1]?["account"] == "work")
  }
}

@Suite struct `A sign-in that a browser answers` {
  private let home: SignInHome
  private let event: Event.Browser

  init() throws {
    home = try SignInHome()
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1) { $0.flow = .browser }
    event = try #require(
      home.sink.events[1]?.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first)
  }

  private var port: UInt16 {
    get throws {
      try #require(event.redirectURI.split(separator: "/")[1].split(separator: ":").last.flatMap { UInt16($0) })
    }
  }

  /// The page for a response with this sign-in's state.
  private func redirect(_ query: String = "code=c-1", isFromOwnUser: Bool = true) throws -> LoopbackPage? {
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    let id = try #require(home.signIns.logins.keys.first)
    let query = Array("\(query)&\(state)".utf8)
    return home.signIns.handleRedirect(id, query: query.span, isFromOwnUser: isFromOwnUser)
  }

  // The server may ignore the scope, so it is not refused.
  @Test func `tells before it asks the person that an ID Token could not be verified`() throws {
    try home.begin("mail", 2) { ($0.flow, $0.scope) = (.browser, ["openid"]) }
    guard let events = home.sink.events[2], events.count == 2, case .notice(let text) = events[0],
      case .browser = events[1]
    else {
      Issue.record("\(home.sink.events)")
      return
    }
    let told = "the server publishes no keys to verify an ID Token, so the sign-in fails if it sends one: "
    #expect(text.english == told + "set the URL of its keys with --jwks-uri, or remove openid from --scope")
  }

  // RFC 8252 section 8.3; RFC 6749 section 4.1.2.
  @Test func `listens until its answer comes, and takes that once`() throws {
    _ = try UnixSocket.connectLoopback(port: port)
    home.daemon.http.isHeld = true
    #expect(try redirect() == nil)
    #expect(throws: SystemError.self) { _ = try UnixSocket.connectLoopback(port: port) }
    #expect(try redirect() == .foreign)
    home.daemon.http.isHeld = false
    home.daemon.runJobs()
    #expect(home.polls == 1)
    #expect(try home.daemon.storedToken("work") == "rt-1")
  }

  @Test func `stops listening as soon as the server refused it, and keeps nothing of an account that was new`() throws {
    _ = try UnixSocket.connectLoopback(port: port)
    let page = try redirect("error=access_denied&error_description=the%20user%20said%20no")
    #expect(throws: SystemError.self) { _ = try UnixSocket.connectLoopback(port: port) }
    home.daemon.runJobs()
    let failure = try #require(home.sink.failures[1])
    #expect(failure.code == .accessDenied)
    #expect(page == .failed(failure.text) && failure.message == "sign-in was denied (server: the user said no)")
    #expect(try home.daemon.settings.current().accounts.isEmpty)
  }

  @Test(arguments: [
    ("error=login_required", "login_required"), ("error=server_error", "server_error"),
    ("code=c-1&iss=https%3A%2F%2Fevil.example", "evil.example"),
  ]) func `shows the reason of a failed redirect to its own user only`(query: String, word: String) throws {
    guard case .failed(let reason?)? = try redirect(query) else {
      Issue.record("no reason")
      return
    }
    #expect(home.sink.failures[1]?.message == reason.english && reason.english.contains(word), "\(reason.english)")
    let other = try Self()
    #expect(try other.redirect(query, isFromOwnUser: false) == .failed())
  }

  @Test func `logs and reports once that another answer than its own came`() throws {
    let id = try #require(home.signIns.logins.keys.first)
    for _ in 0..<3 {
      let query = Array("code=c-1&state=other".utf8)
      #expect(home.signIns.handleRedirect(id, query: query.span, isFromOwnUser: true) == .foreign)
      home.signIns.handleForeignRedirect(id, query: query.span)
    }
    let events = home.daemon.context.log.json["events"]?.array ?? []
    #expect(events.filter { $0["event"] == "redirect_foreign" }.count == 1)
    let notices = (home.sink.events[1] ?? []).compactMap {
      if case .notice(let text) = $0 { text.english } else { nil }
    }
    #expect(notices.count == 1 && notices[0].hasPrefix("the browser sent the response of another sign-in"))
    #expect(!notices.joined().contains("other&") && !notices.joined().contains("c-1"))
  }

  @Test func `stops listening when its time is over`() throws {
    _ = try UnixSocket.connectLoopback(port: port)
    home.daemon.pass(seconds: SessionServices.browserSignInSeconds)
    #expect(home.sink.failures[1]?.code == .codeExpired)
    #expect(throws: SystemError.self) { _ = try UnixSocket.connectLoopback(port: port) }
  }

  @Test func `stops listening when whoever began it goes`() throws {
    _ = try UnixSocket.connectLoopback(port: port)
    home.signIns.abandon(.number(1))
    #expect(throws: SystemError.self) { _ = try UnixSocket.connectLoopback(port: port) }
  }

  // RFC 9700 section 4.11: a URL from a request is never a redirect target.
  @Test func `leads by its link to the authorization endpoint, once`() throws {
    let id = try #require(home.signIns.logins.keys.first)
    try #require(event.linkURL != nil)
    #expect(home.signIns.openLink(id, isFromOwnUser: true) == event.url)
    #expect(event.url.hasPrefix("https://as.example/authorize?"))
    #expect(home.signIns.openLink(id, isFromOwnUser: true) == nil)
  }
}

@Suite struct `A sign-in whose browser may be another user's` {
  private let home: SignInHome
  private let event: Event.Browser

  init() throws {
    home = try SignInHome()
    home.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try home.begin("work", 1) { $0.flow = .browser }
    event = try #require(
      home.sink.events[1]?.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first)
  }

  /// The response arrives at the redirect URL.
  private func redirect(isFromOwnUser: Bool) throws {
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    let id = try #require(home.signIns.logins.keys.first)
    #expect(
      home.signIns.handleRedirect(id, query: Array("code=c-1&\(state)".utf8).span, isFromOwnUser: isFromOwnUser)
        == (isFromOwnUser ? nil : .received))
    home.daemon.runJobs()
  }

  private var question: Event.Confirm? {
    home.sink.events[1]?.compactMap { if case .confirm(let event) = $0 { event } else { nil } }.first
  }

  private func answer(_ isConfirmed: Bool, login: String? = nil) throws(Failure) {
    _ = try home.signIns.confirm(login ?? event.loginID, isConfirmed: isConfirmed)
    home.daemon.runJobs()
  }

  @Test func `is stored once the person says who it is, and not before`() throws {
    try redirect(isFromOwnUser: false)
    #expect(question?.loginID == event.loginID && question?.issuer == "https://as.example")
    #expect(try home.daemon.storedToken("work") == nil)
    #expect(try home.daemon.settings.current()[AccountName("work")] == nil)
    #expect(home.sink.results[1] == nil)
    #expect(throws: Failure.self) { try answer(true, login: "0f") }
    #expect(throws: Failure.self) { try home.paste(event.loginID, event.redirectURI + "?code=c-1") }
    try answer(true)
    #expect(home.sink.results[1]?["account"] == "work")
    #expect(try home.daemon.storedToken("work") == "rt-1")
    #expect(throws: Failure.self, "once") { try answer(true) }
    #expect(home.roles(.revocation) == 0)
  }

  // No confirmation is wasted.
  @Test func `is finished once the person has said yes, though whoever began it goes`() throws {
    try redirect(isFromOwnUser: false)
    _ = try home.signIns.confirm(event.loginID, isConfirmed: true)
    home.signIns.abandon(.number(1))
    home.daemon.runJobs()
    #expect(try home.daemon.storedToken("work") == "rt-1")
    #expect(home.isFree("work") && home.signIns.logins.isEmpty)
    #expect(home.session("work")?.grant != nil)
    #expect(home.roles(.revocation) == 0)
  }

  @Test func `is revoked when the person says no`() throws {
    try redirect(isFromOwnUser: false)
    try answer(false)
    #expect(home.sink.failures[1]?.code == .accessDenied)
    #expect(try home.daemon.storedToken("work") == nil)
    #expect(home.roles(.revocation) == 1 && home.isFree("work"))
  }

  @Test func `is revoked when nobody answers, or whoever began it goes`() throws {
    try redirect(isFromOwnUser: false)
    home.daemon.pass(seconds: SessionServices.browserSignInSeconds)
    #expect(home.sink.failures[1]?.code == .codeExpired)
    #expect(home.roles(.revocation) == 1)
    let other = try SignInHome()
    other.daemon.http.answers = [.tokens("at-1", refresh: "rt-1")]
    try other.begin("work", 1) { $0.flow = .browser }
    guard case .browser(let event)? = other.sink.events[1]?.last else { return #expect(Bool(false)) }
    let state = try #require(event.url.split(separator: "&").first { $0.hasPrefix("state=") })
    let id = try #require(other.signIns.logins.keys.first)
    // The link was already opened by an unknown process.
    #expect(other.signIns.openLink(id, isFromOwnUser: false) == event.url)
    _ = other.signIns.handleRedirect(id, query: Array("code=c-1&\(state)".utf8).span, isFromOwnUser: true)
    other.daemon.runJobs()
    other.signIns.abandon(.number(1))
    other.daemon.runJobs()
    #expect(try other.daemon.storedToken("work") == nil)
    #expect(other.roles(.revocation) == 1)
  }

  @Test func `cannot be confirmed after its time`() throws {
    try redirect(isFromOwnUser: false)
    home.daemon.time.advance(seconds: SessionServices.browserSignInSeconds)
    home.sink.runDue()
    try home.daemon.takeResult()
    try? answer(true)
    home.daemon.runJobs()
    #expect(home.sink.results[1] == nil && home.sink.failures[1]?.code == .codeExpired)
    #expect(try home.daemon.storedToken("work") == nil)
    #expect(home.roles(.revocation) == 1)
  }

  @Test func `is told in the log once, however often the other user comes`() throws {
    let id = try #require(home.signIns.logins.keys.first)
    for _ in 1...3 { home.signIns.handleOtherUser(id, user: 4711) }
    let events = home.daemon.context.log.entries.elements
    #expect(events.filter { $0.event == .peerDropped(.otherUser) }.map(\.account) == ["work"])
  }

  @Test func `is asked about by nobody when it is told`() throws {
    try redirect(isFromOwnUser: true)
    #expect(question == nil)
    #expect(try home.daemon.storedToken("work") == "rt-1")
  }
}

@Suite struct `A sign-in by the word of another account` {
  @Test func `tells why there is no such word`() throws {
    let home = try SignInHome()
    try home.begin("work", 1) {
      $0.flow = nil
      $0.settings.assertionAccount = "person"
    }
    #expect(home.sink.failures[1]?.code == .noAccount, "\(String(describing: home.sink.failures[1]))")
    #expect(home.signIns.logins.isEmpty && home.polls == 0)
  }
}

/// A daemon without accounts.
private final class SignInHome {
  let daemon: DaemonHome
  let signIns: SignIns

  private let broker: TokenBroker
  let lock: VaultLock

  init() throws {
    daemon = try DaemonHome()
    lock = VaultLock(daemon.context)
    broker = TokenBroker(daemon.context, lock: lock)
    signIns = SignIns(daemon.context, broker)
  }

  var sink: RecordedReplies { daemon.sink }

  /// Begins a sign-in, by code unless `edit` changes that, until the user is asked.
  ///
  /// - Parameter runs: Whether the jobs run; otherwise they are only started.
  func begin(
    _ account: String, _ number: Int, passed secrets: [String] = [], runs: Bool = true,
    edit: (inout LoginRequest) -> Void = { _ in }
  ) throws {
    var request = LoginRequest()
    request.account = account
    request.issuer = "https://as.example"
    request.clientID = "cli"
    request.flow = .device
    edit(&request)
    let passed = try secrets.map { SharedDescriptor(try FileDescriptor.inMemory(Array($0.utf8).span)) }
    try signIns.login(request, .number(number), passed: passed)
    if runs { daemon.runJobs() }
  }

  /// Adds members to the server's metadata.
  func announce(_ members: [String: JSON]) {
    var metadata = PlayedServer.metadata
    for (name, value) in members { metadata[name] = value }
    for name in ["openid-configuration", "oauth-authorization-server"] {
      daemon.http.documents["https://as.example/.well-known/\(name)"] = metadata
    }
  }

  /// Passes variables for the connection of a request.
  func handOver(_ values: [String: String], _ number: Int) throws {
    let passed = try values.values.map { SharedDescriptor(try FileDescriptor.inMemory(Array($0.utf8).span)) }
    try broker.passedVariables.read(VariablesRequest(names: Array(values.keys)), .number(number), passed: passed)
    daemon.runJobs()
  }

  /// A job's assertion for the server of all accounts.
  func assertion() -> String {
    let claims: JSONObject = [
      "iss": "https://gitlab.example", "sub": "job-7", "aud": "https://as.example",
      "exp": .int(daemon.time.wallSeconds() + 600),
    ]
    return ([["alg": "ES256"], JSON.object(claims)].map { Base64URL.encode($0.serialized()) } + ["c2ln"])
      .joined(separator: ".")
  }

  /// The notices sent to a request.
  func notices(_ number: Int) -> [String] {
    sink.events[number]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } } ?? []
  }

  func browser(_ number: Int) -> Event.Browser? {
    sink.events[number]?.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first
  }

  func resume(_ login: String, _ number: Int, waits: Bool = true) throws(Failure) {
    try signIns.resume(login, waits: waits, .number(number))
  }

  func paste(_ login: String, _ url: String) throws(Failure) {
    _ = try signIns.handlePastedRedirect(login, url)
  }

  func code(_ number: Int) -> String? {
    sink.events[number]?.compactMap { if case .deviceCode(let code) = $0 { code.userCode } else { nil } }.first
  }

  func session(_ account: String) -> Session? {
    (try? AccountName(account)).flatMap { broker.accounts[$0]?.ownSlot.session }
  }

  func roles(_ role: EndpointRole) -> Int { daemon.http.roles.count { $0 == role } }

  /// The number of token requests.
  var polls: Int { roles(.token) }

  /// Whether the account may be changed.
  func isFree(_ account: String) -> Bool {
    (try? AccountName(account)).map { (try? signIns.requireNoSignIn(to: $0)) != nil } ?? false
  }
}
