import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@Suite struct `agent login` {
  private let code = Event.DeviceCode(
    loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: "openid",
    userCode: "WDJB-MJHT",
    verificationURI: "https://id.example.com/device", verificationURIComplete: nil, expiresAt: 4_000_000_000,
    interval: 5)

  private let result = JSONObject([("account", "work"), ("issuer", "https://id.example.com"), ("subject", "42")])

  @Test func `shows the code on standard error at once and ends by itself`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "work"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.event(.deviceCode(code)))
    try conversation.send(.result(result))
    #expect(try running.wait() == .exited(0))
    #expect(running.errorText.contains("open https://id.example.com/device and enter the code WDJB-MJHT within "))
    #expect(running.errorText.hasSuffix("\nagent: signed in to https://id.example.com as 42 (account work)\n"))
    #expect(!running.errorText.contains("\u{1B}"))
    #expect(throws: ProcessFailure.ended(error: running.errorText)) { try running.readLine() }
  }

  @Test func `prints its events as JSON lines as they happen`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--json"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.event(.deviceCode(code)))
    // The line is printed before the sign-in continues.
    let event = try JSON(parsing: Array(try running.readLine().utf8))
    #expect(Event(json: event) == .deviceCode(code))
    try conversation.send(.result(result))
    #expect(
      try running.readLine()
        == #"{"event":"signed_in","account":"work","issuer":"https://id.example.com","subject":"42"}"#)
    #expect(try running.wait() == .exited(0))
    #expect(running.errorText == "")
  }

  @Test func `ends its events with the error when it fails`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([Reply.failure(Failure(.accessDenied, "no")).serialized()])
    let result = try program.run(["login", "--json"])
    #expect(result.status == .exited(6))
    #expect(result.outputText == #"{"event":"error","code":"access_denied","message":"no"}"# + "\n")
    #expect(result.errorText == #"{"error":{"code":"access_denied","message":"no"}}"# + "\n")
  }

  @Test(arguments: [(Signals.SIGINT, 130), (Signals.SIGTERM, 143)] as [(Int32, Int32)])
  func `cancels at the daemon when it is interrupted`(signal: Int32, status: Int32) throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--json"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.event(.deviceCode(code)))
    _ = try running.readLine()
    try running.signal(signal)
    #expect(try conversation.hasEnded())
    #expect(try running.wait() == .exited(status))
  }

  @Test func `hands the client secret over as an open file, from a file or from standard input`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try program.tree.write("secret", "from a file")
    for (path, input) in [("secret", ""), ("-", "from a pipe")] {
      let running = try program.start(["login", "--client-secret-file", path])
      try running.send(input)
      running.closeInput()
      let conversation = try daemon.accept()
      let (request, passed) = try conversation.receive()
      guard case .login(let login) = request.request else { throw Failure(.invalidRequest, "not a login") }
      #expect(login.passedSecrets == [.clientSecret])
      let secret = try #require(passed).descriptor.readToEnd(limit: 100)
      #expect(String(decoding: secret, as: UTF8.self) == (input.isEmpty ? "from a file" : input))
      try conversation.send(.result(result))
      #expect(try running.wait() == .exited(0))
    }
  }

  @Test func `says that the client secret's file is missing before it asks the daemon`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let result = try program.run(["login", "--client-secret-file", "missing"])
    #expect(result.status == .exited(2))
    #expect(
      result.errorText
        == "agent: error: cannot read the client secret file \"missing\": No such file or directory\n")
    withExtendedLifetime(daemon) {}
  }

  @Test func `sends an absolute path of the certificate file and the caller's proxy`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try program.tree.write("ca.pem", "certificates")
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (request, _) = try? conversation.receive(),
        case .login(let login) = request.request
      else { return }
      let seen = "\(login.caFile ?? "-") \(login.proxy ?? "-") \(login.proxyExclusions ?? "-")"
      try? conversation.send(.failure(Failure(.cancelled, verbatim: seen)))
    }
    let result = try program.run(
      ["login", "--ca-file", "ca.pem"], adding: ["https_proxy=http://p:1", "NO_PROXY=localhost"])
    #expect(result.errorText == "agent: error: \(program.tree.path("ca.pem")) http://p:1 localhost\n")
  }
}
