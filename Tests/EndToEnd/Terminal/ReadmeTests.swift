import Encoding
import Platform
import TestSupport
import Testing

/// The README and its pages only describe what the programs do.
@Suite(.needsPrograms) struct `The README` {
  private typealias Example = `An example of the manual`
  private typealias Trial = Example.Trial

  private static let trials: [String: Trial] = [
    "agent login work --issuer https://id.example.org --client-id my-cli":
      Trial(message: "agent: signed in to ISSUER as ", isSignedIn: false),
    "agent token --header | curl -H @- https://api.example.org/me": Trial(
      before: "curl() { command curl -sS --fail \"$@\"; }", output: #"{"sub":"SUBJECT""#),
    #"eval "$(agent env)""#: Trial(after: Example.printsVariables, output: Example.variables),
    "agent exec -- ./deploy": Trial(before: "cp deploy.sh deploy", output: "deployed by work with TOKEN\n"),
    "agent logout": Trial(message: "agent: signed out of work, tokens revoked\n"),
    "agent login work --if-needed || exit": Trial(
      after: "echo on", output: "on\n", message: "agent: already signed in to "),
    #"eval "$(agent env work)""#: Trial(after: Example.printsVariables, output: Example.variables),
    "agent token work --header | curl -sS -H @- https://api.example.org/me": Trial(output: #"{"sub":"SUBJECT""#),
    "agent exec --var GH_TOKEN=access_token github -- gh repo list": Trial(
      before: """
        agent account rename work github -q
        mkdir bin; printf '#!/bin/sh\\necho "$* with $GH_TOKEN"\\n' >bin/gh; chmod 700 bin/gh; PATH=$PWD/bin:$PATH
        """, output: "repo list with TOKEN\n"),
    "agent exec --lease --only https://api.example.org/me work -- ./assistant": Trial(
      before: """
        issuer=$(agent account show work --json | jq -r .settings.issuer); agent account set work --host "$issuer" -q
        printf '#!/bin/sh\nagent request %s/userinfo\n' "$issuer" >assistant; chmod 700 assistant
        """, output: #"{"sub":"SUBJECT"#),
    "agent token work --no-input --timeout 10s >/dev/null || exit": Trial(after: "echo on", output: "on\n"),
    "agent account set work --host api.example.org": Trial(message: "agent: changed work\n"),
    "agent request https://api.example.org/me": Trial(output: #"{"sub":"SUBJECT""#),
    // The hook follows the active account, so it does not set the variable that would fix it.
    #"eval "$(agent env --hook bash)""#: Trial(
      shells: ["bash"],
      after:
        "until [ -n \"$AGENT_ACCESS_TOKEN\" ]; do __agent_env_due=0; __agent_env_hook; done; \(Example.printsVariables) || :",
      output: "TOKEN\nISSUER\n"),
    "agent env --hook fish | source": Trial(
      shells: ["fish"],
      after:
        "while test -z \"$AGENT_ACCESS_TOKEN\"; set -g __agent_env_due 0; __agent_env_hook; end; \(Example.printsVariables)",
      output: "TOKEN\nISSUER\n"),
    #"id=$(agent login work --start) && agent login --resume "$id""#: Trial(
      before: "agent logout -q", message: "agent: signed in to ISSUER as "),
    "agent status --check": Trial(output: "   ACCOUNT"),
  ]

  /// Lines that no test can run, and why.
  private static let cannotRun: [String: String] = [
    "agent mcp https://mcp.example.org/mcp": "a client starts it and talks to it; its own tests do that",
    "agent setup git --host git.example.org": "it asks on a terminal; an example of the manual does not",
  ]

  /// The lines that a user would type, without comments.
  private static func lines() throws -> [String] {
    let first = try #require(try PackageFiles.text("README.md").firstMatch(of: #/```sh\n(?s:(.*?))```/#)).1
    let use = try #require(
      try PackageFiles.text("share/doc/use.md").firstMatch(of: #/## Every day\n```sh\n(?s:(.*?))```/#)
    ).1
    return (first.split(separator: "\n") + use.split(separator: "\n")).map { line in
      String(line[..<(line.firstRange(of: #/ +# /#)?.lowerBound ?? line.endIndex)])
    }
  }

  /// The texts between backticks.
  private static func code(in text: some StringProtocol) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  @Test func `has lines that are run, or it is said why not`() throws {
    let lines = try Self.lines()
    #expect(Set(lines) == Set(Self.trials.keys).union(Self.cannotRun.keys))
    #expect(Set(Self.trials.keys).isDisjoint(with: Self.cannotRun.keys))
  }

  @Test(arguments: trials.keys.sorted()) func `has lines that work`(line: String) throws {
    let trial = try #require(Self.trials[line])
    for shell in trial.shells { try Example.run(line, trial, in: shell) }
  }

  @Test func `names commands and options that there are`() throws {
    try AgentTree.with { tree in
      var count = 0
      let pages = ["README.md"] + ["commands", "services", "troubleshooting", "use"].map { "share/doc/\($0).md" }
      for line in try pages.flatMap({ try PackageFiles.text($0).split(separator: "\n") }) where !line.hasPrefix("#") {
        for command in Self.code(in: line) where command.hasPrefix("agent ") && !command.hasPrefix("agent -v") {
          let words = command.split(separator: " ").dropFirst().prefix { $0 != "--" && $0 != "…" }.map(String.init)
          let result = try tree.shell("sh", "agent --help \(words.joined(separator: " "))")
          #expect(result.succeeded, "\(command): \(result.errorText)")
          count += 1
        }
      }
      #expect(count > 20)
    }
  }

  @Test func `quotes what the programs say when something goes wrong`() throws {
    let text = try PackageFiles.text("share/doc/troubleshooting.md")
    let table = try #require(text.firstMatch(of: #/\| It says \|.*\n.*\n((?:\|.*\n)+)/#)).1
    let known = try PackageFiles.text("share/po/agent.pot").replacing("\"\n\"", with: "")
    // The text between values, one of which is the system's reason, is in the catalogue.
    let value = #/(?:https:\/\/)?HOST| ?NAME|DIRECTORY|\bwork\b|[0-9]+|…|: (?:Permission denied)?| \(|\)/#
    var count = 0
    for row in table.split(separator: "\n") {
      for said in Self.code(in: row.split(separator: "|")[0]) where said.contains(" ") {
        for part in said.split(separator: value).map({ $0.drop { $0 == " " } }) where !part.contains("_") {
          #expect(known.contains(part), "no message has \"\(part)\" of \"\(said)\"")
          count += 1
        }
      }
    }
    #expect(count > 15)
  }
}
