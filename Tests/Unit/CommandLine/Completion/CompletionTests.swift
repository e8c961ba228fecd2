import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

/// The installed shells; `make check` installs all.
private let shells = CompletionShell.allCases.filter(InteractiveShell.isHere)

/// A response with these accounts.
private func accounts(_ names: [String]) -> [UInt8] {
  let listed = names.map { JSON.object(JSONObject([("name", .string($0))])) }
  return Reply.result(JSONObject([("accounts", .array(listed))])).serialized()
}

@Suite struct `Completions in an interactive shell` {
  private static let lines: [(typed: String, arguments: [String])] = [
    ("agent verif\tx", ["verify", "x"]),
    ("agent -q verif\t", ["-q", "verify"]),
    ("agent token --force\t", ["token", "--force-refresh"]),
    ("agent --time\t5 token", ["--timeout", "5", "token"]),
    ("agent daemon stat\t", ["daemon", "status"]),
    (
      "agent workload --token-endpoint-auth-method client_secret_b\tx",
      [
        "workload", "--token-endpoint-auth-method", "client_secret_basic", "x",
      ]
    ),
    (
      "agent workload --token-endpoint-auth-method=client_secret_b\t",
      [
        "workload", "--token-endpoint-auth-method=client_secret_basic",
      ]
    ),
    ("agent login --ca-file ro\t", ["login", "--ca-file", "roots.pem"]),
    ("agent login --ca-file=ro\t", ["login", "--ca-file=roots.pem"]),
    ("agent login --client-secret-file my\t", ["login", "--client-secret-file", "my $(secret)"]),
    ("agent exec -- wc ro\t", ["exec", "--", "wc", "roots.pem"]),
    ("agent exec -- printen\tHOME", ["exec", "--", "printenv", "HOME"]),
    ("agent help daemon sto\t", ["help", "daemon", "stop"]),
    ("agent completions f\t", ["completions", "fish"]),
  ]

  @Test(arguments: shells) func `give commands, options, values and files`(shell: CompletionShell) throws {
    let interactive = try InteractiveShell(shell, AgentProgram(), files: ["roots.pem", "my $(secret)"])
    let runs = try interactive.run(Self.lines.map(\.typed))
    for (run, line) in zip(runs, Self.lines) {
      // zsh joins an option and its value with "=" if both spellings mean the same.
      let arguments = shell == .zsh ? run.flatMap { Self.split($0, like: line.arguments) } : run
      #expect(arguments == line.arguments, "\(line.typed.debugDescription)")
    }
    #expect(runs.count == Self.lines.count)
  }

  @Test(arguments: shells) func `are found where they are installed`(shell: CompletionShell) throws {
    let completions = "\(PackageFiles.path("completions"))"
    let setup =
      switch shell {
      case .bash: "source '\(completions)/agent.bash'"
      case .zsh: "fpath=('\(completions)' $fpath); compinit -u -D"
      case .fish: "set -g fish_complete_path '\(completions)' $fish_complete_path"
      }
    let interactive = try InteractiveShell(shell, AgentProgram(), setup: setup + "\n")
    #expect(try interactive.run(["agent verif\t", "agent daemon stat\t"]) == [["verify"], ["daemon", "status"]])
  }

  private static func split(_ argument: String, like expected: [String]) -> [String] {
    expected.contains(argument)
      ? [argument] : argument.split(separator: "=", maxSplits: 1).map { String($0) }
  }

  @Test(arguments: shells) func `give the accounts of the running daemon`(shell: CompletionShell) throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: accounts(["work", "play.me"]), count: 4))
    let runs = try InteractiveShell(shell, program).run([
      "agent use wo\t", "agent token -a pl\t", "agent logout --account pl\t",
    ])
    #expect(runs == [["use", "work"], ["token", "-a", "play.me"], ["logout", "--account", "play.me"]])
  }

  @Test(arguments: shells) func `run nothing that a name holds`(shell: CompletionShell) throws {
    // The program itself only prints plain names, so use a substitute.
    let program = try AgentProgram()
    let names = ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "wo;touch pwned", "*", "-x", "a b", "work"]
    let script = "#!/bin/sh\ncat <<'END'\n\(names.joined(separator: "\n"))\nEND\n"
    try program.tree.write("bin/agent", script)
    let interactive = try InteractiveShell(shell, program)
    #expect(try interactive.run(["agent use \t", "agent use w\t"]) == [["use", "work"], ["use", "work"]])
    #expect(try !interactive.hasFile("pwned"))
  }
}

@Suite struct `Completions of every command` {
  /// The command line up to its options.
  private static func words(_ command: Command) -> [String] { ["agent"] + command.name.words.map { String($0) } }

  private static func offered(for command: Command) -> Set<String> {
    Set((command.options + Options.common).map { "--\($0.name)" })
  }

  /// Runs lines of bash after loading the completions.
  private func bash(_ script: String) throws -> [String] {
    let program = try AgentProgram()
    let path = "PATH='\(program.tree.path("bin"))':$PATH\n"
    let result = try ProcessRunner.run(
      executable: "/bin/bash", arguments: ["-c", path + CompletionScript(.bash).text + script],
      environment: program.environment)
    try #require(result.succeeded && result.errorText == "", "\(result.errorText)")
    return result.outputText.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }.dropLast()
  }

  private func complete(_ words: [String]) -> String {
    "COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)\n"
      + "_agent; echo \"${COMPREPLY[*]}\"\n"
  }

  @Test func `name all its options, in bash`() throws {
    let lines = try bash(Main.commands.all.map { complete(Self.words($0) + ["--"]) }.joined())
    #expect(lines.count == CommandName.listed.count)
    for (line, command) in zip(lines, Main.commands.all) {
      #expect(Set(line.split(separator: " ").map { String($0) }) == Self.offered(for: command), "\(command.name)")
    }
  }

  @Test func `name all values of its choices, in bash, behind a space and behind an equals sign`() throws {
    for command in Main.commands.all {
      for option in command.options {
        guard case .choice(_, let choices, _) = option.argument else { continue }
        let words = choices()
        let line = Self.words(command) + ["--\(option.name)"]
        // Bash treats the equals sign as a word.
        let lines = try bash(complete(line + [""]) + complete(line + ["="]) + complete(line + ["=", words[0]]))
        #expect(lines[0] == words.joined(separator: " ") && lines[1] == lines[0])
        #expect(lines[2] == words.filter { $0.hasPrefix(words[0]) }.joined(separator: " "))
      }
    }
  }

  @Test func `do not mistake a value for a command or an operand, in bash`() throws {
    let lines = try bash(
      complete(["agent", "--account", "daemon", "tok"]) + complete(["agent", "daemon", "-a", "x", "stat"])
        + complete(["agent", "workload", "--issuer", "https", ":", "//daemon", "--kee"])
        + complete(["agent", "nonsense", ""]) + complete(["agent", "list", ""]) + complete(["agent", "use", "a", ""])
        + complete(["agent", "token", "--", "--"]))
    #expect(lines == ["token token-file", "status", "--keep", "", "", "", ""])
  }

  @Test(.enabled(if: shells.contains(.fish))) func `name all its options and their values, in fish`() throws {
    let program = try AgentProgram()
    try program.tree.write("script", CompletionScript(.fish).text)
    func offered(_ lines: [String]) throws -> [[String]] {
      let script = "set -p PATH $PWD/bin; source script\n" + lines.map { "complete -C '\($0)'; echo .\n" }.joined()
      let result = try ProcessRunner.run(
        executable: "/usr/bin/env", arguments: ["fish", "--no-config", "-c", script], environment: program.environment,
        directory: program.tree.path)
      try #require(result.errorText == "", "\(result.errorText)")
      let words = result.outputText.split(separator: "\n").map { String($0) }
      return words.split(separator: ".", omittingEmptySubsequences: false).dropLast().map { Array($0) }
    }
    // Each line is a word, a tab and its meaning.
    func complete(_ lines: [String]) throws -> [[String]] {
      try offered(lines).map { $0.map { String($0.prefix { $0 != "\t" }) } }
    }
    // The meaning of the option is not repeated for each of its values.
    #expect(try offered(["agent env --shell b"]) == [["bash"]])
    let lines = try complete(Main.commands.all.map { Self.words($0).joined(separator: " ") + " --" })
    #expect(lines.count == CommandName.listed.count)
    for (line, command) in zip(lines, Main.commands.all) {
      #expect(Set(line) == Self.offered(for: command), "\(command.name)")
    }
    let first = try complete(["agent ", "agent daemon ", "agent workload --token-endpoint-auth-method "])
    #expect(Set(first[0]) == Set(CommandName.firstWords))
    #expect(Set(first[1]) == Set(CommandName.members(ofGroup: "daemon")))
    #expect(
      Set(first[2])
        == [
          "none", "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
          "self_signed_tls_client_auth",
        ])
  }

  @Test(.enabled(if: shells.contains(.zsh))) func `name all its options, in zsh`() throws {
    let shell = try InteractiveShell(.zsh, AgentProgram())
    let lines = try shell.list(Main.commands.all.map { Self.words($0).joined(separator: " ") + " --\t" })
    #expect(lines.count == CommandName.listed.count)
    for (line, command) in zip(lines, Main.commands.all) {
      #expect(Set(line) == Self.offered(for: command), "\(command.name)")
    }
    let first = try shell.list(["agent \t", "agent daemon \t"])
    #expect(first.map { Set($0) } == [Set(CommandName.firstWords), Set(CommandName.members(ofGroup: "daemon"))])
  }

  @Test func `hold words that no shell takes for anything else`() {
    for command in Main.commands.all {
      for option in command.options + Options.common {
        guard case .choice(_, let choices, _) = option.argument else { continue }
        let words = choices()
        for word in words { #expect(WireProtocol.isAccountName(word), "\(word)") }
      }
    }
    for shell in CompletionShell.allCases {
      let script = CompletionScript(shell).text
      #expect(!script.split(separator: "\n").contains { !$0.hasPrefix("#") && $0.contains("eval") })
      // The program asked is the one at the beginning of the line.
      for line in script.split(separator: "\n") where line.contains("__complete") {
        #expect(line.contains("\"$program\" __complete") || line.contains("command $program __complete"))
      }
    }
  }
}

@Suite struct `The candidates for a command line` {
  /// The candidates without descriptions.
  private static func words(_ line: String...) -> [String] {
    CommandLineCompletion.lines(for: line, by: Main.commands).map { String($0.prefix { $0 != "\t" }) }
  }

  @Test func `include the fields of a variable, after its name`() {
    #expect(Self.words("exec", "--var", "X=") == TokenField.spellings.map { "X=\($0)" })
    #expect(Self.words("exec", "--var=X=").first == "--var=X=access_token")
    #expect(Self.words("exec", "--var", "") == [":value NAME=FIELD"])
  }

  @Test func `include an option only once, unless it repeats`() {
    #expect(!Self.words("token", "--header", "--").contains("--header"))
    #expect(Self.words("token", "--scope", "a", "--").contains("--scope"))
    #expect(!Self.words("token", "-qj", "-").contains { ["-q", "--quiet", "-j", "--json"].contains($0) })
  }

  @Test func `are those of another program after its name`() {
    #expect(Self.words("exec", "work", "--", "ls", "-") == [":command 4"])
    #expect(Self.words("exec", "--var", "--", "-").contains("--var"))
    #expect(Self.words("ssh", "host", "-") == [":value DESTINATION [ARGUMENT]..."])
    #expect(Self.words("ssh", "--len").contains("--lend"))
  }

  @Test func `are files where a file is expected`() {
    #expect(Self.words("login", "--ca-file", "x") == [":files"])
    #expect(Self.words("login", "--ca-file=x") == [":files"])
  }
}

@Suite struct `What the completions ask` {
  @Test func `is answered by a running daemon, with plain names only`() throws {
    let program = try AgentProgram()
    let names = ["work", "$(touch x)", "a b", "-x", ".x", "", "x\u{1B}[2J", "_1.b-c", "naïve"]
    try FakeDaemon(at: program.runtime).serve([accounts(names)])
    #expect(
      try program.run(["__complete", "--", "use", ""])
        == ProcessResult(status: .exited(0), output: Array("work\n_1.b-c\n".utf8), error: []))
  }

  @Test func `is answered by silence when there is no daemon, and starts none`() throws {
    let program = try AgentProgram(daemon: "touch '$0.started'")
    let silence = ProcessResult(status: .exited(0), output: [], error: [])
    #expect(try program.run(["__complete", "--", "use", ""]) == silence)
    #expect(try program.run(["__complete", "--no-daemon", "--", "use", ""]) == silence)
    #expect(try program.run(["__complete", "--", "nothing", ""]) == silence)
    #expect(try program.run(["__complete", "--", "use", ""], adding: ["AGENT_SOCKET=relative"]) == silence)
    #expect(try program.tree.open("libexec").exists("agentd.started") == false)
    #expect(try program.tree.open("run/agent").exists("start.lock") == false)
  }

  @Test func `is read from the settings file when there is no daemon`() throws {
    let program = try AgentProgram(daemon: "touch '$0.started'")
    let file = program.tree.path("home/.config/agent/config.json")
    let text = #"{"version":2,"accounts":{"work":{},"$(x)":{},"github":{}},"new":1}"#
    let script = #"mkdir -p "${1%/*}" && printf %s "$2" >"$1""#
    _ = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script, "sh", file, text], environment: program.environment)
    #expect(try program.run(["__complete", "--", "use", ""]).outputText == "work\ngithub\n")
    let services = try program.run(["__complete", "--", "login", ""]).outputText.split(separator: "\n")
    #expect(services.prefix(3) == ["work", "github", "apple"])
    #expect(services.count == 1 + Provider.builtIn.count)
    #expect(try program.tree.open("libexec").exists("agentd.started") == false)
  }

  @Test(
    arguments: [
      Reply.failure(Failure(.storage, "broken")).serialized(), Array("nonsense\n".utf8), [],
      Reply.result(JSONObject([("accounts", .string("work"))])).serialized(),
    ]) func `is answered by silence when the daemon cannot tell`(answer: [UInt8]) throws
  {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([answer])
    #expect(
      try program.run(["__complete", "--", "use", ""]) == ProcessResult(status: .exited(0), output: [], error: []))
  }

  @Test func `does not wait for a daemon that hangs`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["__complete", "--", "use", ""])
    let conversation = try daemon.accept()
    #expect(try conversation.receive().0 == RequestEnvelope(.state(.list), timeoutSeconds: 1))
    #expect(try running.wait() == .exited(0))
    #expect(running.errorText == "")
  }

  @Test func `is in no list`() throws {
    #expect(
      !HelpWriter().help(onProgram: Main.commands).contains("__complete")
        && !HelpWriter().help(onProgram: Main.commands, all: true).contains("__complete"))
    #expect(try !ManualPage.agent.committed().contains("__complete"))
    #expect(!CommandName.firstWords.contains("__complete"))
  }
}

@Suite struct `agent completions` {
  @Test(arguments: CompletionShell.allCases) func `prints what is committed`(shell: CompletionShell) throws {
    let result = try AgentProgram().run(["completions", shell.rawValue])
    #expect(result.succeeded && result.errorText == "")
    #expect(
      result.outputText == (try PackageFiles.text("completions/\(CompletionScript(shell).fileName)"))
    )
  }

  @Test func `refuses another shell`() throws {
    #expect(
      try AgentProgram().run(["completions", "tcsh"])
        == ProcessResult(
          status: .exited(2), output: [],
          error: Array(
            "agent: error: no completions for \"tcsh\"\nagent: hint: choose one of bash, zsh, fish\n".utf8)))
  }
}
