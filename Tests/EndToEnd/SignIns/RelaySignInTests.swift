import Encoding
import Platform
import TestSupport
import Testing

/// `agent ssh`. The host and the user's own machine are both this machine, with two homes.
@Suite(.needsPrograms) struct `A sign-in on a host` {
  /// The two homes, and an issuer whose pages have an https address that only the simulated browser knows.
  private struct Scene {
    let issuer: Issuer
    let near: AgentTree
    let far: AgentTree

    static let page = "https://login.example"

    static func with(_ body: (Scene) throws -> Void) throws {
      try Issuer.with { issuer in
        try AgentTree.with { near in
          try AgentTree.with { far in try body(Scene(issuer: issuer, near: near, far: far)) }
        }
      }
    }

    /// The arguments that add an account with the page, before a sign-in with its name.
    static func adding(_ account: String, _ issuer: Issuer) -> [String] {
      [
        "account", "add", account, "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--authorization-endpoint", Scene.page + "/authorize", "--quiet",
      ]
    }

    /// The commands that add an account, unless it exists, and sign in.
    static func login(_ agent: String, _ account: String, _ issuer: Issuer) -> String {
      let add = ([agent] + adding(account, issuer)).map { "'\($0)'" }.joined(separator: " ")
      return "\(add) 2>/dev/null; \(agent) login \(account)"
    }

    func prepare() throws -> SSHHost {
      try Self.writeBrowser(near, issuer)
      return try SSHHost(near: near, far: far)
    }

    /// The browser follows the link to the page, and from there the redirect.
    static func writeBrowser(_ near: AgentTree, _ issuer: Issuer) throws {
      try near.directory.writeProgram(
        "browser",
        """
        #!/bin/sh
        page=$(\(BrowserLogin.curl) -w '%{redirect_url}' "$1")
        back=$(\(BrowserLogin.curl) -w '%{redirect_url}' "$(echo "$page" | sed 's,^\(Scene.page),\(issuer.url),')")
        curl -qsS --noproxy '*' "$back" > '\(near.path("page"))'
        """)
    }

    /// Runs `agent ssh` with a sign-in as its command.
    func connect(_ host: SSHHost, _ account: String = "work") throws -> WatchedProgram {
      let agent = try Programs.path("agent")
      let command = Self.login(agent, account, issuer)
      return try WatchedProgram(
        near, columns: 150, rows: 50, ["BROWSER": near.path("browser"), "SSH_CONNECTION": nil],
        [agent, "ssh", "-F", host.configuration, "-t", "there", command])
    }

    func expectNothingLeft() throws {
      #expect(try far.directory.open("runtime/agent/relays").fileNames() == [])
      #expect(try near.directory.open("runtime/agent/leases").fileNames() == [".lock"])
      #expect(try near.directory.open("runtime/agent").fileNames() == ["leases"])
      #expect(try near.directory.open("state").fileNames() == [])
    }
  }

  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `uses the browser of the machine before it, once the user agrees there`() throws {
    try Scene.with { scene in
      let program = try scene.connect(scene.prepare())
      let question = try program.until("Open the page? [y/N]")
      #expect(question.lines.contains { $0.contains("@there asks to open a page of login.example in your browser.") })
      #expect(question.echoes && (try? scene.near.directory.read("page")) == nil)
      try program.type("yes\r")
      try program.until("signed in to \(scene.issuer.url)")
      let end = try program.end()
      #expect(end.status == 0 && end.echoes)
      #expect(try !scene.far.token().isEmpty)
      let told = "The account on \(try #require(name))@there is work."
      let deadline = Instant.now.advanced(by: .testLimit)
      // The browser ends on its own.
      while (try? scene.near.directory.readText("page"))?.contains(told) != true {
        try #require(Instant.now < deadline, "the browser shows no result")
        Threads.sleep(for: .milliseconds(20))
      }
      try scene.expectNothingLeft()
    }
  }

  private var name: String? {
    try? ProcessRunner.shell("id -un").outputText.split(separator: "\n").first.map(String.init)
  }

  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `opens nothing without a yes, and then takes a pasted address`() throws {
    try Scene.with { scene in
      let program = try scene.connect(scene.prepare())
      try program.until("Open the page? [y/N]")
      try program.type("no\r")
      try program.until("your own machine does not open the page: that was declined")
      let screen = try program.until(" left.")
      let page = try #require(screen.lines.map { $0.drop { $0 == " " } }.last { $0.hasPrefix(Scene.page) })
      #expect((try? scene.near.directory.read("page")) == nil)
      let answer = try BrowserLogin.redirect(page.replacing(Scene.page, with: scene.issuer.url))
      try program.type(answer)
      try program.type("\r")
      #expect(try program.end().status == 0)
      try scene.expectNothingLeft()
    }
  }

  @Test(
    .enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"),
    .enabled(if: Machine.userID == 0, "only root can be two users"))
  func `is that of another user there`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { near in
        try OtherUser.with(userID: 65_533) { user in
          try Scene.writeBrowser(near, issuer)
          let host = try SSHHost(near: near, user: user)
          let agent = "\(user.folder)/bin/agent"
          let login = Scene.login(agent, "work", issuer)
          let program = try WatchedProgram(
            near, columns: 150, rows: 50, ["BROWSER": near.path("browser"), "SSH_CONNECTION": nil],
            [
              Programs.path("agent"), "ssh", "-F", host.configuration, "-t", "there",
              "\(login) && \(agent) token > /dev/null && id -u && \(agent) daemon stop",
            ])
          try program.until("guest@there asks to open a page of login.example in your browser.")
          try program.until("Open the page? [y/N]")
          try program.type("yes\r")
          let end = try program.end()
          #expect(end.status == 0 && end.lines.contains("65533"), "\(end.rows)")
          #expect(try near.directory.open("state").fileNames() == [])
        }
      }
    }
  }

  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `is one of two at once, each with the terminal of its own connection`() throws {
    try Scene.with { scene in
      let host = try scene.prepare()
      let accounts = ["work", "home"]
      let programs = try accounts.map { try scene.connect(host, $0) }
      for (account, program) in zip(accounts, programs) {
        let question = try program.until("Open the page? [y/N]")
        #expect(question.lines.contains { $0.contains("Account") && $0.hasSuffix(account) }, "\(question.rows)")
      }
      for program in programs.reversed() {
        try program.type("yes\r")
        let end = try program.end()
        #expect(end.status == 0 && end.raw.contains("signed in to \(scene.issuer.url)"), "\(end.rows)")
      }
      for account in accounts { #expect(try !scene.far.token(account).isEmpty) }
      try scene.expectNothingLeft()
    }
  }

  @Test(.enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `leaves no connection that stands still if the question is killed`() throws {
    try Scene.with { scene in
      let host = try scene.prepare()
      let program = try scene.connect(host)
      try program.until("Open the page? [y/N]")
      let connections = try host.connections()
      #expect(connections.count == 1)
      for process in connections { try ProcessFiles.awaitStop(of: process) }
      try program.signal(Signals.SIGKILL)
      _ = try program.end()
      let deadline = Instant.now.advanced(by: .testLimit)
      while try !host.connections().isEmpty {
        guard Instant.now < deadline else {
          for process in try host.connections() { try? Spawn.kill(process, Signals.SIGKILL) }
          Issue.record("a connection is left")
          return
        }
        Threads.sleep(for: .milliseconds(20))
      }
    }
  }

  private static let connected: [String: String?] = ["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22", "DISPLAY": nil]

  @Test(arguments: [true, false]) func `without that machine is the browser's, by a tunnel or pasted`(
    isTunnelled: Bool
  ) throws {
    try Issuer.with(["--no-par"]) { issuer in
      try AgentTree.with { tree in
        let command = try [Programs.path("agent")] + BrowserLogin.line(issuer).dropLast()
        let program = try WatchedProgram(tree, columns: 150, rows: 50, Self.connected, command)
        let screen = try program.until(" left.")
        let page = try #require(
          screen.lines.map { String($0.drop { $0 == " " }) }.first { $0.hasPrefix(issuer.url + "/auth") })
        let port = try #require(URI(BrowserLogin.value(of: "redirect_uri", in: page)).port)
        #expect(
          screen.lines.contains {
            $0.contains("  ssh -L \(port):127.0.0.1:\(port) ") && $0.hasSuffix("@192.0.2.2")
          })
        if isTunnelled {
          #expect(try BrowserLogin.browse(page) == "200")
        } else {
          let answer = try BrowserLogin.redirect(page)
          #expect(!screen.echoes)
          try program.type(answer)
          try program.type("\r")
        }
        let end = try program.end()
        #expect(end.status == 0 && end.echoes && end.raw.contains("signed in to \(issuer.url)"), "\(end.rows)")
        #expect(try !tree.token().isEmpty)
      }
    }
  }

  @Test func `is a code where no terminal can be pasted to, and where the user says so`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let login = try BrowserLogin(tree, BrowserLogin.line(issuer), Self.connected)
        #expect(login.event["event"] == "device_code")
        #expect(try login.end().status == .exited(0))
        let command = try [Programs.path("agent")] + BrowserLogin.line(issuer, account: "other").dropLast()
        let program = try WatchedProgram(tree, columns: 150, rows: 50, Self.connected, command + ["--device"])
        let end = try program.end()
        #expect(end.status == 0 && !end.raw.contains("ssh -L"), "\(end.rows)")
      }
    }
  }

  /// The user's own machine answers these lines and then ends the connection.
  private static func answering(_ lines: [String], _ scene: Scene, _ body: (WatchedProgram) throws -> Void) throws {
    _ = try scene.far.directory.open("runtime/agent")
    let folder = try scene.far.directory.open("runtime/agent/relays")
    let listener = SharedDescriptor(try UnixSocket.listen(in: folder, name: "ssh-1-0", backlog: 8))
    try listener.descriptor.setNonBlocking(false)
    try Threads.start(name: "machine") {
      guard let peer = try? UnixSocket.accept(listener.descriptor) else { return }
      try? peer.setNonBlocking(false)
      var bytes: [UInt8] = []
      for line in lines {
        guard let count = try? peer.read(into: &bytes, upTo: 65_536), count > 0 else { return }
        try? peer.writeAll(Array((line + "\n").utf8).span)
      }
      // The request to open the page.
      _ = try? peer.read(into: &bytes, upTo: 65_536)
    }
    _ = try scene.far.agent(Scene.adding("work", scene.issuer))
    let command = [try Programs.path("agent"), "login", "work"]
    try body(
      try WatchedProgram(
        scene.far, columns: 150, rows: 50, connected, command))
  }

  @Test(arguments: [
    ([#"{"v":1,"port":8400}"#], "the connection to your own machine was lost"),
    (
      [#"{"v":1,"port":8400}"#, #"{"v":1,"refused":"port_taken"}"#],
      "your own machine does not open the page: the port of the registered redirect URI is in use there"
    ),
    (
      [#"{"v":1,"port":8400}"#, #"{"v":1,"redirect":"http://127.0.0.1:8400/other?code=c"}"#],
      "this address does not belong to this sign-in"
    ),
  ])
  func `goes on, or ends with the reason, where that machine does not take part`(
    lines: [String], reason: String
  ) throws {
    try Scene.with { scene in
      try Self.answering(lines, scene) { program in
        try program.until(reason)
        if lines.count == 2, lines[1].contains("redirect") {
          #expect(try program.end().status == 1)
        } else {
          let screen = try program.until(" left.")
          #expect(screen.lines.contains { $0.hasSuffix("http://127.0.0.1:8400/callback") })
          try program.interrupt()
          #expect(try program.end().status == 130)
        }
      }
    }
  }
}
