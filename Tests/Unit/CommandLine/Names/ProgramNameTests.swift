import TestSupport
import Testing

@testable import CommandLine

@Suite struct `The program's name` {
  @Test(arguments: ["agent", "tokens", "a", "my-agent", "x_1", "A" + String(repeating: "b", count: 31)])
  func `may be a word`(name: String) { #expect(ProgramName(name)?.text == name) }

  @Test(arguments: [
    "", "-x", "1x", "a b", "a/b", "a.b", "a'b", "a$b", "naïve", "A" + String(repeating: "b", count: 32),
  ])
  func `may not be what a shell or a path takes for more`(name: String) { #expect(ProgramName(name) == nil) }

  @Test(arguments: [
    ("`agent login NAME`", "`tokens login NAME`"), ("agent", "tokens"), ("agent.", "tokens."),
    ("agent: x", "tokens: x"),
    (#"eval "$(agent env)""#, #"eval "$(tokens env)""#), ("agent(1)", "tokens(1)"),
    ("agent-config(5)", "tokens-config(5)"), ("agent-recipes(7)", "tokens-recipes(7)"),
    ("agent-login(1)", "tokens-login(1)"), ("agent-lease-port(1)", "tokens-lease-port(1)"),
    ("enable agent-refresh.timer", "enable tokens-refresh.timer"), ("agent.socket", "tokens.socket"),
    ("agent-lease", "agent-lease"), ("git-credential-agent", "git-credential-tokens"),
    ("agentd", "agentd"), ("/run/agent/agent.sock", "/run/agent/agent.sock"), ("agents", "agents"),
    ("reagent", "reagent"),
    ("User-Agent user-agent", "User-Agent user-agent"), ("agent.json", "agent.json"), ("AGENT_SOCKET", "AGENT_SOCKET"),
    ("agent agent", "tokens tokens"), ("", ""),
  ]) func `takes the place of agent where that is the program`(text: String, expected: String) throws {
    #expect(try #require(ProgramName("tokens")).renaming(text) == expected)
    #expect(ProgramName.standard.renaming(text) == text)
  }

  @Test(arguments: [
    ("agent login agent", "tokens login agent"),
    ("agent logout agent && agent login agent", "tokens logout agent && tokens login agent"),
    ("chmod 700 /home/agent login", "chmod 700 /home/agent login"), ("agent help token", "tokens help token"),
  ]) func `leaves an account of the name agent alone in hints`(text: String, expected: String) throws {
    #expect(try #require(ProgramName("tokens")).renaming(hint: text) == expected)
  }

  @Test func `is the one that the program was called by`() throws {
    let program = try AgentProgram()
    try ProcessRunner.shell("cp '\(program.tree.path("bin/agent"))' '\(program.tree.path("bin/tokens"))'")
    func run(_ arguments: String...) throws -> ProcessResult {
      try ProcessRunner.run(
        executable: program.tree.path("bin/tokens"), arguments: arguments, environment: program.environment)
    }
    #expect(try run("--version").outputText.hasPrefix("tokens "))
    #expect(try run("token", "--help").outputText.contains("\nUsage: tokens token "))
    #expect(
      try run("tokn").errorText
        == "tokens: error: unknown command \"tokn\"\ntokens: hint: tokens token\n")
    #expect(try run("completions", "bash").outputText.hasSuffix("complete -F _tokens tokens\n"))
    let script = try CompletionScript(.zsh, for: #require(ProgramName("my-tokens"))).text
    #expect(
      script.hasPrefix("#compdef my-tokens\n") && script.contains("== _my-tokens ]]") && !script.contains("_agent"))
  }
}
