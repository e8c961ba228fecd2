import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import AgentClient

/// Uses recorded responses; EndToEndTests uses the real agent.
@Suite struct `A client of the agent` {
  private static let answer =
    #"{"v":1,"result":{"account":"work","issuer":"https://id.example","subject":"ann","access_token":"s3cret","#
    + #""token_type":"Bearer","scope":"openid mail","expires_at":1700000000,"#
    + #""claims":{"roles":["a","b"],"level":3,"score":1.5,"admin":true,"org":{"id":"x"},"none":null}}}"#

  private static func result(_ members: String) -> String { #"{"v":1,"result":{\#(members)}}"# }
  private static func failure(_ code: String) -> String {
    #"{"v":1,"error":{"code":"\#(code)","message":"so it is","hint":"agent help"}}"#
  }

  private static func error<Value: ~Copyable>(
    of call: () async throws(AgentError) -> Value
  ) async -> AgentError? {
    do throws(AgentError) { _ = try await call() } catch { return error }
    return nil
  }

  @Test func `gives a token with its session`() async throws {
    let progress = #"{"v":1,"event":"notice","message":"wait"}"#
    let played = try PlayedAgent([["\(progress)\n\(Self.answer)"]])
    var options = TokenOptions(minimumValidity: .milliseconds(60_001), forcesRefresh: true)
    options.scope = ["mail"]
    options.resources = ["https://api.example"]
    options.audience = "api"
    options.timeout = .seconds(7)
    let token = try await Agent(socket: played.path).token(for: "work", options)
    #expect(token.revealedAuthorization() == "Bearer s3cret")
    #expect(token.withBytes { $0.count } == 6)
    #expect(token.proof == nil)
    let expected = Session(
      account: "work", issuer: "https://id.example", subject: "ann",
      claims: [
        "roles": .list([.text("a"), .text("b")]), "level": .integer(3), "score": .number("1.5"),
        "admin": .boolean(true), "org": .object(["id": .text("x")]), "none": .null,
      ], scope: ["openid", "mail"], expiresAt: 1_700_000_000)
    #expect(token.session == expected)
    #expect(token.session.claims["roles"]?.texts == ["a", "b"])
    #expect(
      played.requests == [
        #"{"v":1,"request":"token","account":"work","min_valid":61,"force_refresh":true,"scope":["mail"],"#
          + #""resource":["https://api.example"],"audience":"api","claims":true,"timeout":7}"#
      ])
  }

  // On a busy machine a step may wait minutes for a thread.
  private static let patient = {
    var options = TokenOptions()
    options.timeout = .seconds(3600)
    return options
  }()

  private static let lack =
    #"{"v":1,"error":{"code":"assertion_needed","message":"not set","variables":["HOME"]}}"#

  @Test func `hands over the variables that a request lacked, makes it again, and keeps no connection that holds them`()
    async throws
  {
    let played = try PlayedAgent([[Self.lack, Self.result(""), Self.answer, ""], [Self.answer]])
    let agent = Agent(socket: played.path)
    #expect(try await agent.token(for: "work", Self.patient).revealedAuthorization() == "Bearer s3cret")
    for _ in 0..<3 { _ = await played.next() }
    #expect(await played.next() == "closed")
    let asked = #"{"v":1,"request":"token","account":"work","claims":true,"timeout":3600}"#
    #expect(played.requests == [asked, #"{"v":1,"request":"variables","names":["HOME"]}"#, asked])
    _ = try await agent.token(for: "work", Self.patient)
  }

  @Test func `hands variables over once, and none that this process has not`() async throws {
    let twice = try PlayedAgent([[Self.lack, Self.result(""), Self.lack]])
    #expect(
      await Self.error { () async throws(AgentError) in
        try await Agent(socket: twice.path).token(for: nil, Self.patient)
      }?.code
        == "assertion_needed")
    #expect(twice.requests.count == 3)
    let other = try PlayedAgent([[Self.lack.replacing("HOME", with: "AGENT_TESTS_HAVE_NO_SUCH")]])
    #expect(
      await Self.error { () async throws(AgentError) in try await Agent(socket: other.path).token() }?.code
        == "assertion_needed")
    #expect(other.requests.count == 1)
  }

  @Test func `hands them over before the head of a resource's answer comes`() async throws {
    let head = #"{"v":1,"event":"response","status":200,"headers":[]}"#
    let played = try PlayedAgent([
      [Self.lack, Self.result(""), head + "\n" + Self.result(#""account":"work","status":200,"body_bytes":0"#)]
    ])
    var request = ResourceRequest("https://api.example/x")
    request.timeout = Self.patient.timeout
    let response = try await Agent(socket: played.path).request(request)
    #expect(response.status == 200)
    #expect(try await response.bytes().isEmpty)
    #expect(played.requests.count == 3 && played.requests[0] == played.requests[2])
  }

  private static func idToken(_ members: String) -> String {
    #"{"v":1,"result":{"account":"work","issuer":"https://id.example","access_token":"s3cret","token_type":"Bearer"\#(members)}}"#
  }

  @Test func `gives the ID Token with the claims that were verified, or says why there is none`() async throws {
    let claims = #","claims":{"sub":"ann","exp":1700000000}"#
    let played = try PlayedAgent([
      [
        Self.idToken(#","id_token":"a.b.c""# + claims), Self.idToken(#","id_token_expired":true"# + claims),
        Self.idToken(claims), Self.idToken(""),
      ]
    ])
    let agent = Agent(socket: played.path)
    let token = try await agent.idToken(for: "work")
    #expect(token.revealed() == "a.b.c" && token.withBytes { $0.count } == 5)
    #expect(token.expiresAt == 1_700_000_000)
    #expect(
      token.user
        == User(
          account: "work", issuer: "https://id.example", subject: "ann",
          claims: ["sub": .text("ann"), "exp": .integer(1_700_000_000)]))
    let expired = await Self.error { () async throws(AgentError) in try await agent.idToken() }
    #expect(expired?.remedy == .signIn && expired?.code == "interaction_required")
    for _ in 0..<2 {
      let missing = await Self.error { () async throws(AgentError) in try await agent.idToken() }
      #expect(missing?.remedy == .fixConfiguration && missing?.code == "missing_value")
      #expect(missing?.hint == "agent login work")
    }
    #expect(
      played.requests.first
        == #"{"v":1,"request":"token","account":"work","id_token":true,"claims":true,"timeout":120}"#)
  }

  @Test func `gives a token with a proof for one request`() async throws {
    let played = try PlayedAgent([
      [
        Self.result(
          #""account":"work","issuer":"https://id.example","access_token":"s3cret","token_type":"DPoP","dpop":"a.b.c""#)
      ]
    ])
    let token = try await Agent(socket: played.path)
      .tokenWithProof(method: "PUT", url: "https://api.example/x", nonce: "n1", for: "work")
    #expect(token.revealedAuthorization() == "DPoP s3cret" && token.proof == "a.b.c")
    #expect(
      played.requests == [
        #"{"v":1,"request":"proof","account":"work","method":"PUT","url":"https://api.example/x","nonce":"n1","#
          + #""access_token":true,"timeout":120}"#
      ])
  }

  static let failures: [(String, AgentError.Remedy)] = [
    ("session_expired", .signIn), ("no_account", .signIn), ("network", .tryLater), ("too_busy", .tryLater),
    ("locked", .unlock), ("invalid_configuration", .fixConfiguration), ("foreign_device", .fixConfiguration),
    ("storage", .fixConfiguration), ("origin_not_allowed", .fixConfiguration), ("access_denied", .none),
    ("invalid_request", .fixProgram), ("internal_error", .none),
  ]

  @Test(arguments: failures) func `tells what helps`(code: String, remedy: AgentError.Remedy) async throws {
    let played = try PlayedAgent([[Self.failure(code)]])
    let agent = Agent(socket: played.path)
    let thrown = await Self.error { () async throws(AgentError) in try await agent.token() }
    #expect(thrown == AgentError(remedy, code: code, message: "so it is", hint: "agent help"))
  }

  // A program's user cannot add options to a command line.
  @Test(
    arguments: [
      (#""hint":"use --issuer URL""#, nil),
      (
        #""hint":"sign in with a browser: agent login work --browser","hint_command":"agent login work --browser""#,
        "agent login work --browser"
      ),
      (#""hint":"choose another name""#, "choose another name"),
      (#""hint":"agent unlock""#, "agent unlock"),
    ] as [(String, String?)])
  func `hints at no option of a command that the program did not run`(hint: String, shown: String?) async throws {
    let played = try PlayedAgent([[#"{"v":1,"error":{"code":"invalid_request","message":"no",\#(hint)}}"#]])
    let agent = Agent(socket: played.path)
    let thrown = await Self.error { () async throws(AgentError) in try await agent.token() }
    #expect(thrown?.hint == shown)
  }

  @Test func `has no code and no remedy but those of the documentation`() throws {
    let article = try PackageFiles.text("Sources/AgentClient/AgentClient.docc/Errors.md")
    var documented: [String: Set<String>] = [:]
    for line in article.split(separator: "\n") where line.hasPrefix("| ``AgentError/Remedy/") {
      let cells = line.split(separator: "|").map { $0.split(separator: "`").map(String.init) }
      let remedy = cells.first?.first { $0.hasPrefix("AgentError/") }?.split(separator: "/").last.map(String.init) ?? ""
      documented[remedy, default: []].formUnion(cells.last?.filter { !$0.hasPrefix(",") && $0 != " " } ?? [])
    }
    var codes: [String: Set<String>] = [:]
    for code in FailureCode.allCases { codes["\(AgentError.Remedy(code))", default: []].insert(code.rawValue) }
    for code in AgentError.OwnCode.allCases {
      codes["\(AgentError(code, "").remedy)", default: []].insert(code.rawValue)
    }
    #expect(documented == codes)
  }

  @Test func `connects anew when the agent hung up meanwhile, once`() async throws {
    let played = try PlayedAgent([[Self.answer], [Self.answer], []])
    let agent = Agent(socket: played.path)
    for _ in 0..<2 { #expect(try await agent.token().revealed() == "s3cret") }
    #expect(played.requests.count == 2)
    let thrown = await Self.error { () async throws(AgentError) in try await agent.token() }
    #expect(thrown?.remedy == .tryLater && thrown?.code == "daemon_unavailable")
  }

  @Test func `sends a change anew that the agent cannot have got, since it hung up before`() async throws {
    let played = try PlayedAgent([[Self.answer], [#"{"v":1,"result":{}}"#]])
    let agent = Agent(socket: played.path)
    _ = try await agent.token()
    played.awaitEnds(1)
    try await agent.use("work")
    #expect(played.requests.count == 2)
  }

  @Test func `uses its connection again, and one more for a call at the same time`() async throws {
    let played = try PlayedAgent([[Self.answer, Self.answer, Self.failure("locked"), Self.answer, ""]])
    let agent = Agent(socket: played.path)
    for _ in 0..<2 { _ = try await agent.token() }
    #expect(await Self.error { () async throws(AgentError) in try await agent.token() }?.remedy == .unlock)
    _ = try await agent.token()
    #expect(played.requests.count == 4)
  }

  @Test func `is refused where nobody listens, or the path is none`() async throws {
    let directory = try TemporaryDirectory()
    var errors: [AgentError?] = []
    for path in [directory.path("agent.sock"), "/nonexistent/agent.sock", "agent.sock"] {
      errors.append(await Self.error { () async throws(AgentError) in try await Agent(socket: path).accounts() })
    }
    let missing = AgentError(
      .tryLater, code: "daemon_unavailable", message: "the daemon is not running", hint: "agent daemon start")
    let wrong = AgentError(.fixProgram, code: "invalid_request", message: "the path of the socket is not absolute")
    #expect(errors == [missing, missing, wrong])
  }

  @Test func `ends a call when its task is cancelled, by closing the connection`() async throws {
    let played = try PlayedAgent([[""]])
    let agent = Agent(socket: played.path)
    let call = Task { await Self.error { () async throws(AgentError) in try await agent.token() } }
    #expect(await played.next()?.contains(#""request":"token""#) == true)
    call.cancel()
    #expect(await call.value == AgentError(.none, code: "cancelled", message: "the task was cancelled"))
    #expect(await played.next() == "closed")
    let late = Task { await Self.error { () async throws(AgentError) in try await agent.token() } }
    late.cancel()
    // The server no longer accepts, so the call only waits for its cancellation.
    #expect(await late.value?.code == "cancelled")
  }

  @Test func `waits for many answers at a time`() async throws {
    let count = 200
    let played = try PlayedAgent([[""]], backlog: 256)
    let agent = Agent(socket: played.path)
    let calls = (0..<count).map { _ in
      Task { await Self.error { () async throws(AgentError) in try await agent.token() } }
    }
    #expect(await played.next() != nil)
    for call in calls { call.cancel() }
    for call in calls { #expect(await call.value?.code == "cancelled") }
  }

  @Test func `ends a call that is not yet connected when its task is cancelled`() async throws {
    let begun = AsyncStream.makeStream(of: Void.self)
    let mayEnd = Monitor(false)
    let call = Task { () -> Failure? in
      do throws(Failure) {
        try await OwnThread.run { () throws(Failure) in
          begun.continuation.yield()
          _ = mayEnd.wait(nil) { $0 ? true : nil }
        }
        return nil
      } catch {
        return error
      }
    }
    var begins = begun.stream.makeAsyncIterator()
    await begins.next()
    call.cancel()
    #expect(await call.value?.code == .cancelled)
    mayEnd.update { $0 = true }
  }

  private static func sockets() throws -> (near: SharedDescriptor, far: SharedDescriptor) {
    let pair = try SocketPair()
    return (SharedDescriptor(pair.first), SharedDescriptor(pair.second))
  }

  @Test func `ends a call whose answer does not come in time, also after a longer wait has begun`() async throws {
    let (silent, other) = (try Self.sockets(), try Self.sockets())
    let waits = try SocketWaits.start()
    let late = Failure(.timeout, "the daemon did not answer in time")
    #expect(
      await #expect(throws: Failure.self) {
        try await waits.wait(for: silent.near.descriptor.raw, before: .now.advanced(by: .milliseconds(1)))
      }?.words == late.words)
    let long = Task { try await waits.wait(for: silent.near.descriptor.raw, before: .now.advanced(by: .seconds(600))) }
    #expect(
      await #expect(throws: Failure.self) {
        try await waits.wait(for: other.near.descriptor.raw, before: .now.advanced(by: .milliseconds(1)))
      }?.words == late.words)
    try silent.far.descriptor.writeAll([1].span)
    try await long.value
  }

  // A process that was stopped past its deadline has lost no response.
  @Test func `reads an answer that is there, though its time is over`() async throws {
    let waits = try SocketWaits.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask {
          let pair = try Self.sockets()
          try pair.far.descriptor.writeAll([1].span)
          for _ in 0..<100 {
            try await waits.wait(for: pair.near.descriptor.raw, before: .now.advanced(by: .seconds(-1)))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: Accounts

  private static func account(_ name: String, _ state: String, isActive: Bool = false) -> String {
    #"{"name":"\#(name)","issuer":"https://id.example","state":"\#(state)","active":\#(isActive)}"#
  }

  private static func list(_ accounts: String...) -> String {
    result(#""accounts":[\#(accounts.joined(separator: ","))]"#)
  }

  @Test(
    arguments: [
      ("active", true), ("stale", true), ("refreshing", true), ("offline", true), ("locked", true),
      ("signed_out", false), ("expired", false),
    ])
  func `says whether somebody is signed in by the list of accounts alone`(state: String, isSignedIn: Bool) async throws
  {
    let list = Self.list(Self.account("work", state, isActive: true), Self.account("other", "signed_out"))
    let played = try PlayedAgent([[list, list, list, list]])
    let agent = Agent(socket: played.path)
    #expect(try await agent.isSignedIn() == isSignedIn)
    #expect(try await agent.isSignedIn("work") == isSignedIn)
    #expect(try await agent.isSignedIn("other") == false)
    #expect(try await agent.isSignedIn("nobody") == false)
    #expect(Set(played.requests) == [#"{"v":1,"request":"list","timeout":120}"#])
  }

  @Test(arguments: ["vault_unusable", "foreign_device", "other_machine", "storage"])
  func `says why it is not known who is signed in if the vault cannot be read`(code: String) async throws {
    let list = Self.list(Self.account("work", "unreadable", isActive: true))
    let refusal = #"{"v":1,"error":{"code":"\#(code)","message":"the file is damaged"}}"#
    let played = try PlayedAgent([[list, refusal, list]])
    let agent = Agent(socket: played.path)
    let error = await #expect(throws: AgentError.self) { try await agent.isSignedIn("work") }
    #expect(error?.code == code)
    #expect(try await agent.accounts().map(\.state) == [.unreadable])
    #expect(played.requests.count == 3)
  }

  @Test func `throws why the vault cannot be read, and never takes that for a sign-out or another installation`()
    async throws
  {
    let problem = #"{"code":"vault_unusable","message":"the file is damaged","hint":"agent vault check"}"#
    let list = Self.list(
      #"{"name":"work","issuer":"https://id.example","state":"unreadable","active":true,"problem":\#(problem)}"#)
    let status = Self.result(#""vault":{"exists":true,"problem":\#(problem)}"#)
    let played = try PlayedAgent([[list, list, status]])
    let agent = Agent(socket: played.path)
    let damaged = AgentError(
      .fixConfiguration, code: "vault_unusable", message: "the file is damaged", hint: "agent vault check")
    #expect(await Self.error { () async throws(AgentError) in try await agent.isSignedIn() } == damaged)
    #expect(try await agent.accounts().map(\.problem) == [damaged])
    #expect(await Self.error { () async throws(AgentError) in try await agent.installation() } == damaged)
    #expect(played.requests.count == 3)
  }

  @Test func `lists who is signed in, guests, and accounts in memory`() async throws {
    let list = Self.list(
      #"{"name":"work","issuer":"https://id.example","state":"active","active":true,"person":"ann@id.example","#
        + #""preset":{"file":"/etc/agent/accounts.d/work.json","unchanged":["issuer"],"changed":["scope"]}}"#,
      #"{"name":"bot","issuer":"https://id.example","state":"stale","active":false,"guest":true,"ephemeral":true}"#)
    let played = try PlayedAgent([[list]])
    #expect(
      try await Agent(socket: played.path).accounts() == [
        Account(
          name: "work", isActive: true, issuer: "https://id.example", state: .active, person: "ann@id.example",
          preset: .init(file: "/etc/agent/accounts.d/work.json", unchanged: ["issuer"], changed: ["scope"])),
        Account(
          name: "bot", isActive: false, issuer: "https://id.example", state: .stale, isGuest: true, isEphemeral: true),
      ])
  }

  @Test func `knows every state that the daemon tells`() {
    #expect(Account.State.allCases.map(\.rawValue) == SessionState.allCases.map(\.rawValue))
  }

  @Test(arguments: [true, false])
  func `says it by the session there is while another sign-in is under way`(hasSession: Bool) async throws {
    let identity = Self.result(#""account":"work","issuer":"https://id.example","claims":{}"#)
    let played = try PlayedAgent([
      [Self.list(Self.account("work", "signing_in")), hasSession ? identity : Self.failure("signed_out")]
    ])
    #expect(try await Agent(socket: played.path).isSignedIn("work") == hasSession)
    #expect(played.requests.last == #"{"v":1,"request":"whoami","account":"work","verified":true,"timeout":120}"#)
  }

  @Test func `names the person by the verified ID Token, and asks for no token`() async throws {
    let verified = Self.result(
      #""account":"work","issuer":"https://id.example","subject":"ann","claims":{"sub":"ann"},"source":"id_token""#)
    let unverified = Self.result(
      #""account":"work","issuer":"https://id.example","subject":"ann","claims":{"sub":"ann"},"source":"userinfo""#)
    let played = try PlayedAgent([
      [
        verified, unverified, Self.failure("signed_out"), Self.failure("session_expired"), Self.failure("locked"),
        Self.failure("identity_changed"),
      ]
    ])
    let agent = Agent(socket: played.path)
    let ann = User(account: "work", issuer: "https://id.example", subject: "ann", claims: ["sub": .text("ann")])
    #expect(try await agent.currentUser("work") == ann)
    for _ in 0..<3 { #expect(try await agent.currentUser("work") == nil) }
    for remedy in [AgentError.Remedy.unlock, .signIn] {
      let withheld = await Self.error { () async throws(AgentError) in try await agent.currentUser("work") }
      #expect(withheld?.remedy == remedy)
    }
    #expect(
      Set(played.requests) == [#"{"v":1,"request":"whoami","account":"work","verified":true,"timeout":120}"#])
  }

  @Test func `makes an account the active one, and signs out here or everywhere`() async throws {
    let done = Self.result(#""account":"work""#)
    let played = try PlayedAgent([[done, done, done]])
    let agent = Agent(socket: played.path)
    try await agent.use("work")
    try await agent.signOut()
    try await agent.signOut("work", locally: true)
    #expect(
      played.requests == [
        #"{"v":1,"request":"use","account":"work","timeout":120}"#, #"{"v":1,"request":"logout","timeout":120}"#,
        #"{"v":1,"request":"logout","account":"work","local":true,"timeout":120}"#,
      ])
  }

  @Test func `keeps the numbers of a request within what the agent takes`() {
    #expect(TokenOptions(minimumValidity: .seconds(1_000_000)).request(for: nil).minimumValiditySeconds == 86_400)
    #expect(TokenOptions(minimumValidity: .seconds(-5)).request(for: nil).minimumValiditySeconds == 0)
    #expect(TokenOptions(minimumValidity: .nanoseconds(1)).request(for: nil).minimumValiditySeconds == 1)
    var options = TokenOptions()
    options.timeout = .zero
    #expect(options.timeoutSeconds == 1)
    options.timeout = .seconds(Int64.max)
    #expect(options.timeoutSeconds == 3600)
  }
}
