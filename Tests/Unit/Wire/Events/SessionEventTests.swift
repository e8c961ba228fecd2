import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@Suite struct `What happens to sessions` {
  static let all: [SessionEvent] =
    [
      .signedIn(expiresAt: nil), .signedIn(expiresAt: 7), .signedIn(expiresAt: 7, isGuest: true),
      .signedIn(expiresAt: nil, wasGuest: true), .refreshed(expiresAt: nil), .refreshed(expiresAt: 7),
      .refreshFailed(.init(.clientRejected)), .expiring(at: 7, isRenewable: true), .expiring(at: 7, isRenewable: false),
      .expired(at: 7, isRenewable: true), .expired(at: 7, isRenewable: false), .sessionExpiring(at: 7),
      .offline(.init(.network)), .offline(.init(.timeout, at: "id.example:8443", .timedOut)), .online, .locked,
      .unlocked, .accountAdded, .accountRemoved, .accountRenamed(from: "old"), .activeChanged,
      .signedOut(.expired, reason: "it was used before"),
    ] + SessionEvent.SignOutCause.allCases.map { .signedOut($0) }

  @Test func `has a name for each kind`() {
    #expect(Set(Self.all.map(\.name)) == Set(SessionEventName.allCases))
  }

  @Test(arguments: all) func `is read as it was written`(event: SessionEvent) throws {
    for account in ["work", nil] {
      let entry = SessionEntry(time: 5, account: account, event: event)
      #expect(SessionEntry(json: .object(entry.json)) == entry)
      let line = Reply.event(.session(entry)).serialized()
      #expect(try Reply(parsing: line.span) == .event(.session(entry)))
      #expect(entry.text { "at \($0)" }.hasPrefix("at 5 "))
    }
  }

  @Test(arguments: all) func `is unknown without what belongs to it`(event: SessionEvent) {
    let json = SessionEntry(time: 5, account: "work", event: event).json
    let isFailing = json["code"] != nil
    for name in json.names
    where !["time", "event", "account", "expires_at", "host", "reason", "guest", "upgraded_from_guest"].contains(name) {
      if isFailing, name == "cause" { continue }
      var less = json
      less[name] = nil
      #expect(SessionEntry(json: .object(less)) == nil, "\(name)")
      less[name] = "no such word"
      // The name of an account can be any text.
      #expect(SessionEntry(json: .object(less)) == nil || name == "renamed_from", "\(name)")
    }
  }

  @Test func `concerns its account, the one it was, and all where none is named`() {
    func entry(_ account: String?, _ event: SessionEvent) -> SessionEntry {
      SessionEntry(time: 0, account: account, event: event)
    }
    #expect(entry("work", .online).concerns("work") && !entry("work", .online).concerns("wor"))
    #expect(entry(nil, .locked).concerns("work"))
    #expect(entry("new", .accountRenamed(from: "work")).concerns("work"))
    #expect(entry("new", .accountRenamed(from: "work")).concerns("new"))
    #expect(!entry("new", .accountRenamed(from: "work")).concerns("old"))
  }

  @Test func `is told to a person in one clean line`() {
    let entry = SessionEntry(time: 0, account: "a\u{1B}[31m", event: .accountRenamed(from: "b\nc"))
    #expect(!entry.text { "\($0)" }.utf8.contains { $0 < 0x20 })
    let place = SessionEntry(
      time: 7, account: "work", event: .offline(.init(.network, at: "id.example", .hostNotFound)))
    #expect(place.text { "\($0)" } == "7 work: offline: id.example: host name not found")
  }

  @Test(arguments: [
    Event.following, .session(nil),
    .tokenFile(Event.TokenFile(account: "work", path: "/run/t", expiresAt: 9)),
    .tokenFile(Event.TokenFile(account: "work", path: "/run/t")),
    .tokenFile(Event.TokenFile(account: "work", path: "/run/t", removal: .signedOut)),
    .lease(Event.Lease(name: "0123456789abcdef", account: "work")),
    .lease(Event.Lease(name: "0123456789abcdef", account: "work", usesLeft: 0)),
  ]) func `travels with what goes beside it`(event: Event) throws {
    let line = Reply.event(event).serialized()
    #expect(try Reply(parsing: line.span) == .event(event))
  }

  private static let lease: LeaseRequest = {
    var lease = LeaseRequest(account: "work")
    lease.origins = ["https://api.example.com/notes"]
    lease.methods = ["GET", "HEAD"]
    lease.target.scope = ["read"]
    (lease.uses, lease.expiresInSeconds) = (3, 60)
    (lease.lendsToken, lease.requiresConfirmation) = (true, true)
    return lease
  }()

  private static let leaseEvents: EventsRequest = {
    var request = EventsRequest()
    request.forLeases = true
    return request
  }()

  @Test(
    arguments: [
      LeaseEntry(time: 1, lease: "0123456789abcdef", event: .opened(account: "work")),
      LeaseEntry(
        time: 2, lease: "0123456789abcdef",
        event: .used(method: "GET", origin: "https://api.example.com", status: 200, bytes: 7, dropped: 2, nil),
        peer: .init(userID: 1000, processID: 0)),
      LeaseEntry(
        time: 2, lease: "0123456789abcdef",
        event: .used(method: "GET", origin: "https://api.example.com", status: nil, bytes: nil, dropped: 0, .network)),
      LeaseEntry(
        time: 3, lease: "0123456789abcdef", event: .tokenRequested(nil), peer: .init(userID: 1000, processID: 9)),
      LeaseEntry(
        time: 3, lease: "0123456789abcdef", event: .tokenRequested(.notPermitted),
        peer: .init(userID: 1000, processID: 9)),
      LeaseEntry(
        time: 3, lease: "0123456789abcdef", event: .refused(.notPermitted), peer: .init(userID: 1000, processID: 9)),
    ] + LeaseEntry.Cause.allCases.map { LeaseEntry(time: 4, lease: "0123456789abcdef", event: .ended($0)) })
  func `of a lease is read as it was written, and is one line of text`(entry: LeaseEntry) throws {
    #expect(LeaseEntry(json: .object(entry.json)) == entry)
    let text = entry.text { "\($0)" }
    #expect(!text.utf8.contains { $0 < 0x20 } && text.contains("0123456789abcdef"), "\(text)")
  }

  @Test(arguments: [
    #"{"v":1,"request":"lease","uses":0}"#, #"{"v":1,"request":"lease","uses":1000001}"#,
    #"{"v":1,"request":"lease","expires_in":0}"#, #"{"v":1,"request":"lease","expires_in":604801}"#,
    #"{"v":1,"request":"lease","places":"x"}"#,
  ]) func `of a lease has limits`(line: String) {
    #expect(throws: Failure.self) { try RequestEnvelope(parsing: Array(line.utf8).span) }
  }

  @Test func `is asked for`() throws {
    for request in [
      Request.events(EventsRequest()), .events(EventsRequest(account: "work", follows: true)),
      .tokenFile(TokenFileRequest()),
      .tokenFile(TokenFileRequest(account: "work", name: "token-0123456789abcdef0123456789abcdef")),
      .tokenFile(TokenFileRequest(account: "work", kind: .idToken)),
      .lease(LeaseRequest()), .lease(Self.lease), .leaseStatus(),
      .variables(VariablesRequest(names: ["CI_JWT"])),
      .leaseAnswer(LeaseAnswerRequest(questionNumber: 3, isAllowed: true)), .events(Self.leaseEvents),
    ] {
      let line = RequestEnvelope(request).serialized()
      #expect(try RequestEnvelope(parsing: line.span).request == request)
    }
  }

  @Test(arguments: [
    "", "token-", "token-0123456789abcdef0123456789abcde", "token-0123456789abcdef0123456789abcdef0",
    "token-0123456789ABCDEF0123456789abcdef", "token-../../../../../../../../etc/passw", "agent.sock",
    "token-0123456789abcdef0123456789abcd/f", "xtoken-123456789abcdef0123456789abcdef",
  ]) func `never names another file than a token's`(name: String) {
    #expect(!TokenFileName.isWellFormed(name))
    expect(throws: Failure.invalid("\"name\" must be the name of a token file")) {
      let line = Array(#"{"v":1,"request":"token_file","name":"\#(name)"}"#.utf8)
      _ = try RequestEnvelope(parsing: line.span)
    }
  }
}
