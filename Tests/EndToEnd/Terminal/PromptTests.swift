import Platform
import TestSupport
import Testing

/// `agent env --hook` in real shells, each on its own terminal.
@Suite(.needsPrograms) struct `Variables at the prompt` {
  enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// A statement that makes the next prompt ask.
    var asks: String { self == .fish ? "set -g __agent_env_due 0" : "__agent_env_due=0" }
    var status: String { self == .fish ? "$status" : "$?" }

    /// The start file's content before the function, to check the status that others see.
    var neighbour: String {
      switch self {
      case .bash: "PROMPT_COMMAND='seen=$?'"
      case .zsh: "precmd() { seen=$? }"
      case .fish: "function neighbour --on-event fish_prompt; set -g seen $status; end"
      }
    }

    func evaluation(_ options: String) -> String {
      self == .fish
        ? "agent env --hook fish \(options) | source" : "eval \"$(agent env --hook \(rawValue) \(options))\""
    }
  }

  /// A shell that has read a start file and shows a prompt.
  private static func start(
    _ shell: Shell, _ tree: AgentTree, _ lines: [String] = [], _ options: String = ""
  ) throws -> WatchedProgram {
    let prompt = shell == .fish ? "function fish_prompt; echo 'ready> '; end; set -g fish_greeting" : "PS1='ready> '"
    let text = (lines + [shell.evaluation(options), prompt]).joined(separator: "\n") + "\n"
    let name = shell == .zsh ? "home/.zshrc" : "home/rc"
    try tree.directory.write(name, text)
    let command =
      switch shell {
      case .bash: ["/bin/bash", "--rcfile", tree.path(name), "-i"]
      case .zsh: ["/usr/bin/zsh", "-i"]
      case .fish: ["/usr/bin/fish", "-C", "source '\(tree.path(name))'", "-i"]
      }
    let program = try WatchedProgram(
      tree, columns: 250, ["TERM": "dumb", "HISTFILE": nil, "ZDOTDIR": tree.path("home")], command)
    try program.until("ready>")
    return program
  }

  /// Shows variables at the prompt until they are `answer`. On a busy machine, the function may have timed out and
  /// must ask again.
  ///
  /// - Returns: Whether the first output was `answer`.
  @discardableResult
  private static func show(
    _ variables: String, _ answer: String, _ program: WatchedProgram, _ shell: Shell
  ) throws -> Bool {
    let deadline = Instant.now.advanced(by: .testLimit)
    for round in 0... {
      let mark = UInt32.random(in: 0 ... .max)
      let lines = try after("echo \"sh\"\"own-\(mark):\(variables)\"", program).lines
      if lines.contains(where: { $0.contains("shown-\(mark):\(answer)") }) { return round == 0 }
      try #require(Instant.now < deadline, "\(lines)")
      try program.type(shell.asks + "\r")
    }
    return false
  }

  /// Types a line, and waits until it and the following prompt are complete.
  @discardableResult
  private static func after(_ line: String, _ program: WatchedProgram) throws -> WatchedProgram.Screen {
    let mark = UInt32.random(in: 0 ... .max)
    try program.type(line + "\r")
    try program.type("echo \"o\"\"ver-\(mark)\"\r")
    return try program.until("over-\(mark)")
  }

  private static func ask(_ program: WatchedProgram, _ line: String, _ answer: String) throws {
    try program.type(line + "\r")
    try program.until(answer)
  }

  @Test func `are tested in each shell that the program has a function for`() throws {
    let refused = try AgentTree.with { try $0.agent("env", "--hook", "none") }
    let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")
    #expect(refused.errorText.contains("\"--hook\" must be one of: \(shells)\n"), "\(refused.errorText)")
  }

  @Test(arguments: Shell.allCases) func `are there, go with a sign-out and come back`(shell: Shell) throws {
    try Session.with { session in
      let program = try Self.start(shell, session.tree)
      let variables = "tok:$AGENT_ACCESS_TOKEN:$AGENT_ACCOUNT:"
      try Self.show(variables, "tok:\(try session.tree.token())::", program, shell)
      #expect(try session.tree.agent("logout").succeeded)
      try Self.after(shell.asks, program)
      try Self.show(variables, "tok:::", program, shell)
      try session.tree.signIn(at: session.issuer.url)
      try Self.after(shell.asks, program)
      try Self.show(variables, "tok:\(try session.tree.token())::", program, shell)
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test(arguments: Shell.allCases) func `follow a sign-out, a sign-in and a change of the active account at once`(
    shell: Shell
  ) throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      #expect(try tree.agent("account", "set", "other", "--var", "OTHER_TOKEN=access_token").succeeded)
      let program = try Self.start(shell, tree)
      let (work, other) = (try tree.token("work"), try tree.token("other"))
      var late = 0
      func after(_ command: String..., expecting answer: String) throws {
        #expect(try tree.agent(command).succeeded, "\(command)")
        try Self.after("true", program)
        if try !Self.show("tok:$AGENT_ACCESS_TOKEN:$OTHER_TOKEN:", answer, program, shell) { late += 1 }
      }
      try after("use", "work", expecting: "tok:\(work)::")
      try after("use", "other", expecting: "tok::\(other):")
      try after("logout", "other", expecting: "tok:::")
      try after("use", "work", expecting: "tok:\(work)::")
      try after("account", "remove", "work", expecting: "tok:::")
      try tree.signIn("work", at: session.issuer.url)
      try after("use", "work", expecting: "tok:\(tree.token("work"))::")
      #expect(late < 6, "never at once")
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test(arguments: Shell.allCases) func `follow a change of the directory, once accounts depend on it`(shell: Shell)
    throws
  {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("own", at: session.issuer.url)
      #expect(try tree.shell("sh", "agent use own; mkdir -p work/sub").succeeded)
      let (work, own) = (try tree.token("work"), try tree.token("own"))
      let program = try Self.start(shell, tree, [], "--var TOK=access_token --var SIGNED_IN_AS=account")
      let variables = "tok:$TOK:$SIGNED_IN_AS:"
      try Self.after("cd \"$HOME\"", program)
      try Self.show(variables, "tok:\(own):own:", program, shell)
      #expect(try tree.agent("use", "work", "--directory", tree.path("home/work")).succeeded)
      var late = 0
      func after(_ command: String, expecting answer: String) throws {
        try Self.after(command, program)
        if try !Self.show(variables, answer, program, shell) { late += 1 }
      }
      for _ in 0..<2 {
        try after("cd work/sub", expecting: "tok:\(work):work:")
        try after("cd ../..", expecting: "tok:\(own):own:")
      }
      try after("cd work", expecting: "tok:\(work):work:")
      #expect(try tree.agent("use", "--clear", "--directory", tree.path("home/work")).succeeded)
      try after("true", expecting: "tok:\(own):own:")
      #expect(late < 6, "never at once")
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  // The variables are another account's until the change is answered.
  @Test(arguments: Shell.allCases) func `are asked for at the next prompt where a change was not answered in time`(
    shell: Shell
  ) throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      #expect(try tree.agent("use", "other").succeeded)
      let program = try Self.start(shell, tree)
      try Self.show("tok:$AGENT_ACCESS_TOKEN:", "tok:\(try tree.token("other")):", program, shell)
      #expect(try tree.agent("use", "work").succeeded)
      let daemon = try OtherProcess(try tree.daemon())
      try daemon.signal(Signals.SIGSTOP)
      try program.type("true\r")
      let isDue =
        shell == .fish
        ? "(test $__agent_env_due -le (math (string split . </proc/uptime)[1] + 2); and echo yes)"
        : "$((__agent_env_due <= EPOCHSECONDS + 1))"
      let lines = try Self.after("echo \"du\"\"e:\"\(isDue):", program).lines
      try daemon.signal(Signals.SIGCONT)
      #expect(lines.contains { $0 == (shell == .fish ? "due:yes:" : "due:1:") }, "\(lines)")
      try Self.show("tok:$AGENT_ACCESS_TOKEN:", "tok:\(try tree.token("work")):", program, shell)
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test func `take what they have to do from the options, and refuse the others`() throws {
    try AgentTree.with { tree in
      let taken = try tree.agent(
        ["env", "--hook", "bash", "--var", "A=access_token", "--min-valid", "5m", "--no-input", "-q", "-a", "work"])
      for word in ["__renew bash", "--account=work", "--var=A=access_token", "--min-valid=5m"] {
        #expect(taken.outputText.contains(word), "\(taken.outputText)")
      }
      for option in [
        ["--shell", "sh"], ["--unset"], ["--json"], ["--no-daemon"], ["--timeout", "5s"], ["--wait", "5s"], ["-v"],
      ] {
        let refused = try tree.agent(["env", "--hook", "bash"] + option)
        #expect(refused.status == .exited(2) && !refused.outputText.contains("__agent"), "\(option): \(refused)")
      }
    }
  }

  @Test(arguments: Shell.allCases) func `leave the status and the other functions of the prompt alone`(shell: Shell)
    throws
  {
    try Session.with { session in
      // Twice, as when a start file is read again.
      let program = try Self.start(shell, session.tree, [shell.neighbour, shell.evaluation("")])
      try Self.ask(program, "sh -c 'exit 7'", "ready>")
      try Self.ask(program, #"echo "last:\#(shell.status):""#, "last:7:")
      try Self.ask(program, "sh -c 'exit 8'", "ready>")
      try Self.ask(program, #"echo "seen:$seen:""#, "seen:8:")
      try Self.ask(program, "\(shell.asks); sh -c 'exit 9'", "ready>")
      try Self.ask(program, #"echo "again:$seen:\#(shell.status):""#, "again:9:9:")
      try program.type("exit\r")
      #expect(try program.end().rows.filter { $0.contains("agent:") }.isEmpty)
    }
  }

  @Test(arguments: Shell.allCases) func `are renewed when the token is near its end`(shell: Shell) throws {
    try Session.with("--access-token-lifetime", "3") { session in
      let program = try Self.start(shell, session.tree, [], "work --var TOK=access_token")
      let script =
        shell == .fish
        ? "set old $TOK; while test \"$TOK\" = \"$old\"; sleep 0.2; __agent_env_hook; end; echo \"chan\"\"ged:\"$TOK\":\""
        : "old=$TOK; while [ \"$TOK\" = \"$old\" ]; do sleep 0.2; __agent_env_hook; done; echo \"chan\"\"ged:\"$TOK\":\""
      try program.type(script + "\r")
      let screen = try program.until("changed:")
      #expect(screen.rows.contains { $0.contains("changed:") })
      let refreshes = try session.issuer.count("refreshes")
      #expect((1...20).contains(refreshes))
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test func `stand in a list of functions first`() throws {
    try Session.with { session in
      let program = try Self.start(
        .bash, session.tree, ["PROMPT_COMMAND=('seen=$?' 'n=$((n+1))')"])
      try Self.ask(program, "sh -c 'exit 8'", "ready>")
      try Self.ask(program, #"echo "seen:$seen:$n:${#PROMPT_COMMAND[@]}:""#, "seen:8:2:3:")
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test(arguments: Shell.allCases) func `keep nobody waiting for a server that does not answer`(shell: Shell) throws {
    try Session.with("--access-token-lifetime", "3") { session in
      try session.waitUntilExpired()
      try session.issuer.control("hang", "token")
      let program = try Self.start(shell, session.tree)
      let deadline = Instant.now.advanced(by: .testLimit)
      while try !session.tree.isRefreshing() {
        try #require(Instant.now < deadline, "the server is not asked")
        try Self.after(shell.asks, program)
      }
      try Self.show("tok:$AGENT_ACCESS_TOKEN:", "tok::", program, shell)
      #expect(try session.tree.isRefreshing(), "the server is still asked")
      try program.type("exit\r")
      _ = try program.end()
      try session.issuer.control("hang", "off")
    }
  }

  @Test(arguments: Shell.allCases) func `come at the first prompts where no daemon runs yet`(shell: Shell) throws {
    try Session.with { session in
      let tree = session.tree
      let token = try tree.token()
      try tree.stopDaemon()
      let program = try Self.start(shell, tree)
      let deadline = Instant.now.advanced(by: .testLimit)
      // On a busy machine, the start takes longer than a prompt may wait.
      while try tree.daemons().isEmpty {
        try #require(Instant.now < deadline, "no daemon was started")
        try Self.after(shell.asks, program)
      }
      let fresh = try tree.token()
      #expect(fresh != token)
      try Self.after(shell.asks, program)
      try Self.show("tok:$AGENT_ACCESS_TOKEN:", "tok:\(fresh):", program, shell)
      try program.type("exit\r")
      _ = try program.end()
    }
  }

  @Test func `are printed for nobody but shells`() throws {
    try Session.with { session in
      for arguments in [
        ["--hook", "sh"], ["--hook", "bash", "--unset"], ["--hook", "bash", "--shell", "bash"],
        ["--hook", "bash", "--json"], ["--hook", "bash", "--var", "PATH=issuer"], ["--hook", "bash", "a\nb"],
      ] {
        let result = try session.tree.agent(["env"] + arguments)
        #expect(result.status == .exited(2), "\(arguments)")
      }
      try session.tree.stopDaemon()
      #expect(try session.tree.agent("env", "--hook", "zsh").succeeded)
      #expect(try session.tree.daemons() == [])
    }
  }
}
