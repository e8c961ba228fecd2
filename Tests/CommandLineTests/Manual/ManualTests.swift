import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `Generated files` {
  @Test(arguments: Generator.files.map(\.path)) func `are committed as the command table has them`(path: String) throws
  {
    let generated = try #require(Generator.files.first { $0.path == path })
    let isFresh = try PackageFiles.text(path) == generated.content
    #expect(isFresh, "run generate to bring \(path) up to date")
  }

  @Test(arguments: Generator.files) func `say at their beginning that they are not to be edited`(
    file: Generator.GeneratedFile
  ) {
    let lines = file.content.split(separator: "\n").prefix(2)
    // The first line of a file for zsh is where zsh looks for the names to complete.
    let first = lines.first == "#compdef agent" ? lines.last : lines.first
    #expect(first?.contains("Generated from the command table") == true && first?.contains("do not edit") == true)
  }

  @Test(.enabled(if: Spawn.search("mandoc") != nil), arguments: ManualPage.all.map { $0.text() })
  func `are clean manual pages`(page: String) throws {
    let mandoc = try #require(Spawn.search("mandoc"))
    let result = try ProcessRunner.run(
      executable: mandoc, arguments: ["-Tlint", "-Wwarning"], input: Array(page.utf8))
    #expect(result.outputText == "" && result.errorText == "")
    #expect(result.succeeded)
  }
}

@Suite struct `The manual` {
  @Test func `names every command and every option`() {
    let page = ManualPage.agent.text()
    for command in Command.all {
      #expect(page.contains("\n.Ss \(command.name)\n"))
      for option in command.options + Options.common {
        #expect(page.contains("Fl \\-\(Mdoc.escaped(option.name))"), "\(option.name)")
      }
    }
  }

  @Test func `has the sections that people look for`() {
    let titles = ManualPage.agent.text().split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
    #expect(
      titles == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
        "SEE ALSO", "STANDARDS", "SECURITY CONSIDERATIONS",
      ])
  }

  @Test func `names every exit status that a failure can have`() {
    let statuses = Set(Manual.exitStatuses.map(\.term))
    for status in Wire.ExitStatus.allCases { #expect(statuses.contains("\(status.rawValue)")) }
  }

  @Test(arguments: [
    ("a -b", "a \\-b\n"), (".x", "\\&.x\n"), ("'x'", "\\(aqx\\(aq\n"), ("\\", "\\e\n"), ("`a b` c", "\\fBa b\\fP c\n"),
    ("One. Two.", "One.\nTwo.\n"), ("~^", "\\(ti\\(ha\n"),
  ]) func `escapes what mdoc would take for something else`(text: String, expected: String) {
    #expect(Mdoc.paragraph(text) == expected)
  }
}

@Suite struct `The help` {
  @Test func `on a command says all of it in 80 columns`() {
    #expect(
      HelpWriter.help(on: .token)
        == """
        Print a valid access token.

        Usage: agent token [OPTION]... [ACCOUNT]

        Prints a token at once when a good one is at hand, and gets a new one from the
        server otherwise.

        With --json prints {"account", "issuer", "access_token", "token_type", "scope",
        "expires_at"}, without the members that the server left out. "offline": true is
        added to a token that should have been renewed when the server could not be
        reached; it is good until it expires.

        With --id-token prints the verified ID Token that came with the access token,
        or before it when the server gave none since; with --json it is a member
        "id_token" of the object. It has a lifetime of its own. Where there is none the
        command fails with exit status 1.

        --scope, --resource, --audience and --authorization-details ask for another
        token than the account's own: one that may do less, or one that is good
        elsewhere. Each is kept in memory and renewed by itself, and none takes the
        place of the account's own. With --exchange it is got by trading the account's
        own token (RFC 8693), for servers that want it so. Where the server withholds a
        part of the scope that was asked for, no token is printed, and the exit status
        is 6.

        Options:
              --min-valid DURATION
                                  Get a new token if the cached one expires sooner than
                                  this
          -s, --scope SCOPE       Ask for a token with these scopes only; may be given
                                  several times
              --resource URI      Ask for a token for this resource (RFC 8707); may be
                                  given several times
              --audience NAME     Ask for a token with this audience
              --authorization-details JSON
                                  Ask for a token with this authorization only (RFC
                                  9396); @FILE reads it
              --exchange          Exchange the account's own token for it (RFC 8693)
              --wait DURATION     Wait up to this time for a server that cannot be
                                  reached, beyond --timeout
              --force-refresh     Get a new token even if the cached one is valid
              --header            Print a whole Authorization header line
              --id-token          Print the ID Token instead of the access token

        Call an API without the token on the command line, where other users could see it:

            agent token --header | curl -H @- https://api.example.com/me

        `agent help` lists the options of every command.

        """.filter { $0 != "`" })
  }

  @Test func `on the program lists the commands in the order of the table`() throws {
    let lines = HelpWriter.program().split(separator: "\n")
    let first = try #require(lines.firstIndex { $0 == "Commands:" })
    let names = lines[(first + 1)...].prefix { $0.hasPrefix("  ") }.map { $0.dropFirst(2).prefix(24) }
    #expect(names.count == CommandName.listed.count)
    for (line, entry) in zip(names, CommandName.listed) { #expect(line.hasPrefix("\(entry.rawValue) ")) }
    #expect(lines[1] == "Usage: agent [OPTION]... COMMAND [ARGUMENT]...")
  }

  @Test func `is ASCII in lines of at most 79 characters, but for examples`() {
    let texts =
      Command.all.map { HelpWriter.help(on: $0) } + [
        HelpWriter.program(), HelpWriter.help(onGroup: "daemon"),
      ]
    for text in texts {
      #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
      for line in text.split(separator: "\n") where !line.hasPrefix("    agent ") && !line.hasSuffix(":") {
        #expect(line.utf8.count <= 79, "\(line)")
      }
    }
  }

  @Test func `is found by the words of a command, a group, or a command with operands`() throws {
    #expect(try HelpCommand.text(for: []) == HelpWriter.program())
    #expect(try HelpCommand.text(for: ["token"]) == HelpWriter.help(on: .token))
    #expect(try HelpCommand.text(for: ["daemon", "stop"]) == HelpWriter.help(on: .daemonStop))
    #expect(try HelpCommand.text(for: ["daemon"]) == HelpWriter.help(onGroup: "daemon"))
    #expect(try HelpCommand.text(for: ["token", "work"]) == HelpWriter.help(on: .token))
    #expect(throws: Failure(.invalidRequest, "there is no command \"daemon fly\"", hint: "agent help")) {
      try HelpCommand.text(for: ["daemon", "fly"])
    }
  }
}
