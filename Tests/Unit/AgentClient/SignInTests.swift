import TestSupport
import Testing
import Wire

@testable import AgentClient

@Suite struct `A sign-in` {
  private static func line(_ event: Event) -> String {
    String(decoding: Reply.event(event).serialized().dropLast(), as: UTF8.self)
  }

  private static let page = line(
    .browser(
      Event.Browser(
        loginID: "0f", account: "work", issuer: "https://id.example", clientID: "cli", scope: nil,
        url: "https://id.example/a",
        redirectURI: "http://127.0.0.1:1/", mustPaste: true, expiresAt: 17)))
  private static let code = line(
    .deviceCode(
      Event.DeviceCode(
        loginID: "0f", account: "work", issuer: "https://id.example", clientID: "cli", scope: nil, userCode: "AB-CD",
        verificationURI: "https://id.example/d", verificationURIComplete: nil, expiresAt: 17, interval: 5)))
  private static let question = line(
    .confirm(
      Event.Confirm(
        loginID: "0f", account: "work", issuer: "https://id.example", subject: "ann", name: "Ann", expiresAt: 17)))
  private static let signedIn =
    #"{"v":1,"result":{"account":"work","issuer":"https://id.example","subject":"ann","scope":"openid a"}}"#

  private static func steps(_ signIn: SignIn) async throws(AgentError) -> [SignIn.Step] {
    var steps: [SignIn.Step] = []
    let iterator = signIn.makeAsyncIterator()
    while let step = try await iterator.next() { steps.append(step) }
    return steps
  }

  @Test func `tells each step, and ends with the session`() async throws {
    let refused = Self.line(.redirectRefused(Failure(.redirectRejected, "not this one")))
    let lines = [Self.line(.notice("hello")), Self.page, refused, Self.code, Self.question, Self.signedIn]
    let played = try PlayedAgent([[lines.joined(separator: "\n")]])
    let signIn = try await Agent(socket: played.path).signIn(SignInOptions("work"))
    #expect(
      try await Self.steps(signIn) == [
        .notice("hello"),
        .openPage(
          SignIn.Page(
            account: "work", issuer: "https://id.example", url: "https://id.example/a", linkURL: nil,
            redirectURI: "http://127.0.0.1:1/", mustPaste: true,
            expiresAt: 17)),
        .redirectRefused(
          AgentError(.fixConfiguration, code: "redirect_rejected", message: "not this one")),
        .enterCode(
          SignIn.DeviceCode(
            account: "work", issuer: "https://id.example", userCode: "AB-CD", verificationURI: "https://id.example/d",
            verificationURIComplete: nil, expiresAt: 17)),
        .confirm(subject: "ann", name: "Ann"),
        .signedIn(
          Session(account: "work", issuer: "https://id.example", subject: "ann", scope: ["openid", "a"])),
      ])
    #expect(played.requests == [#"{"v":1,"request":"login","account":"work","timeout":600}"#])
  }

  @Test func `tells that a guest is now a user`() async throws {
    let upgraded = Self.signedIn.replacing(#","scope""#, with: #","upgraded_from_guest":true,"scope""#)
    let played = try PlayedAgent([[upgraded]])
    let signIn = try await Agent(socket: played.path).signIn(SignInOptions("work"))
    #expect(
      try await Self.steps(signIn) == [
        .signedIn(
          Session(account: "work", issuer: "https://id.example", subject: "ann", scope: ["openid", "a"]),
          wasGuest: true)
      ])
    var options = SignInOptions("work")
    options.isGuest = true
    #expect(
      String(decoding: RequestEnvelope(.login(options.request)).serialized(), as: UTF8.self)
        == #"{"v":1,"request":"login","account":"work","guest":true}"# + "\n")
  }

  @Test func `asks for what its options say`() {
    var options = SignInOptions("work", issuer: "https://id.example", clientID: "cli")
    options.scope = ["openid"]
    options.resources = ["https://api.example"]
    options.origins = ["https://other.example"]
    options.flow = .paste
    options.canOpenBrowser = true
    options.bindsTokens = true
    options.keepsSession = true
    options.activates = true
    options.isEphemeral = true
    options.allowsHTTPLoopback = true
    options.loginHint = "ann"
    options.prompt = "login"
    options.acrValues = ["2"]
    options.maximumAge = .seconds(60)
    #expect(
      String(decoding: RequestEnvelope(.login(options.request)).serialized(), as: UTF8.self)
        == #"{"v":1,"request":"login","account":"work","issuer":"https://id.example","client_id":"cli","#
        + #""scope":["openid"],"resource":["https://api.example"],"allow_http_loopback":true,"dpop":true,"#
        + #""origins":["https://other.example"],"flow":"paste","can_open_browser":true,"unless":"signed_in","use":true,"#
        + #""ephemeral":true,"prompt":"login","login_hint":"ann","acr_values":["2"],"max_age":60}"# + "\n")
    for (flow, word) in [(SignInOptions.Flow.browser, LoginRequest.Flow.browser), (.device, .device), (.paste, .paste)]
    {
      options.flow = flow
      #expect(options.request.flow == word)
    }
    options.timeout = .seconds(7200)
    #expect(options.timeoutSeconds == 3600)
  }

  @Test func `fails with the reason of the agent`() async throws {
    let played = try PlayedAgent([
      ["\(Self.code)\n" + #"{"v":1,"error":{"code":"code_expired","message":"too late"}}"#]
    ])
    let signIn = try await Agent(socket: played.path).signIn()
    var thrown: AgentError?
    do throws(AgentError) { _ = try await Self.steps(signIn) } catch { thrown = error }
    #expect(thrown == AgentError(.signIn, code: "code_expired", message: "too late"))
    // Nothing follows the error.
    #expect(try await Self.steps(signIn) == [])
  }

  @Test func `passes the pasted address and the person's word on a connection of their own`() async throws {
    let done = #"{"v":1,"result":{"account":"work"}}"#
    // The first connection stays open: it belongs to the sign-in.
    let waiting = try PlayedAgent([[Self.page, ""]])
    let signIn = try await Agent(socket: waiting.path).signIn()
    var early: AgentError?
    do throws(AgentError) { try await signIn.confirm(true) } catch { early = error }
    #expect(early?.remedy == .fixProgram)
    let played = try PlayedAgent([[Self.question + "\n" + Self.signedIn], [done, done]])
    let other = try await Agent(socket: played.path).signIn()
    #expect(try await Self.steps(other).count == 2)
    try await other.pass(redirect: "http://127.0.0.1:1/?code=x")
    try await other.confirm(true)
    #expect(
      played.requests.dropFirst() == [
        #"{"v":1,"request":"login_redirect","login":"0f","url":"http://127.0.0.1:1/?code=x","timeout":120}"#,
        #"{"v":1,"request":"login_confirm","login":"0f","confirmed":true,"timeout":120}"#,
      ])
  }

  @Test func `ends when its task is cancelled`() async throws {
    let played = try PlayedAgent([[Self.code, ""]])
    let agent = Agent(socket: played.path)
    let told = AsyncStream.makeStream(of: SignIn.Step.self)
    let task = Task { () -> AgentError? in
      do throws(AgentError) {
        let steps = try await agent.signIn().makeAsyncIterator()
        while let step = try await steps.next() { told.continuation.yield(step) }
        return nil
      } catch {
        return error
      }
    }
    var steps = told.stream.makeAsyncIterator()
    guard case .enterCode = await steps.next() else {
      Issue.record("there is no code")
      return
    }
    task.cancel()
    #expect(await task.value?.code == "cancelled")
    #expect(await played.next()?.contains(#""request":"login""#) == true)
    #expect(await played.next() == "closed")
  }

  @Test func `ends when nothing holds it any more`() async throws {
    let played = try PlayedAgent([[Self.code, ""]])
    do {
      let signIn = try await Agent(socket: played.path).signIn()
      _ = try await signIn.makeAsyncIterator().next()
    }
    _ = await played.next()
    #expect(await played.next() == "closed")
  }
}
