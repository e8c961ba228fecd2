import AgentClient
import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The client library` {
  /// ``Session/with(_:body:)`` for `async` code, with options of the sign-in.
  private static func withSession(
    _ issuerOptions: [String] = [], _ options: [String] = [], body: (Session) async throws -> Void
  ) async throws {
    try await withTree(issuerOptions) { tree, issuer in
      let events = try tree.signIn(at: issuer.url, options: options)
      try await body(Session(tree: tree, issuer: issuer, events: events))
    }
  }

  private static func withTree(
    _ issuerOptions: [String] = [], _ body: (AgentTree, Issuer) async throws -> Void
  ) async throws {
    let issuer = try Issuer.start(issuerOptions)
    defer { issuer.stop() }
    let tree = try AgentTree.start()
    defer { tree.close() }
    try await OwnThreadExecutor.run { try await body(tree, issuer) }
  }

  private static func error<Value: ~Copyable>(
    of call: () async throws(AgentError) -> Value
  ) async -> AgentError? {
    do throws(AgentError) { _ = try await call() } catch { return error }
    return nil
  }

  /// The error of a call whose task is cancelled after `body`. The task runs on the thread of its test.
  private static func errorWhenCancelled(
    after body: () async -> Void, during call: @escaping @Sendable () async throws(AgentError) -> Void
  ) async -> AgentError? {
    await withTaskGroup(of: AgentError?.self) { tasks in
      tasks.addTask { await error(of: call) }
      await body()
      tasks.cancelAll()
      return await tasks.next() ?? nil
    }
  }

  private static func error(
    of agent: Agent, for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) async -> AgentError? {
    await error { () async throws(AgentError) in try await agent.token(for: account, options) }
  }

  private static func error(of session: RefreshableSession<Agent>) async -> AgentError? {
    await error { () async throws(AgentError) in try await session.token() }
  }

  @Test func `gives the token that the command prints, with its session`() async throws {
    let claim = ["--claim", "email=ann@example.com"]
    try await Self.withSession(claim, ["--scope", "openid email offline_access"]) { session in
      let tree = session.tree
      let agent = Agent(socket: tree.socketPath)
      let token = try await agent.token()
      #expect(token.revealed() == (try tree.token()))
      #expect(token.type == "Bearer")
      #expect(token.session.account == "work" && token.session.issuer == session.issuer.url)
      #expect(token.session.claims["email"]?.text == "ann@example.com")
      #expect(token.session.subject == (try tree.json("whoami")["subject"]?.string))
      #expect(token.session.expiresAt == (try tree.json("token")["expires_at"]?.int))
      #expect(try await agent.accounts().map(\.name) == ["work"])
      #expect(try await agent.accounts().first?.state == .active)
      let renewed = try await agent.token(for: "work", TokenOptions(forcesRefresh: true))
      #expect(renewed.revealed() != token.revealed())
    }
  }

  @Test func `tells a person who must sign in from a server that is away`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      session.issuer.stop()
      #expect(await Self.error(of: agent, for: "work", TokenOptions(forcesRefresh: true))?.remedy == .tryLater)
      try await agent.signOut("work")
      let error = await Self.error(of: agent, for: "work")
      #expect(error == AgentError(.signIn, code: "signed_out", message: "work is signed out", hint: "agent login work"))
      let nobody = await Self.error(of: agent, for: "nobody")
      #expect(nobody?.remedy == .signIn && nobody?.code == "no_account")
      let wrong = await Self.error(of: agent, for: "no such name")
      #expect(wrong.map { $0.remedy == .fixProgram || $0.remedy == .signIn } == true)
    }
  }

  @Test func `knows who is signed in without a token and without the server`() async throws {
    let claim = ["--claim", "email=ann@example.com"]
    try await Self.withSession(claim, ["--scope", "openid email offline_access"]) { session in
      let tree = session.tree
      let subject = try #require(try tree.json("whoami")["subject"]?.string)
      try tree.stopDaemon()
      try #require(try tree.agent("daemon", "start").succeeded)
      let requests = try session.issuer.requests()
      let agent = Agent(socket: tree.socketPath)
      #expect(try await agent.isSignedIn())
      let user = try #require(try await agent.currentUser())
      #expect(user.account == "work" && user.issuer == session.issuer.url && user.subject == subject)
      #expect(user.claims["email"]?.text == "ann@example.com")
      #expect(try session.issuer.requests() == requests)
      #expect(try await agent.accounts().map(\.state) == [.stale])
      session.issuer.stop()
      #expect(try await agent.isSignedIn("work"))
      #expect(try await agent.currentUser("work") == user)
      try await agent.signOut(nil, locally: true)
      #expect(try await agent.isSignedIn() == false)
      #expect(try await agent.currentUser() == nil)
    }
  }

  @Test func `asks no server who is signed in where there is no ID Token`() async throws {
    try await Self.withSession([], ["--scope", "offline_access"]) { session in
      let requests = try session.issuer.requests()
      let agent = Agent(socket: session.tree.socketPath)
      #expect(try await agent.isSignedIn())
      #expect(try await agent.currentUser() == nil)
      #expect(try session.issuer.requests() == requests)
    }
  }

  @Test func `makes another account the active one`() async throws {
    try await Self.withSession { session in
      try session.tree.signIn("other", at: session.issuer.url)
      let agent = Agent(socket: session.tree.socketPath)
      for name in ["other", "work"] {
        try await agent.use(name)
        #expect(try await agent.accounts().filter(\.isActive).map(\.name) == [name])
        #expect(try await agent.token().session.account == name)
      }
      let unknown = await Self.error { () async throws(AgentError) in try await agent.use("nobody") }
      #expect(unknown?.code == "no_account")
    }
  }

  @Test func `goes on with the next daemon`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      let before = try await agent.token().session
      try session.tree.stopDaemon()
      #expect(await Self.error(of: agent)?.code == "daemon_unavailable")
      try #require(try session.tree.agent("daemon", "start").succeeded)
      #expect(try await agent.token().session.subject == before.subject)
    }
  }

  // MARK: Requests

  @Test func `sends a request with the account's token, of any size both ways`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      var request = ResourceRequest("\(session.issuer.url)/echo?padding=3000000", method: "PUT", body: body)
      request.headers = [HTTPField("X-Trace", "17")]
      let response = try await agent.request(request)
      #expect(response.status == 200 && response.field("content-type")?.hasPrefix("application/json") == true)
      let answer = try JSON(
        parsing: try await response.bytes(), limits: JSONLimits(bytes: 4 << 20, stringBytes: 4 << 20))
      #expect(answer["method"]?.string == "PUT" && answer["body_bytes"]?.int == body.count)
      #expect(answer["headers"]?["x-trace"]?.array?.first?.string == "17")
      #expect(answer["padding"]?.string?.utf8.count == 3_000_000)
      #expect(response.problem == nil)
      let missing = try await agent.request(ResourceRequest("\(session.issuer.url)/echo?status=404", account: "work"))
      #expect(missing.status == 404)
      _ = try await missing.bytes()
      #expect(missing.problem?.remedy == .fixConfiguration)
      let elsewhere = await Self.error { () async throws(AgentError) in
        try await agent.request(ResourceRequest("https://elsewhere.example/"))
      }
      #expect(elsewhere?.code == "origin_not_allowed" && elsewhere?.remedy == .fixConfiguration)
    }
  }

  @Test func `renews a rejected token once, and tells when the resource refuses the new one too`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      try session.issuer.control("refuse_next", "1")
      let response = try await agent.request(ResourceRequest("\(session.issuer.url)/resource"))
      #expect(response.status == 200)
      let answer = String(decoding: try await response.bytes(), as: UTF8.self)
      #expect(answer.utf8.starts(with: #"{"message":"Hello"#.utf8))
      try session.issuer.control("refuse_next", "2")
      let refused = try await agent.request(ResourceRequest("\(session.issuer.url)/resource"))
      #expect(refused.status == 401)
      _ = try await refused.bytes()
      #expect(refused.problem?.code == "token_refused" && refused.problem?.remedy == .signIn)
    }
  }

  @Test func `gives a proof with the token that is bound to the key`() async throws {
    try await Self.withSession(["--dpop-required"], ["--dpop"]) { session in
      let agent = Agent(socket: session.tree.socketPath)
      let url = "\(session.issuer.url)/resource"
      let token = try await agent.tokenWithProof(method: "GET", url: url)
      let proof = token.proof ?? ""
      #expect(token.type == "DPoP" && token.session.account == "work")
      let answer = try ProcessRunner.shell(
        "curl -qsS --fail --noproxy '*' -H 'Authorization: \(token.revealedAuthorization())' -H 'DPoP: \(proof)' '\(url)'"
      )
      #expect(try JSON(parsing: answer.output)["message"] != nil, "\(answer.errorText)")
      #expect(try await agent.request(ResourceRequest(url)).status == 200)
      #expect(try session.issuer.count("proof_replays") == 0)
      let elsewhere = await Self.error { () async throws(AgentError) in
        try await agent.tokenWithProof(method: "GET", url: "https://elsewhere.example/")
      }
      #expect(elsewhere?.code == "origin_not_allowed")
    }
  }

  // MARK: Sign-in

  private static func options(_ issuer: Issuer, _ flow: SignInOptions.Flow) -> SignInOptions {
    var options = SignInOptions("work", issuer: issuer.url, clientID: "agent-cli")
    options.scope = ["openid", "offline_access"]
    options.allowsHTTPLoopback = true
    options.flow = flow
    return options
  }

  private static func steps(_ signIn: SignIn) async throws -> [SignIn.Step] {
    var steps: [SignIn.Step] = []
    for try await step in signIn { steps.append(step) }
    return steps
  }

  private static func agent(_ tree: AgentTree) throws -> Agent {
    try #require(try tree.agent("daemon", "start").succeeded)
    return Agent(socket: tree.socketPath)
  }

  @Test func `signs in by a code for another device`() async throws {
    try await Self.withTree { tree, issuer in
      let agent = try Self.agent(tree)
      #expect(try await agent.isSignedIn("work") == false)
      let steps = try await Self.steps(try await agent.signIn(Self.options(issuer, .device)))
      guard case .enterCode(let code)? = steps.first, case .signedIn(let session, _)? = steps.last else {
        Issue.record("\(steps)")
        return
      }
      #expect(code.account == "work" && code.issuer == issuer.url && !code.userCode.isEmpty)
      #expect(session.account == "work")
      #expect(session.subject == (try tree.json("whoami")["subject"]?.string))
      #expect(try await agent.isSignedIn("work"))
      // An existing session satisfies a caller that requires no more.
      var options = SignInOptions("work")
      options.keepsSession = true
      let kept = try await Self.steps(try await agent.signIn(options))
      #expect(kept.count == 1)
    }
  }

  @Test func `signs in by a browser, and by the address where one ended`() async throws {
    try await Self.withTree { tree, issuer in
      let agent = try Self.agent(tree)
      for flow in [SignInOptions.Flow.browser, .paste] {
        var steps: [SignIn.Step] = []
        let signIn = try await agent.signIn(Self.options(issuer, flow))
        for try await step in signIn {
          steps.append(step)
          guard case .openPage(let page) = step else { continue }
          #expect(page.mustPaste == (flow == .paste))
          if page.mustPaste {
            await #expect(throws: AgentError.self) {
              try await signIn.pass(redirect: "http://127.0.0.1/?code=x&state=y")
            }
            try await signIn.pass(redirect: try BrowserLogin.redirect(page.url))
          } else {
            #expect(try BrowserLogin.browse(page.url) == "200")
          }
        }
        guard case .signedIn(let session, _)? = steps.last else {
          Issue.record("\(steps)")
          return
        }
        #expect(session.account == "work" && session.issuer == issuer.url)
      }
    }
  }

  @Test func `signs a guest in, and tells in the step and the event that it is a user now`() async throws {
    try await Self.withTree(["--open-registration"]) { tree, issuer in
      // Only the command registers a client that authenticates itself.
      let registered = try tree.agent(
        "workload", "work", "--register", "--issuer", issuer.url, "--allow-http-loopback")
      try #require(registered.succeeded, "\(registered.errorText)")
      let agent = Agent(socket: tree.socketPath)
      let events = try await agent.events(of: "work").makeAsyncIterator()
      var options = SignInOptions("work")
      options.isGuest = true
      let guest = try await Self.steps(try await agent.signIn(options))
      guard guest.count == 1, case .signedIn(let session, false)? = guest.first else {
        Issue.record("\(guest)")
        return
      }
      #expect(session.subject == nil)
      #expect(try await agent.accounts().map(\.isGuest) == [true])
      let began = try await events.next()
      guard case .signedIn(_, true, false)? = began?.kind else {
        Issue.record("the event tells of no guest")
        return
      }
      let revocations = try issuer.count("revocations")
      options.isGuest = false
      options.flow = .device
      let steps = try await Self.steps(try await agent.signIn(options))
      guard case .signedIn(let user, true)? = steps.last else {
        Issue.record("the step tells of no guest that was")
        return
      }
      #expect(user.subject != nil)
      #expect(try issuer.count("revocations") == revocations + 1)
      let account = try #require(try await agent.accounts().first)
      #expect(!account.isGuest && account.person != nil)
      let upgraded = try await events.next()
      guard case .signedIn(_, false, true)? = upgraded?.kind else {
        Issue.record("the event tells of no guest that was")
        return
      }
    }
  }

  @Test func `returns the ID Token that the agent has verified`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      let token = try await agent.idToken(for: "work")
      let text = token.revealed()
      #expect(try session.tree.agent("token", "work", "--id-token").lines.first.map(String.init) == text)
      let user = try await agent.currentUser("work")
      #expect(token.user == user)
    }
  }

  @Test func `takes a vault that cannot be read for no sign-out and no other installation`() async throws {
    try await Self.withSession { session in
      let tree = session.tree
      try tree.stopDaemon()
      let name = "state/agent/\(try tree.vaultName())"
      var bytes = try tree.directory.read(name)
      bytes[0] ^= 1
      try tree.directory.write(name, bytes)
      let agent = try Self.agent(tree)
      let errors = [
        await Self.error { () async throws(AgentError) in try await agent.isSignedIn("work") },
        await Self.error { () async throws(AgentError) in try await agent.currentUser("work") },
        await Self.error { () async throws(AgentError) in try await agent.installation() },
        await Self.error(of: agent, for: "work"),
      ]
      #expect(errors.map { $0?.code } == Array(repeating: "vault_unusable", count: 4))
      #expect(errors.allSatisfy { $0?.remedy == .fixConfiguration })
      #expect(try await agent.accounts().map(\.problem?.code) == ["vault_unusable"])
    }
  }

  @Test func `ends a sign-in whose task is cancelled`() async throws {
    try await Self.withTree { tree, issuer in
      let agent = try Self.agent(tree)
      let options = Self.options(issuer, .browser)
      let told = AsyncStream.makeStream(of: SignIn.Page.self)
      var pages = told.stream.makeAsyncIterator()
      var page: SignIn.Page?
      let error = await Self.errorWhenCancelled {
        page = await pages.next()
      } during: { () async throws(AgentError) in
        for try await step in try await agent.signIn(options) {
          if case .openPage(let page) = step { told.continuation.yield(page) }
        }
      }
      #expect(error?.code == "cancelled")
      let redirectURI = try #require(page?.redirectURI)
      // The daemon notices when it reads the end of the connection.
      let deadline = Instant.now.advanced(by: .testLimit)
      while try BrowserLogin.browse(redirectURI) != "000" {
        try #require(Instant.now < deadline, "the port stays open")
        Threads.sleep(for: .milliseconds(20))
      }
      #expect(try await agent.isSignedIn("work") == false)
    }
  }

  // MARK: Events

  @Test func `follows what happens`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      let events = try await agent.events(of: "work").makeAsyncIterator()
      _ = try session.tree.token("work", "--force-refresh")
      let event = try #require(try await events.next())
      #expect(event.account == "work")
      guard case .refreshed(let expiry) = event.kind else {
        Issue.record("not a refresh: \(event)")
        return
      }
      #expect(expiry == (try session.tree.json("token")["expires_at"]?.int))
      try session.tree.stopDaemon()
      #expect(try await events.next() == nil)
    }
  }

  @Test func `stops to follow when its task is cancelled`() async throws {
    try await Self.withSession { session in
      let agent = Agent(socket: session.tree.socketPath)
      let events = try await agent.events()
      let error = await Self.errorWhenCancelled {
      } during: { () async throws(AgentError) in
        for try await _ in events {}
      }
      #expect(error?.code == "cancelled")
    }
  }

  // Design table of the session's life: "lifetime bound to the installation".
  @Test func `after a re-install old sessions do not come back`() async throws {
    try await Self.withSession { session in
      let tree = session.tree
      let sessions = Agent(socket: tree.socketPath)
      let live = RefreshableSession("work", in: sessions)
      _ = try await live.token()
      let first = try #require(try await sessions.installation())
      #expect(try tree.json("status")["vault"]?["installation"]?.string == first.text)
      try tree.stopDaemon()
      try #require(try tree.agent("daemon", "start").succeeded)
      #expect(try await sessions.installation() == first)
      try tree.stopDaemon()
      let vault = "state/agent/\(try tree.vaultName())"
      let old = try tree.directory.read(vault)
      try FileTree.remove(tree.path("state/agent"))
      try #require(try tree.agent("daemon", "start").succeeded)
      #expect(try await sessions.installation() == nil)
      #expect(try await sessions.accounts().map(\.state) == [.signedOut])
      let error = await Self.error(of: live)
      #expect(error?.remedy == .signIn)
      // The same user signs in again, in a new installation in which the old session object has ended.
      try tree.signIn(at: session.issuer.url)
      let second = try #require(try await sessions.installation())
      #expect(second != first)
      let changed = await Self.error(of: live)
      #expect(changed?.remedy == .signIn && changed?.code == "installation_changed")
      // The restored old vault cannot be decrypted with the new installation's secret.
      try tree.stopDaemon()
      try tree.directory.write(vault, old)
      try #require(try tree.agent("daemon", "start").succeeded)
      let foreign = await Self.error(of: sessions, for: "work")
      #expect(foreign?.code == "foreign_device")
    }
  }
}
