import Encoding
import Platform
import TestSupport
import Testing

/// Services that compare the port of a redirect URI, such as Okta and Dropbox, have one for all their clients.
@Suite(.needsPrograms) struct `One port for several sign-ins` {
  private static func waiting(
    _ account: String, _ tree: AgentTree, _ issuer: Issuer, _ uri: String
  ) throws -> BrowserLogin {
    let line = BrowserLogin.line(issuer, account: account) + ["--browser", "--no-open", "--redirect-uri", uri]
    return try BrowserLogin(tree, line)
  }

  @Test func `brings each answer to the sign-in whose state it has`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let port = try LoopbackServer.unusedPort()
        let one = try Self.waiting("one", tree, issuer, "http://127.0.0.1:\(port)/callback")
        let other = try Self.waiting("other", tree, issuer, "http://127.0.0.1:\(port)/callback")
        #expect(one.event["event"] == "browser" && other.event["event"] == "browser", "\(other.event)")
        #expect(try BrowserLogin.browse(other.url) == "200")
        let end = try other.end()
        #expect(end.event["event"] == "signed_in" && end.event["account"] == "other")
        #expect(try BrowserLogin.browse(one.url) == "200")
        #expect(try one.end().event["account"] == "one")
        #expect(try BrowserLogin.browse("http://127.0.0.1:\(port)/callback") == "000")
      }
    }
  }

  @Test func `that another program has is told with that program`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let script = """
          import socket
          s = socket.socket()
          s.bind(("127.0.0.1", 0))
          s.listen()
          print(s.getsockname()[1], flush=True)
          input()
          """
        let holder = try RunningProcess(executable: "/usr/bin/env", arguments: ["python3", "-c", script])
        let port = try holder.readLine()
        let line = BrowserLogin.line(issuer).filter { $0 != "--json" }
        let result = try tree.agent(line + ["--browser", "--no-open", "--redirect-uri", "http://127.0.0.1:\(port)/cb"])
        #expect(result.failed(1))
        let whose = "port \(port) is in use by python3, process \(holder.processID)\n"
        #expect(result.errorText.contains(whose), "\(result.errorText)")
        try holder.terminate(Signals.SIGKILL)
      }
    }
  }

  private static func expectOther(_ result: ProcessResult, _ port: UInt16, _ daemon: String? = nil) {
    #expect(result.failed(1))
    let whose = "port \(port) is in use by another sign-in, of agentd, process \(daemon ?? "")"
    #expect(result.errorText.contains(whose), "\(result.errorText)")
    #expect(result.errorText.contains("hint: finish that sign-in first, or "), "\(result.errorText)")
    #expect(result.errorText.hasSuffix(" --paste\n"), "\(result.errorText)")
  }

  @Test(.enabled(if: Machine.userID == 0, "another user does not see which of many daemons it is"))
  func `that another daemon has is told as that of another sign-in`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { one in
        try AgentTree.with { other in
          let port = try LoopbackServer.unusedPort()
          let uri = "http://127.0.0.1:\(port)/callback"
          let waiting = try Self.waiting("one", one, issuer, uri)
          let line = BrowserLogin.line(issuer).filter { $0 != "--json" }
          let result = try other.agent(line + ["--browser", "--no-open", "--redirect-uri", uri])
          Self.expectOther(result, port, try #require(one.daemons().first).description)
          #expect(try BrowserLogin.browse(waiting.url) == "200")
          #expect(try waiting.end().status == .exited(0))
        }
      }
    }
  }

  // The descriptors of a daemon are hidden from its own user, too.
  @Test(.enabled(if: Machine.userID == 0, "only root can be another user"))
  func `that another daemon of the same user has is told, though its files are hidden`() throws {
    try Issuer.with { issuer in
      let port = try LoopbackServer.unusedPort()
      let line =
        BrowserLogin.line(issuer).filter { $0 != "--json" }
        + ["--browser", "--no-open", "--redirect-uri", "http://127.0.0.1:\(port)/callback"]
      try OtherUser.with(userID: 61_234) { user in
        try #require(user.agent(line + ["--start"]).succeeded)
        let script = "unset XDG_RUNTIME_DIR; export HOME=$HOME/second; mkdir -p $HOME; exec \"$@\""
        let second = ["/bin/sh", "-c", script, "sh"]
        Self.expectOther(try user.agent(line, in: second), port)
        #expect(try user.agent(["daemon", "stop"], in: second).succeeded)
      }
      // The message names only the user of another user's daemon.
      try OtherUser.with(userID: 61_235) { user in
        try #require(user.agent(line + ["--start"]).succeeded)
        try OtherUser.with(userID: 61_236) { other in
          let result = try other.agent(line)
          #expect(
            result.errorText.contains("port \(port) is in use by a program of user 61235\n"), "\(result.errorText)")
        }
      }
    }
  }

  @Test func `is none that browsers refuse`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let line = BrowserLogin.line(issuer).filter { $0 != "--json" }
        let result = try tree.agent(line + ["--browser", "--no-open", "--redirect-uri", "http://127.0.0.1:6000/cb"])
        let reason = "browsers do not connect to port 6000"
        #expect(!result.succeeded && result.errorText.contains(reason), "\(result.errorText)")
      }
    }
  }
}

/// Rejected requests to the port of a sign-in, as the waiting terminal reports them.
@Suite(.needsPrograms) struct `The terminal that waits is told` {
  /// The notice after `visit`, which is made twice.
  private static func notice(_ visit: (BrowserLogin) throws -> Void) throws -> String {
    try Issuer.with { issuer in
      try issuer.control("par", "off")
      return try AgentTree.with { tree in
        let waiting = try BrowserLogin(tree, issuer)
        for _ in 0..<2 { try visit(waiting) }
        let event = try waiting.next()
        #expect(try BrowserLogin.browse(waiting.url) == "200")
        #expect(try waiting.next()["event"] == "signed_in")
        #expect(try waiting.login.wait() == .exited(0))
        #expect(event["event"] == "notice", "\(event)")
        return event["message"]?.string ?? ""
      }
    }
  }

  @Test func `of an error without the state of the sign-in`() throws {
    let text = try Self.notice { (waiting) throws in
      #expect(try BrowserLogin.browse(waiting.redirectURI + "?error=invalid_scope") == "400")
    }
    #expect(text.hasPrefix("the browser sent the error invalid_scope without the state of this sign-in"), "\(text)")
  }

  @Test func `of a browser that tries https, which is answered at once`() throws {
    let begin = Instant.now
    let text = try Self.notice { (waiting) throws in
      let place = waiting.redirectURI.replacing("http:", with: "https:")
      #expect(try BrowserLogin.browse(place, "-k 2>/dev/null") == "000")
    }
    #expect(text.hasPrefix("the browser used https for ") && text.contains("agent login work "), "\(text)")
    #expect(text.hasSuffix("--paste"), "\(text)")
    #expect(begin.duration(to: .now) < .seconds(10), "a hello was waited with")
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be another user"))
  func `of a connection of another user, with the tunnel of the right one`() throws {
    let text = try Self.notice { waiting in
      let line = "setpriv --reuid=65534 --regid=65534 --clear-groups \(BrowserLogin.curl) '\(waiting.redirectURI)' || :"
      _ = try ProcessRunner.shell(line)
    }
    #expect(text.contains("ssh -L ") && text.contains(" root@") && text.contains("user nobody"), "\(text)")
    #expect(text.hasSuffix("--paste"), "\(text)")
  }

  @Test(
    .enabled(if: Machine.userID == 0, "only root's sshd serves another user"),
    .enabled(if: Recipes.hasSSH, "openssh-server is not installed; \"make deps-check\" installs it"))
  func `of a tunnel that another user's ssh -L made, with the right one`() throws {
    try Issuer.with { issuer in
      try issuer.control("par", "off")
      try AgentTree.with { tree in
        let waiting = try BrowserLogin(tree, issuer)
        let port = try #require(try URI(waiting.redirectURI).port)
        let answer = try BrowserLogin.redirect(waiting.url)
        try SSHTunnel.with(port, as: "nobody") { (through) throws in
          #expect(try BrowserLogin.browse(answer, "\(through) 2>/dev/null") == "000")
        }
        let text = try waiting.next()["message"]?.string ?? ""
        #expect(text.contains("ssh -L \(port):127.0.0.1:\(port) root@") && text.contains("user nobody"), "\(text)")
        try SSHTunnel.with(port) { (through) throws in
          #expect(try BrowserLogin.browse(answer, through) == "200")
        }
        #expect(try waiting.end().status == .exited(0))
      }
    }
  }

  @Test func `and a request in absolute form, or for localhost, is taken`() throws {
    try Issuer.with { issuer in
      try issuer.control("par", "off")
      try AgentTree.with { tree in
        let waiting = try BrowserLogin(tree, issuer)
        let answer = try BrowserLogin.redirect(waiting.url)
        let proxy = waiting.redirectURI.split(separator: "/").prefix(2).joined(separator: "//")
        // curl sends the target in this form to a proxy.
        let page = try ProcessRunner.shell(
          "curl -qsS --max-time 1800 -o /dev/null -w '%{http_code}' --proxy '\(proxy)' '\(answer)'")
        #expect(page.outputText == "200", "\(page.errorText)")
        #expect(try waiting.end().status == .exited(0))
      }
    }
  }
}

@Suite(.needsPrograms) struct `A sign-in that waits` {
  @Test func `is shown by status and list until it ends`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn("other", at: issuer.url)
        let waiting = try BrowserLogin(tree, issuer)
        for command in ["status", "list"] {
          let signIns = try tree.json(command)["sign_ins"]?.array
          #expect(signIns?.count == 1 && signIns?[0]["account"] == "work" && signIns?[0]["flow"] == "browser")
          #expect(signIns?[0]["expires_at"] == waiting.event["expires_at"])
          let text = try tree.agent(command).outputText
          #expect(text.contains("\nthe sign-in to work is waiting for the browser, "), "\(text)")
        }
        #expect(try tree.json("status", "other")["sign_ins"] == nil)
        try waiting.giveUp()
        #expect(try tree.json("list")["sign_ins"] == nil)
      }
    }
  }

  // As if no desktop is running, or the one that is running has no browser.
  @Test(arguments: [("xdg-open", nil, "wslview"), ("gio", "gio open", "xdg-open")])
  func `tries the next command when one hangs that should pass the URL on and end`(
    hanging: String, browser: String?, next: String
  ) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let setUp = """
          mkdir openers && cd openers
          here='cd "${0%/*}/.."'
          printf '#!/bin/sh\\n%s; echo $$ > hanging; exec sleep 1000\\n' "$here" > \(hanging)
          printf '#!/bin/sh\\n%s; echo "$1" > new; mv new opened\\n' "$here" > \(next)
          chmod +x *
          """
        try #require(tree.shell("sh", setUp).succeeded)
        let path = "\(tree.path("home/openers")):\(try #require(Programs.folder)):/usr/bin:/bin"
        let changes: [String: String?] = [
          "PATH": path, "DISPLAY": ":9", "WSL_INTEROP": "x", "SSH_CONNECTION": nil,
          "BROWSER": browser.map { tree.path("home/openers/\($0)") },
        ]
        let waiting = try BrowserLogin(tree, BrowserLogin.line(issuer) + ["--browser"], changes)
        let deadline = Instant.now.advanced(by: .testLimit)
        while (try? tree.directory.readText("home/opened")) == nil {
          try #require(Instant.now < deadline, "the next opener was not tried")
          Threads.sleep(for: .milliseconds(20))
        }
        #expect(try BrowserLogin.browse(String(tree.directory.readText("home/opened").dropLast())) == "200")
        #expect(try waiting.end().status == .exited(0))
        let hanging = try Int32(tree.directory.readText("home/hanging").dropLast())
        try Spawn.kill(#require(hanging), Signals.SIGKILL)
      }
    }
  }
}
