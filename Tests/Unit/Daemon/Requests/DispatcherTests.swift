import Encoding
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `A request to the daemon` {
  private let home: DaemonHome
  private let parts: DaemonParts
  private let dispatcher: Dispatcher

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 2)
    try home.add("mail")
    parts = try DaemonParts(home.context)
    dispatcher = Dispatcher(home.context, parts)
    home.runJobs()
  }

  private func send(
    _ request: Request, _ number: Int, timeout: Int? = nil, isVerbose: Bool = false, passed: [SharedDescriptor] = []
  ) {
    dispatcher.handle(
      RequestEnvelope(request, timeoutSeconds: timeout, verbose: isVerbose), .number(number), passed: passed)
  }

  @Test func `waits until the settings are read, if it is served by them`() {
    send(.state(.list), 1)
    send(.daemon(.log), 2)
    #expect(home.sink.results.keys.sorted() == [2])
    home.runJobs()
    #expect(home.sink.results.keys.sorted() == [1, 2])
  }

  @Test func `whose sender goes while the settings are read is not begun`() {
    send(.token(TokenRequest(account: "work")), 1)
    dispatcher.abandon(.number(1))
    home.runJobs()
    #expect(home.http.sent.isEmpty && home.sink.lines.isEmpty)
  }

  @Test func `has half a minute and the time that it waits for the server, or the time that it names`() {
    var token = TokenRequest(account: "work")
    token.waitSeconds = 60
    send(.state(.list), 1)
    send(.token(token), 2)
    send(.state(.list), 3, timeout: 7)
    send(.events(EventsRequest(follows: true)), 4)
    send(.events(EventsRequest(follows: false)), 5)
    send(.login(LoginRequest()), 6)
    send(.tokenFile(TokenFileRequest(account: "work")), 7)
    let usual = WireProtocol.defaultTimeoutSeconds
    let now = home.time.now()
    #expect(
      home.sink.deadlines.mapValues { Int(now.duration(to: $0).components.seconds) }
        == [1: usual, 2: usual + 60, 3: 7, 5: usual])
  }

  @Test func `sees the settings as another process has left them`() throws {
    try home.add("news")
    send(.state(.list), 1)
    home.runJobs()
    let names = home.sink.results[1]?["accounts"]?.array?.compactMap { $0["name"]?.string }
    #expect(names.map(Set.init) == ["mail", "news", "work"])
  }

  @Test func `that cannot be served at all is refused, and not left waiting`() throws {
    let call = CallRequest(account: "work", url: "https://api.example/", method: "NO METHOD")
    for (number, request) in [(1, Request.call(call)), (2, .verify(VerifyRequest()))] {
      send(request, number)
      home.runJobs()
      #expect(home.sink.failures[number]?.code == .invalidRequest)
    }
  }

  // A lock overrides earlier unlocks.
  @Test func `to unlock fails by a lock that comes while it waits for the settings`() throws {
    try home.createPassphrase(parts.vault, 10)
    let secret = SharedDescriptor(try FileDescriptor.inMemory(Array("open sesame".utf8).span))
    send(.vault(.unlock(.passphrase)), 1, passed: [secret])
    send(.state(.list), 2)
    send(.vault(.lock), 3)
    #expect(home.sink.failures.mapValues(\.code) == [1: .locked])
    home.runJobs()
    #expect(!home.services.vault.isUnlocked(.passphrase) && home.sink.results[1] == nil)
    #expect(home.sink.results[2] != nil && home.sink.results[3] != nil)
  }

  // The next prompt reads the change mark.
  @Test func `that changes an account has its result held until the change is marked, and no other has`() throws {
    send(.state(.use(account: "mail")), 1)
    send(.state(.list), 2)
    let result = Reply.result(JSONObject())
    home.context.log.publish(.locked, try AccountName("work"))
    #expect(parts.events.postpone(result, of: .number(9)), "a mark is being written")
    #expect(!dispatcher.postpone(result, of: .number(2)))
    #expect(dispatcher.postpone(result, of: .number(1)))
    dispatcher.didAnswer(.number(1))
    #expect(!dispatcher.postpone(result, of: .number(1)))
    send(.state(.use(account: "mail")), 3)
    dispatcher.abandon(.number(3))
    #expect(!dispatcher.postpone(result, of: .number(3)))
  }

  @Test func `is refused once the daemon stops, which ends all that goes on`() throws {
    send(.events(EventsRequest(follows: true)), 1)
    try home.beginSignIn(to: "new", parts.signIns, 2)
    dispatcher.stop()
    send(.state(.list), 3)
    home.runJobs()
    #expect(
      home.sink.failures[1]?.words == Failure.stopping.words && home.sink.failures[3]?.words == Failure.stopping.words)
    #expect(home.sink.failures[2]?.message == "the daemon is stopping")
    #expect(home.logged.contains(.stopping))
  }

  @Test func `to stop is kept for its answer, and a part of a body or an answer to a lease is none`() throws {
    #expect(dispatcher.isStopPermanent == nil)
    send(.daemon(.restart), 1)
    #expect(dispatcher.isStopPermanent == false)
    send(.daemon(.stop), 4)
    #expect(dispatcher.isStopPermanent == false && dispatcher.stopRequests == [.number(1), .number(4)])
    send(.resourceBody(ResourceBodyRequest(bytes: [1], isLast: true)), 2)
    send(.leaseAnswer(LeaseAnswerRequest(questionNumber: 1, isAllowed: true)), 3)
    home.runJobs()
    #expect(home.sink.failures.mapValues(\.code) == [2: .invalidRequest, 3: .invalidRequest])
  }

  @Test func `takes lines beside it where it is a sign-in, a lease or a request with a body in lines`() throws {
    try home.beginSignIn(to: "new", parts.signIns, 1)
    var call = CallRequest(account: "work", url: "https://api.example/", method: "POST", sendsBody: true)
    (call.isInline, call.sendsBodyInLines) = (true, true)
    send(.call(call), 2)
    try home.runJobs { parts.resources.expectsBody(.number(2)) }
    let part = Request.resourceBody(ResourceBodyRequest(bytes: [1], isLast: false))
    #expect(dispatcher.awaitsMore(.number(1)) && dispatcher.awaitsMore(.number(2)))
    #expect(!dispatcher.awaitsMore(.number(3)))
    #expect(dispatcher.handleFollowUp(part, .number(2)))
    #expect(!dispatcher.handleFollowUp(part, .number(1)))
    let answer = Request.leaseAnswer(LeaseAnswerRequest(questionNumber: 1, isAllowed: true))
    #expect(!dispatcher.handleFollowUp(answer, .number(1)) && !dispatcher.handleFollowUp(.state(.list), .number(2)))
    dispatcher.abandon(.number(1))
    dispatcher.abandon(.number(2))
    home.runJobs()
    #expect(!dispatcher.awaitsMore(.number(1)) && !dispatcher.awaitsMore(.number(2)))
  }

  /// The numbers of the requests that receive a step of an account.
  private func watchers(of account: String) throws -> [Int] {
    let entry = LogEntry(time: 0, account: account, event: .tokenExpired)
    return home.context.stepSubscribers.tickets(for: entry).map { Int($0.connection) }.sorted()
  }

  @Test func `that wants steps gets those of its account, or of all where it is about all`() throws {
    var placed = TokenRequest()
    placed.destination = TokenRequest.Destination(url: "https://api.example/")
    for (number, request) in [
      (1, Request.token(TokenRequest(account: "mail"))), (2, .token(TokenRequest())), (3, .state(.list)),
      (4, .logout(LogoutRequest(allAccounts: true))), (5, .logout(LogoutRequest(account: "mail"))),
      (6, .state(.whoami(account: "mail"))),
      (7, .call(CallRequest(url: "https://api.example/", method: "GET"))), (8, .state(.doctor(account: "mail"))),
      (9, .state(.doctor(account: nil))),
      (10, .state(.status(account: "mail"))), (11, .account(.show(account: "mail"))),
      (12, .discover(DiscoverRequest(url: "https://as.example"))), (13, .state(.use(account: "mail"))),
      (14, .tokenFile(TokenFileRequest(account: "mail"))), (15, .events(EventsRequest(account: "mail", follows: true))),
      (16, .forget(ForgetRequest(url: "https://api.example/"))), (17, .daemon(.log)),
      (18, .loginStep(.resume(loginID: "none", waits: true))), (19, .token(placed)),
    ] {
      dispatcher.beginSteps(of: request, .number(number))
    }
    let all = [3, 4, 7, 9, 16, 17, 19]
    #expect(try watchers(of: "mail") == ([1, 5, 6, 8, 10, 11, 13, 14, 15] + all).sorted())
    #expect(try watchers(of: "work") == ([2] + all).sorted())
  }

  @Test func `that wants steps gets them until it is answered, and one that does not gets none`() throws {
    send(.token(TokenRequest(account: "work")), 1, isVerbose: true)
    send(.token(TokenRequest(account: "work")), 2)
    home.runJobs()
    func steps(_ number: Int) -> Int {
      (home.sink.events[number] ?? []).count { if case .progress = $0 { true } else { false } }
    }
    #expect(steps(1) > 0 && steps(2) == 0)
    dispatcher.didAnswer(.number(1))
    let told = steps(1)
    home.context.log.note(.tokenExpired, try AccountName("work"))
    #expect(steps(1) == told)
  }
}
