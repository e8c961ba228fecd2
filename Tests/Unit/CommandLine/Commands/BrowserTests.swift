import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `Where a browser can be opened` {
  private func place(_ variables: [String: String], files: Set<String> = []) -> BrowserEnvironment {
    BrowserEnvironment(variable: { variables[$0] }, fileExists: { files.contains($0) })
  }

  @Test(arguments: [
    ([:], false), (["DISPLAY": ":0"], true), (["WAYLAND_DISPLAY": "wayland-0"], true), (["DISPLAY": ""], false),
    (["BROWSER": "firefox"], true), (["WSL_DISTRO_NAME": "Debian"], true),
    (["DISPLAY": ":0", "SSH_CONNECTION": "1 2 3 4"], false), (["BROWSER": "firefox", "SSH_TTY": "/dev/pts/0"], false),
    (["DISPLAY": ":0", "container": "podman"], false), (["BROWSER": "b", "container": "podman"], true),
    (["VSCODE_IPC_HOOK_CLI": "/s", "DISPLAY": ":0"], false),
    // A remote editor's own program opens the browser on the user's machine.
    (["VSCODE_IPC_HOOK_CLI": "/s", "BROWSER": "/helper.sh", "SSH_CONNECTION": "1 2 3 4"], true),
    (["CODESPACES": "true"], false),
  ])
  func `is told by the environment`(variables: [String: String], canOpen: Bool) {
    #expect(place(variables).canOpenBrowser == canOpen)
  }

  @Test func `is not a container's screen`() {
    #expect(!place(["DISPLAY": ":0"], files: ["/.dockerenv"]).canOpenBrowser)
    #expect(!place(["DISPLAY": ":0"], files: ["/run/.containerenv"]).canOpenBrowser)
    #expect(place(["BROWSER": "b"], files: ["/.dockerenv"]).canOpenBrowser)
  }

  @Test func `has its commands in order, and the address as one argument`() {
    let url = "https://as.example/a?x=%s&y=$(id)'\";`"
    #expect(
      place(["BROWSER": "firefox --new-tab:lynx %s -x: :w3m --u=%s ", "DISPLAY": ":0", "WSL_INTEROP": "/s"])
        .commands(opening: url) == [
          ["firefox", "--new-tab", url], ["lynx", url, "-x"], ["w3m", "--u=\(url)"], ["xdg-open", url],
          ["gio", "open", url], ["wslview", url],
        ])
    #expect(place([:]).commands(opening: url) == [])
    // The URL is never executed.
    #expect(place(["BROWSER": "%s"]).commands(opening: url) == [])
  }

  @Test func `is given nothing but the web`() {
    for url in [
      "https://as.example/a?b=c", "http://127.0.0.1:1/a", "http://[::1]:1/a", "http://localhost:1/",
      "HTTPS://as.example",
    ] {
      #expect(BrowserOpener.mayOpen(url), "\(url)")
    }
    #expect(BrowserOpener.mayOpen("https://as.example/a?" + String(repeating: "x", count: 9000)))
    for url in [
      "", "http://as.example/", "http://a.localhost:1/", "file:///etc/passwd", "javascript:alert(1)", "-version",
      "as.example",
      "https://as.example/a b", "https://as.example/\u{1B}", "https://u:p@as.example/", " https://as.example",
      "vscode://x/y", "https:as.example",
    ] {
      #expect(!BrowserOpener.mayOpen(url), "\(url)")
    }
  }
}

@Suite struct `agent login with a browser` {
  private let result = JSONObject([("account", "work"), ("issuer", "https://id.example.com")])
  private let url = "https://id.example.com/authorize?state=s&x='$(touch${IFS}pwned)'"

  private func browser(_ mustPaste: Bool = false) -> Event.Browser {
    Event.Browser(
      loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: "openid", url: url,
      redirectURI: "http://127.0.0.1:8400/id.example.com", mustPaste: mustPaste, expiresAt: 4_000_000_000)
  }

  /// Runs a sign-in until the opener has written the file `seen`, the program prints `text`, or enough time for an
  /// opener has passed.
  private func run(
    _ program: AgentProgram, browser variable: String, _ options: [String], untilSeen seen: String? = nil,
    untilTold text: String? = nil
  ) throws -> (status: ProcessStatus, output: [String], error: String) {
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login"] + options, adding: ["BROWSER=\(variable)"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.event(.browser(browser())))
    let isAwaited = seen != nil || text != nil
    let deadline = Instant.now.advanced(by: isAwaited ? .testLimit : .milliseconds(500))
    while Instant.now < deadline {
      if let seen, (try? program.tree.readText("seen")) == seen { break }
      if let text, running.errorText.contains(text) { break }
      Threads.sleep(for: .milliseconds(10))
    }
    try conversation.send(.result(result))
    let status = try running.wait()
    var lines: [String] = []
    while let line = try? running.readLine() { lines.append(line) }
    return (status, lines, running.errorText)
  }

  // The output of a browser is not part of the response.
  @Test func `starts the command with the address as one argument, and keeps its output out`() throws {
    let program = try AgentProgram()
    try program.tree.writeProgram(
      "browser",
      "printf '%s|' \"$#\" \"$1\" > '\(program.tree.path("seen"))'; echo noise; echo noise >&2; test -t 0 && exit 1; exit 0"
    )
    let result = try run(
      program, browser: program.tree.path("browser"), ["--browser", "--json"], untilSeen: "1|\(url)|")
    #expect(result.status == .exited(0))
    #expect(try program.tree.readText("seen") == "1|\(url)|")
    #expect(result.output.count == 2)
    #expect(!result.output.contains { $0.contains("noise") } && result.error == "")
    #expect(try ProcessRunner.shell("ls '\(program.tree.path("."))'").outputText.contains("pwned") == false)
  }

  @Test func `tries the next command, and tells the address when none works`() throws {
    let program = try AgentProgram()
    try program.tree.writeProgram("fails", "exit 3")
    try program.tree.writeProgram("works", "echo > '\(program.tree.path("seen"))'")
    let list = "\(program.tree.path("fails")):/nowhere/browser:\(program.tree.path("works"))"
    let result = try run(program, browser: list, ["--browser"], untilSeen: "\n")
    #expect(result.status == .exited(0))
    #expect(try program.tree.readText("seen") == "\n")
    #expect(!result.error.contains("cannot open a browser"))
  }

  @Test func `tells the address when no command works`() throws {
    let program = try AgentProgram()
    try program.tree.writeProgram("fails", "exit 3")
    let result = try run(
      program, browser: "\(program.tree.path("fails")):/nowhere/browser", ["--browser"],
      untilTold: "cannot open a browser")
    #expect(result.error.contains("open \(url) within "))
    #expect(result.error.contains("cannot open a browser"))
  }

  @Test func `opens nothing when it shall not`() throws {
    let program = try AgentProgram()
    try program.tree.writeProgram("browser", "echo > '\(program.tree.path("seen"))'")
    let result = try run(program, browser: program.tree.path("browser"), ["--browser", "--no-open"])
    #expect(result.error.contains("open \(url) within "))
    #expect(throws: (any Error).self) { try program.tree.readText("seen") }
  }

  @Test func `hands over the address from standard input`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--paste", "--json"])
    let conversation = try daemon.accept()
    let (request, _) = try conversation.receive()
    guard case .login(let login) = request.request else { throw Failure(.invalidRequest, "not a login") }
    #expect(login.flow == .paste)
    try conversation.send(.event(.browser(browser(true))))
    _ = try running.readLine()
    try running.send("\n http://127.0.0.1:8400/id.example.com?code=c&state=s \r\n")
    let (second, _) = try conversation.receive()
    #expect(
      second.request
        == .loginStep(
          .redirect(loginID: "0f", url: "http://127.0.0.1:8400/id.example.com?code=c&state=s")))
    try conversation.send(.result(result))
    #expect(try running.wait() == .exited(0))
  }

  @Test func `fails with what the daemon says of an address from a pipe`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--paste"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.event(.browser(browser(true))))
    try running.send("nonsense\n")
    _ = try conversation.receive()
    try conversation.send(.event(.redirectRefused(Failure(.redirectRejected, "no such address"))))
    #expect(try running.wait() == .exited(1))
    #expect(running.errorText.hasSuffix("agent: error: no such address\n"))
    #expect(!running.errorText.contains("nonsense"))
  }

  @Test func `says no for who cannot be asked who signed in`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--browser", "--no-input"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    let question = Event.Confirm(
      loginID: "0f", account: "work", issuer: "https://as.example", subject: "mallory", name: nil,
      expiresAt: 4_000_000_000)
    try conversation.send(.event(.confirm(question)))
    let (answer, _) = try conversation.receive()
    #expect(answer.request == .loginStep(.confirm(loginID: "0f", isConfirmed: false)))
    try conversation.send(.failure(Failure(.accessDenied, "nobody confirmed who signed in")))
    #expect(try running.wait() == .exited(6))
  }

  @Test func `asks who signed in by name and number`() {
    var question = Event.Confirm(
      loginID: "0f", account: "work", issuer: "https://as.example", subject: "s-1", name: "mallory", expiresAt: 1)
    let language = Language.english
    #expect(language.text(LoginText.question(question)).contains("mallory (s-1)"))
    question.name = nil
    #expect(language.text(LoginText.question(question)).contains("https://as.example identifies the user as s-1."))
  }

  @Test func `says what helps when the daemon is of an older version`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["login", "--browser"])
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(.failure(.unknownRequest))
    #expect(try running.wait() == .exited(2))
    #expect(running.errorText.contains("agent daemon stop"))
  }

  @Test func `takes one way to sign in`() throws {
    let program = try AgentProgram()
    let result = try program.run(["login", "--browser", "--paste"])
    #expect(result.status == .exited(2))
    #expect(result.errorText == "agent: error: --browser cannot be used with --paste\n")
  }
}

@Suite struct `The screen of a sign-in in the browser` {
  private let event = Event.Browser(
    loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: "openid\u{1B}[31m",
    url: "https://id.example.com/authorize?" + String(repeating: "x", count: 200),
    redirectURI: "http://127.0.0.1:8400/id.example.com", mustPaste: false, expiresAt: 1, urlExpiresAt: 60)

  @Test func `has the address whole and on a line of its own`() {
    for columns in [20, 80, 300] {
      for view in [BrowserView.opens, .byHand] {
        let lines = SignInScreen(columns: columns, isStyled: true).text(event, view, now: 0).split(separator: "\n")
        let url = lines.first { $0.contains("authorize") }.map { String($0) }
        let indent = columns < 300 ? "" : "  "
        #expect(url == indent + event.url)
        #expect(!lines.contains { $0.contains("\u{1B}") })
      }
    }
  }

  @Test func `says who asks, and what to do`() {
    var event = event
    let screen = SignInScreen(columns: 80, isStyled: false)
    #expect(screen.text(event, .opens, now: 0).hasPrefix("Sign in to id.example.com\n"))
    #expect(screen.text(event, .opens, now: 0).contains("Opening your browser."))
    #expect(screen.text(event, .byHand, now: 0).contains("Open this address on this machine within 1m:"))
    for view in [BrowserView.opens, .byHand] {
      #expect(screen.text(event, view, now: 0).contains("on another device, cancel and use --device or --paste."))
    }
    event.mustPaste = true
    let text = screen.text(event, .byHand, now: 0)
    #expect(text.contains("in any browser, on this device or another") && text.contains("paste it here"))
    #expect(text.contains("\n  http://127.0.0.1:8400/id.example.com\n"))
  }
}

@Suite struct `A tunnel to a sign-in` {
  @Test(arguments: [
    ("10.0.0.1 50000 192.0.2.7 22", "192.0.2.7"), ("fe80::1 50000 fe80::2%eth0 2222", "fe80::2%eth0 -p 2222"),
    ("", Machine.hostName()), ("10.0.0.1", Machine.hostName()),
  ]) func `leads to this user at the address that ssh reached`(connection: String, address: String) {
    let variables: [String: String] = ["SSH_CONNECTION": connection, "USER": "someone"]
    let name = UserEntry.of(Machine.userID)?.name ?? "someone"
    #expect(LoginWait.sshDestination { variables[$0] } == "\(name)@\(address)")
  }
}
