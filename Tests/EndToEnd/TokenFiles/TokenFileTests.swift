import Encoding
import Platform
import TestSupport
import Testing

/// `agent exec --token-file`.
@Suite(.needsPrograms) struct `A token in a file` {
  /// Prints its file, and then a line for each change: the content, or that it is gone. Ends with its input. A shell
  /// would miss a signal that arrives just before it waits.
  private static let reader = """
    import os, signal, sys, threading
    path = os.environ["AGENT_TOKEN_FILE"]
    awaited = {signal.SIGUSR1, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    def end():
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)
    def tell():
        try: print("has " + open(path).read(), flush=True)
        except FileNotFoundError: print("gone", flush=True)
    threading.Thread(target=end, daemon=True).start()
    print(path, flush=True)
    tell()
    while signal.sigwait(awaited) == signal.SIGUSR1: tell()
    os._exit(9)
    """

  private static func reading(
    _ tree: AgentTree, _ options: [String] = [], body: (RunningProcess, String) throws -> Void
  ) throws {
    try tree.directory.write("home/reader", reader)
    let command = ["--", "/usr/bin/python3", tree.path("home/reader")]
    let process = try tree.start(["exec", "--token-file", "--signal", "USR1"] + options + command)
    let path = try process.readLine()
    try body(process, path)
  }

  /// Reads the command's output until it is as expected. The command checks its file once per signal, and possibly
  /// late: then it prints the same line twice.
  private static func await(_ process: RunningProcess, _ isAwaited: (String) throws -> Bool) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    var told = try process.readLine()
    while try !isAwaited(told) {
      try #require(Instant.now < deadline, "\(told)")
      told = try process.readLine()
    }
  }

  private static func files(_ tree: AgentTree) throws -> [String] {
    try tree.directory.open("runtime/agent").fileNames().filter { $0.contains("token-") }
  }

  private static func awaitNoFiles(_ tree: AgentTree) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while true {
      let files = try files(tree)
      if files.isEmpty { return }
      try #require(Instant.now < deadline, "\(files)")
      Threads.sleep(for: .milliseconds(10))
    }
  }

  @Test func `is the token and nothing else, for the user alone, as long as the command runs`() throws {
    try Session.with { session in
      let tree = session.tree
      let script = """
        stat -c '%a %u' "$AGENT_TOKEN_FILE"; cat "$AGENT_TOKEN_FILE"; echo; env | grep ^AGENT_ | cut -d= -f1 | sort | tr '\\n' ' '
        exit 5
        """
      let result = try tree.agent(
        ["exec", "--token-file", "--", "/bin/sh", "-c", script],
        ["AGENT_ACCESS_TOKEN": "stale", "AGENT_TOKEN_EXPIRES_AT": "1"])
      #expect(result.status == .exited(5) && result.errorText.isEmpty, "\(result.errorText)")
      #expect(
        result.lines == [
          "600 \(Machine.userID)", Substring(try tree.token()),
          "AGENT_ACCOUNT AGENT_ISSUER AGENT_SUBJECT AGENT_TOKEN_FILE AGENT_TOKEN_TYPE ",
        ])
      try Self.awaitNoFiles(tree)
    }
  }

  @Test func `is told under any name`() throws {
    try Session.with { session in
      let result = try session.tree.agent(
        "exec", "--token-file", "--var", "FILE=token_file", "--var", "PERSON=subject", "--", "/bin/sh", "-c",
        "cat \"$FILE\"; echo \" $PERSON $AGENT_TOKEN_FILE\"")
      #expect(
        result.outputText == "\(try session.tree.token()) \(session.events.last?["subject"]?.string ?? "") \n")
      for arguments in [
        ["exec", "--var", "FILE=token_file", "--", "true"], ["exec", "--signal", "HUP", "--", "true"],
        ["exec", "--on-renewal", "/bin/true", "--", "true"], ["exec", "--id-token", "--", "true"],
        ["env", "--var", "FILE=token_file"],
        ["exec", "--token-file", "--signal", "NO", "--", "true"],
      ] { #expect(try session.tree.agent(arguments).status == .exited(2), "\(arguments)") }
    }
  }

  @Test func `is replaced before its token ends, though nobody asks, and the command is told`() throws {
    try Session.with("--access-token-lifetime", "20") { session in
      try Self.reading(session.tree) { process, path in
        var seen: [String] = []
        for _ in 0..<2 { seen.append(try process.readLine()) }
        #expect(Set(seen).count == 2 && seen.allSatisfy { $0.hasPrefix("has ") })
        let token = try session.tree.token()
        // The valid token is in the file, or will be next.
        if seen.last != "has \(token)" { #expect(try process.readLine() == "has \(token)") }
        #expect(try session.tree.files(containing: [token]) == [path])
        process.closeInput()
        #expect(try process.wait() == .exited(9))
      }
    }
  }

  @Test func `is the ID Token where that is wanted, and is renewed by the time that one has`() throws {
    try Session.with("--id-token-lifetime", "64") { session in
      let before = try session.issuer.count("refreshes")
      try Self.reading(session.tree, ["--id-token"]) { process, path in
        let (first, second) = (try process.readLine(), try process.readLine())
        #expect(first.hasPrefix("has ey") && second.hasPrefix("has ey") && first != second)
        let token = try session.tree.agent("token", "--id-token").outputText
        #expect(second == "has \(token.dropLast())")
        #expect(try session.tree.files(containing: [String(token.dropLast())]) == [path])
        // One at the beginning, because the remaining time was too short by then, and one for the file.
        #expect(try session.issuer.count("refreshes") <= before + 2)
        process.closeInput()
        #expect(try process.wait() == .exited(9))
      }
    }
  }

  @Test func `is no ID Token that has ended, and is back with the next`() throws {
    try Session.with { session in
      try Self.reading(session.tree, ["--id-token"]) { process, _ in
        #expect(try process.readLine().hasPrefix("has ey"))
        func renew(lifetime: String) throws {
          try session.issuer.control("id_token_lifetime", lifetime)
          #expect(try session.tree.agent("token", "--force-refresh").succeeded)
        }
        try renew(lifetime: "9")
        #expect(try process.readLine() == "gone")
        let refused = try session.tree.agent("exec", "--token-file", "--id-token", "--", "true")
        #expect(refused.failed(3) && refused.errorText.contains("the ID Token of work has expired, and the server"))
        try renew(lifetime: "3600")
        #expect(try process.readLine().hasPrefix("has ey"))
        process.closeInput()
        #expect(try process.wait() == .exited(9))
      }
    }
  }

  // RFC 9700 section 4.14.2: a reused refresh token may end the entire grant.
  @Test func `stays to its end when the answer that should have replaced it broke off`() throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        server.becomeLenient()
        server.setLifetime(20)
        try tree.importAccount(at: server)
        let first = try #require(server.refreshes.last)
        server.fail(.statusLine)
        try Self.reading(tree, ["work"]) { process, _ in
          let before = try process.readLine()
          #expect(try process.readLine() != before)
          #expect(server.refreshes.count == 3)
          let last = try #require(server.refreshes.last)
          #expect(first.duration(to: last) >= .seconds(19))
          process.closeInput()
          #expect(try process.wait() == .exited(9))
        }
      }
    }
  }

  @Test func `changes under a program that is run for it`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("home/told", "")
      try tree.directory.writeProgram(
        "home/tell", "cat \"$AGENT_TOKEN_FILE\" >>\"$HOME/told\"; echo >>\"$HOME/told\"")
      try Self.reading(tree, ["--on-renewal", tree.path("home/tell")]) { process, _ in
        _ = try process.readLine()
        let token = try tree.token("work", "--force-refresh")
        #expect(try process.readLine() == "has \(token)")
        let deadline = Instant.now.advanced(by: .testLimit)
        while try tree.directory.readText("home/told") != token + "\n" {
          try #require(Instant.now < deadline)
          Threads.sleep(for: .milliseconds(10))
        }
        process.closeInput()
        #expect(try process.wait() == .exited(9))
      }
    }
  }

  @Test func `goes with a sign-out and comes back with a sign-in`() throws {
    try Session.with { session in
      try Self.reading(session.tree) { process, _ in
        _ = try process.readLine()
        #expect(try session.tree.agent("logout").succeeded)
        #expect(try process.readLine() == "gone")
        #expect(process.errorText.contains("agent: token file removed until you sign in to work: signed_out"))
        try session.tree.signIn(at: session.issuer.url)
        #expect(try process.readLine() == "has \(try session.tree.token())")
        process.closeInput()
        #expect(try process.wait() == .exited(9))
        try Self.awaitNoFiles(session.tree)
      }
    }
  }

  @Test func `comes back when a sign-out fails`() throws {
    try Session.with("--no-refresh-token") { session in
      let tree = session.tree
      try tree.signIn(at: session.issuer.url, "--keep")
      try Self.reading(tree) { process, _ in
        let first = try process.readLine()
        #expect(first.hasPrefix("has "))
        // A token that cannot be stored must not be dropped.
        let state = "cd '\(tree.path("state/agent"))' && "
        try #require(try ProcessRunner.shell(state + "mv vault.lock kept && ln -s kept vault.lock").succeeded)
        #expect(try tree.agent("logout", "--local").failed(1))
        var told = try process.readLine()
        // The file may be back before the command checks.
        if told == "gone" { told = try process.readLine() }
        #expect(told == first)
        try #require(try ProcessRunner.shell(state + "mv kept vault.lock").succeeded)
        process.closeInput()
        #expect(try process.wait() == .exited(9))
      }
    }
  }

  @Test func `is gone when the command is killed, and when agent is`() throws {
    try Session.with { session in
      for killsCommand in [true, false] {
        try Self.reading(session.tree) { process, path in
          _ = try process.readLine()
          #expect(
            try session.tree.directory.open("runtime/agent").exists(String(path.split(separator: "/").last ?? "")))
          if killsCommand {
            let children = ProcessFiles.text("task/\(process.processID)/children", of: process.processID) ?? ""
            let child = try OtherProcess(try #require(Int32(children.split(separator: " ").first ?? "")))
            try child.signal(Signals.SIGKILL)
            #expect(try process.wait() == .signalled(Signals.SIGKILL))
            try Self.awaitNoFiles(session.tree)
          } else {
            try process.signal(Signals.SIGKILL)
            #expect(try process.wait() == .signalled(Signals.SIGKILL))
            try Self.awaitNoFiles(session.tree)
          }
          process.closeInput()
        }
      }
    }
  }

  @Test(arguments: ["exec", "daemon", "exec of a running daemon", "exec of a private daemon"])
  func `that outlives its command and its daemon goes at the next start of either`(next: String) throws {
    try Session.with { session in
      let tree = session.tree
      let isPrivate = next == "exec of a running daemon"
      try Self.reading(tree, isPrivate ? ["--no-daemon"] : []) { process, path in
        _ = try process.readLine()
        let name = String(try #require(path.split(separator: "/").last))
        // Both at once, so that neither cleans up after the other.
        try process.signal(Signals.SIGSTOP)
        try ProcessFiles.awaitStop(of: process.processID)
        if isPrivate {
          let children = ProcessFiles.text("task/\(process.processID)/children", of: process.processID) ?? ""
          for child in children.split(separator: " ").compactMap({ Int32($0) })
          where ProcessFiles.text("comm", of: child) == "agentd\n" {
            try OtherProcess(child).signal(Signals.SIGKILL)
          }
        } else {
          try tree.killDaemon()
        }
        try process.signal(Signals.SIGKILL)
        #expect(try process.wait() == .signalled(Signals.SIGKILL))
        #expect(try tree.directory.open("runtime/agent").exists(name), "it is left behind")
        if next == "daemon" {
          #expect(try tree.agent("daemon", "start").succeeded)
        } else if next == "exec of a private daemon" {
          #expect(try tree.agent("exec", "--no-daemon", "--", "true").succeeded)
        } else {
          #expect(try tree.agent("exec", "--token-file", "--", "true").succeeded)
        }
        try Self.awaitNoFiles(tree)
        process.closeInput()
      }
    }
  }

  @Test func `comes back when the daemon is restarted, and when it was killed`() throws {
    try Session.with { session in
      let tree = session.tree
      try Self.reading(tree) { process, path in
        _ = try process.readLine()
        #expect(try tree.agent("daemon", "restart").succeeded)
        try Self.await(process) { try $0 == "has \(tree.token())" }
        try tree.killDaemon()
        try Self.await(process) { try $0 == "has \(tree.token())" }
        #expect(try tree.directory.open("runtime/agent").exists(String(path.split(separator: "/").last ?? "")))
        try tree.stopDaemon()
        try Self.await(process) { $0 == "gone" }
        #expect(try tree.daemons() == [])
        #expect(try tree.agent("daemon", "start").succeeded)
        try Self.await(process) { $0.hasPrefix("has ") }
        process.closeInput()
        #expect(try process.wait() == .exited(9))
        try Self.awaitNoFiles(tree)
      }
    }
  }

  @Test func `that a killed daemon left is removed by the next`() throws {
    try Session.with { session in
      try Self.reading(session.tree) { process, _ in
        _ = try process.readLine()
        try process.signal(Signals.SIGSTOP)
        try ProcessFiles.awaitStop(of: process.processID)
        try session.tree.killDaemon()
        #expect(try Self.files(session.tree).count == 2)
        try process.signal(Signals.SIGKILL)
        _ = try process.wait()
        process.closeInput()
        #expect(try session.tree.agent("daemon", "start").succeeded)
        try Self.awaitNoFiles(session.tree)
      }
    }
  }

  @Test func `works with a private daemon, whose files no other touches`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      try Self.reading(session.tree, ["--no-daemon"]) { (process, _) throws in
        #expect(try process.readLine().hasPrefix("has "))
        #expect(try session.tree.agent("daemon", "start").succeeded)
        #expect(try Self.files(session.tree).count == 2)
        process.closeInput()
        #expect(try process.wait() == .exited(9))
        try Self.awaitNoFiles(session.tree)
      }
    }
  }

  @Test func `needs a session, and a command that can be run`() throws {
    try Session.with { (session) throws in
      let tree = session.tree
      #expect(try tree.agent("exec", "--token-file", "--", "no-such-command-anywhere").failed(127))
      #expect(try tree.agent("exec", "--token-file", "--", tree.path("home")).failed(126))
      #expect(try tree.agent("logout").succeeded)
      #expect(try tree.agent("exec", "--token-file", "--", "true").failed(3))
      try Self.awaitNoFiles(tree)
    }
  }

  @Test(arguments: [Signals.SIGTERM, Signals.SIGHUP, Signals.SIGINT]) func `passes on what is sent to agent`(
    signal: Int32
  ) throws {
    try Session.with { session in
      let script = "trap 'echo caught; exit 4' \(signal); echo ready; while :; do sleep 0.05; done"
      let process = try session.tree.start(["exec", "--token-file", "--", "/bin/sh", "-c", script])
      #expect(try process.readLine() == "ready")
      try process.signal(signal)
      #expect(try process.readLine() == "caught")
      #expect(try process.wait() == .exited(4))
    }
  }

  @Test func `has the status of what ended the command`() throws {
    try Session.with { session in
      let result = try session.tree.agent("exec", "--token-file", "--", "/bin/sh", "-c", "kill -INT $$")
      #expect(result.status == .signalled(Signals.SIGINT))
    }
  }
}
