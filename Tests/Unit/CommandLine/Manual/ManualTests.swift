import Platform
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import CommandLine

extension ManualPage {
  /// The page as committed.
  func committed() throws -> String { try PackageFiles.text(path) }
}

@Suite struct `Generated files` {
  private static let all = (try? Generator.files(in: PackageFiles.path())) ?? []

  @Test(arguments: all) func `are committed as the declarations have them`(file: Generator.GeneratedFile) throws {
    let isFresh = try PackageFiles.text(file.path) == file.content
    #expect(isFresh, "run generate to bring \(file.path) up to date")
  }

  @Test func `are all pages and completions`() throws {
    let pages = try ProcessRunner.shell("cd '\(PackageFiles.path())' && echo man/*").outputText.split {
      " \n".contains($0)
    }
    #expect(Set(Self.all.map(\.path).filter { $0.hasPrefix("man/") }) == Set(pages.map(String.init)))
    #expect(Self.all.count == pages.count + CompletionShell.allCases.count)
  }

  @Test(arguments: all.filter { $0.path.hasPrefix("completions/") })
  func `say at their beginning that they are not to be edited`(file: Generator.GeneratedFile) {
    let lines = file.content.split(separator: "\n").prefix(2)
    // zsh reads the names to complete from the first line of a file.
    let first = lines.first == "#compdef agent" ? lines.last : lines.first
    #expect(first?.contains("Copied by \"generate\"") == true && first?.contains("do not edit") == true)
  }

  @Test(.enabled(if: Spawn.search("mandoc") != nil), arguments: ManualPage.all)
  func `are clean manual pages`(page: ManualPage) throws {
    let mandoc = try #require(Spawn.search("mandoc"))
    let result = try ProcessRunner.run(
      executable: mandoc, arguments: ["-Tlint", "-Wwarning"], input: Array(page.committed().utf8))
    // These pages have the examples before the conventional ENVIRONMENT, FILES and EXIT STATUS.
    let problems = (result.outputText + result.errorText).split(separator: "\n").filter { line in
      !["ENVIRONMENT", "FILES", "EXIT STATUS"].contains {
        line.hasSuffix("sections out of conventional order: Sh \($0)")
      }
    }
    #expect(problems == [])
  }
}

@Suite struct `A list of a page` {
  @Test func `takes the place of the one that is there, and nothing else changes`() throws {
    let page = "Before\n.\\\" @value protocol-version .\nstale\n.Pp\n.\\\" @end\nAfter\n"
    let expected = "Before\n.\\\" @value protocol-version .\n\(WireProtocol.version).\n.\\\" @end\nAfter\n"
    #expect(try ManualPage.replaceLists(in: page, by: Main.commands) == expected)
    #expect(try ManualPage.replaceLists(in: expected, by: Main.commands) == expected)
  }

  @Test(arguments: [
    (".\\\" @value nothing\n.\\\" @end\n", "unknown list: .\\\" @value nothing"),
    (".\\\" @options fly\n.\\\" @end\n", "unknown list: .\\\" @options fly"),
    (".\\\" @errors\nx\n", ".\\\" @errors without an end"),
    (".\\\" @errors\n.\\\" @events\n.\\\" @end\n", ".\\\" @errors without an end"),
    ("x\n.\\\" @end\n", ".\\\" @end without a list"),
  ]) func `that cannot be written is an error`(page: String, problem: String) {
    #expect(throws: PageError(text: problem)) { try ManualPage.replaceLists(in: page, by: Main.commands) }
  }

  @Test func `is in the page of each command that has options or an answer`() throws {
    for command in Main.commands.all {
      let lines = Set(try ManualPage.of(command.name).committed().split(separator: "\n").map(String.init))
      let options = ManualList.text("options \(command.name)", Main.commands)
      #expect(options == "" || lines.contains(".\\\" @options \(command.name)"), "\(command.name)")
      #expect(command.answer.isEmpty || lines.contains(".\\\" @members \(command.name)"), "\(command.name)")
    }
  }
}

@Suite struct `The manual` {
  @Test func `names every command and every option`() throws {
    let main = try ManualPage.agent.committed()
    for option in Options.common { #expect(main.contains("Fl \\-\(option.name.replacing(each: "-", with: "\\-"))")) }
    for command in Main.commands.all {
      let page = try ManualPage.of(command.name).committed()
      #expect(main.contains("\n.It Cm \(Mdoc.escaped(String(command.name.words[0]))) Ta "))
      #expect(page.contains("\n.Nm agent \(command.name)\n"))
      for option in command.options where !option.isSetting || command.name == .login {
        let name = "\\-\(Mdoc.escaped(option.name))"
        let isElsewhere = ManualList.home(of: option, in: command, Main.commands) != nil
        #expect(page.contains(isElsewhere ? "\\fB\\-\(name)\\fP" : "Fl \(name)"), "\(option.name)")
      }
    }
  }

  @Test(arguments: Main.commands.all.map(\.name)) func `says of a command what its whole help says`(
    name: CommandName
  ) throws {
    let command = Main.commands.named(name)
    let page = try ManualPage.of(name).committed()
    let options = command.options.filter {
      (!$0.isSetting || name == .login) && ManualList.home(of: $0, in: command, Main.commands) == nil
    }
    // The line below the name has the summary of a command with its own page.
    let texts = (name.pageName == "agent-\(name)" ? [] : [command.summary + "."]) + options.map(ManualList.sentence)
    let words = Self.words(of: page)
    for text in texts { #expect(words.contains(" \(Prose.plain(text)) "), "\(text)") }
    let examples = try Manual().examples(of: name.pageName)
    for example in command.examples {
      #expect(
        examples.contains { $0.purpose == Prose.plain(example.purpose) + ":" && $0.line == example.line },
        "\(example.line)")
    }
    #expect(Self.usages(in: page).contains("agent \(command.usage)"), "\(command.usage)")
    guard name.pageName == "agent-\(name.words[0])" else { return }
    let summary = name.words.count == 1 ? command.summary : CommandName.summary(ofGroup: String(name.words[0]))
    #expect(page.contains("\n.Nd \(Mdoc.escaped(summary.prefix(1).lowercased() + summary.dropFirst()))\n"))
  }

  @Test(arguments: ManualPage.all) func `shows text as it is in lines that a terminal of 80 columns does not break`(
    page: ManualPage
  ) throws {
    let lines = try page.committed().split(separator: "\n")
    let commands = lines.filter { $0.hasPrefix(".Dl ") }.map { Manual.plain($0.dropFirst(4)) }
    // Such lines begin after 11 columns.
    for line in Manual.programs(in: lines[...]).joined() + commands { #expect(line.count <= 69, "\(line)") }
  }

  /// A page as one line.
  private static func words(of page: String) -> String {
    page.split(separator: "\n").map(Manual.plain).joined(separator: " ")
  }

  /// The usage lines of a page, as the help prints them.
  private static func usages(in page: String) -> [String] {
    page.split(separator: "\n").reduce(into: []) { usages, line in
      let line = Manual.plain(line)
      if line.hasPrefix(".Nm agent") { return usages.append(String(line.dropFirst(4))) }
      let macros = [".Op Ar ", ".Ar ", ".Li "]
      guard !usages.isEmpty, let macro = macros.first(where: { line.hasPrefix($0) }) else { return }
      let word = line.dropFirst(macro.count)
      let name = word.hasSuffix(" ...") ? word.dropLast(4) : word
      usages[usages.count - 1] += (macro == ".Op Ar " ? " [\(name)]" : " \(name)") + (name == word ? "" : "...")
    }
  }

  @Test func `tells of the options of every command in one page alone`() throws {
    for page in ManualPage.all {
      let words = Self.words(of: try page.committed())
      for option in Options.common {
        // An option of another name, such as the header of a request, has another argument.
        let isThere = words.contains(" Ta \(Prose.plain(option.sentence))")
        #expect(isThere == (page.name == CommandName.mainPage), "\(page.name): \(option.name)")
      }
    }
  }

  @Test(arguments: ManualPage.all) func `refers to pages that there are, and to agent(1) from everywhere`(
    page: ManualPage
  ) throws {
    let known = Set(ManualPage.all.map { "\($0.name) \($0.section)" })
    let lines = try page.committed().split(separator: "\n")
    let named = lines.filter { $0.hasPrefix(".Xr ") }.map { $0.split(separator: " ")[1...2].joined(separator: " ") }
    #expect(Set(named).isSubset(of: known) && !named.contains("\(page.name) \(page.section)"))
    #expect(page.name == CommandName.mainPage || named.contains("agent 1"))
    let seeAlso = lines.drop { $0 != ".Sh SEE ALSO" }.filter { $0.hasPrefix(".Xr ") }
    let pages = seeAlso.map { line in line.split(separator: " ").dropFirst().map(String.init) }
    #expect(zip(pages, pages.dropFirst()).allSatisfy { ($0[1], $0[0]) < ($1[1], $1[0]) })
    // The section COMMANDS of agent(1) names the pages of section 1.
    let others = ManualPage.all.filter { $0.section != 1 }.map { [$0.name, "\($0.section)"] }
    #expect(page.name != CommandName.mainPage || Set(others).isSubset(of: pages.map { Array($0.prefix(2)) }))
    // Pages referenced in a text.
    for line in lines where line.utf8.contains(UInt8(ascii: "(")) {
      for word in line.split(separator: " ") {
        let name = word.filter { $0 != "\\" }.prefix { $0 != ")" }.split(separator: "(").map(String.init)
        guard name.count == 2, name[0].hasPrefix("agent"), name[1].count == 1 else { continue }
        #expect(known.contains("\(name[0]) \(name[1])"), "\(word)")
      }
    }
  }

  @Test(arguments: ManualPage.all) func `has the sections that people look for, in their order`(
    page: ManualPage
  ) throws {
    let lines = try page.committed().split(separator: "\n")
    let titles = lines.filter { $0.hasPrefix(".Sh ") }.map { String($0.dropFirst(4)) }
    let first = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS"]
    let last = [
      "EXAMPLES", "ENVIRONMENT", "FILES", "EXIT STATUS", "SEE ALSO", "STANDARDS", "SECURITY CONSIDERATIONS",
    ]
    // The sections of this page's own topic are between the options and the examples.
    let topics = titles.filter { !first.contains($0) && !last.contains($0) }
    #expect(titles == first.filter(titles.contains) + topics + last.filter(titles.contains))
    let isOfCommand = CommandName.allCases.contains { $0.pageName == page.name }
    let needed =
      isOfCommand ? first.prefix(3) + ["OPTIONS", "EXAMPLES", "SEE ALSO"] : ["NAME", "DESCRIPTION", "SEE ALSO"]
    #expect(Set(needed).isSubset(of: titles))
  }

  @Test(.enabled(if: Spawn.search("mandoc") != nil), arguments: ManualPage.all)
  func `describes a command in at most 15 lines`(page: ManualPage) throws {
    let mandoc = try #require(Spawn.search("mandoc"))
    let text = try ProcessRunner.run(
      executable: mandoc, arguments: ["-Tascii", "-Owidth=78"], input: Array(page.committed().utf8)
    ).outputText
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let description = lines.drop { !$0.hasPrefix("D\u{8}DE") }.dropFirst().prefix { $0.first.map { $0 == " " } ?? true }
    #expect(!description.isEmpty && (description.count <= 16 || page.section != 1), "\(description.count)")
  }

  @Test func `names every exit status that a failure can have`() throws {
    let statuses = Set(try Manual.terms("Li", in: Manual.section("EXIT STATUS", of: "agent.1")))
    for status in Wire.ExitStatus.allCases { #expect(statuses.contains("\(status.rawValue)")) }
  }

  @Test func `describes every reason that a token is not valid`() throws {
    let described = Manual.terms("Li", in: try Manual.section("RULES", of: "agent-verify.1"))
    #expect(described == TokenProblemCode.allCases.map(\.rawValue))
  }

  @Test(arguments: [
    ("a -b", "a \\-b\n"), (".x", "\\&.x\n"), ("'x'", "\\(aqx\\(aq\n"), ("\\", "\\e\n"), ("`a b` c", "\\fBa b\\fP c\n"),
    ("One. Two.", "One.\nTwo.\n"), ("~^", "\\(ti\\(ha\n"),
  ]) func `escapes what mdoc would take for something else`(text: String, expected: String) {
    #expect(Mdoc.paragraph(text) == expected)
  }
}

@Suite struct `The help` {
  @Test func `on a command says what most people need of it`() {
    #expect(
      HelpWriter().help(on: Main.commands.named(.token))
        == """
        Print a valid access token.
        Usage: agent token [OPTION]... [ACCOUNT]

        Examples:
          Call an API without the token on the command line, where other users could
          see it:
            agent token --header | curl -H @- https://api.example.com/me
          Stop a script if not signed in:
            token=$(agent token) || exit
          Get a token valid for at least 10 minutes:
            agent token work --min-valid 10m

        Options:
              --ask                 Sign in or unlock on the terminal first, if needed
              --min-valid DURATION  Minimum time left for the token (default: 1m)
              --force-refresh       Get a new token even if the cached one is valid
              --header              Print a whole Authorization header line
              --id-token            Take the ID Token instead of the access token
          -s, --scope SCOPE         Ask for a token with these scopes only
              --resource URI        Ask for a token for this resource (RFC 8707)
              --audience NAME       Ask for a token with this audience

        More: agent help --all token, agent-token(1)

        """)
  }

  @Test func `with --all says all of a command in 80 columns`() {
    #expect(
      HelpWriter().help(on: Main.commands.named(.vaultSet), all: true)
        == """
        Change when the vault locks by itself.
        Usage: agent vault set [OPTION]...

        Examples:
          Lock after an hour without use:
            agent vault set --lock-after 1h

        Protection:
              --lock-after DURATION
                                  Lock after this idle time, or never (default: 15m)

        The options of every command are in agent(1). The manual: agent-vault(1).

        """)
  }

  /// The options in a help text, with the titles above them.
  private static func options(of text: String) -> [(title: String, name: String)] {
    var title = ""
    var found: [(String, String)] = []
    for line in text.split(separator: "\n") {
      if line.hasSuffix(":"), !line.hasPrefix(" ") { title = String(line.dropLast()) }
      let words = line.split(separator: " ")
      guard line.hasPrefix("  -") || line.hasPrefix("      --"), title != "Examples" else { continue }
      guard let name = words.prefix(2).first(where: { $0.hasPrefix("--") }) else { continue }
      found.append((title, String(name.dropFirst(2))))
    }
    return found
  }

  @Test(arguments: Main.commands.all.map(\.name)) func `on a command fits a screen of 24 lines below its prompt`(
    name: CommandName
  )
    throws
  {
    let command = Main.commands.named(name)
    let lines = HelpWriter().help(on: command).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 23)
    #expect(lines.allSatisfy { $0.utf8.count <= 79 })
    #expect(lines[0] == "\(command.summary).")
    let options = Self.options(of: lines.joined(separator: "\n")).map(\.name)
    #expect(options == command.shortHelpOptions.map(\.name) && options.count <= 10)
    #expect(options.isEmpty == command.options.isEmpty)
    #expect(lines.last == "More: agent help --all \(name), \(name.pageName)(\(name.section))")
    #expect(lines.contains("Examples:") == !command.examples.isEmpty)
    // An option has one line. Only a list of its values may follow.
    let body = lines.drop { $0 != "Options:" }.dropFirst().prefix { !$0.isEmpty }
    var option: OptionDeclaration?
    var isList = false
    for line in body {
      if let name = Self.options(of: String(line)).first?.name {
        option = command.options.first { $0.name == name }
        isList = false
      } else if option?.argument.words.isEmpty == false {
        #expect(isList || line.drop { $0 == " " }.hasPrefix("("), "\(line)")
        isList = true
      } else {
        Issue.record("\(line)")
      }
    }
  }

  @Test(arguments: Main.commands.all.map(\.name)) func `of all has each option in the one group that it is of`(
    name: CommandName
  ) {
    let command = Main.commands.named(name)
    let options = Self.options(of: HelpWriter().help(on: command, all: true))
    #expect(options.map(\.name).sorted() == command.options.map(\.name).sorted())
    for option in command.options {
      #expect(options.filter { $0.name == option.name }.map(\.title) == [option.group.rawValue])
      // The group of the common options contains only those.
      #expect(option.group != .common)
    }
    let text = HelpWriter().help(on: command, all: true)
    for example in command.examples { #expect(text.contains(HelpWriter().example(example))) }
  }

  @Test func `lists no option of every day that the command has not`() {
    for command in Main.commands.all {
      #expect(Set(command.shortHelpNames()).isSubset(of: command.options.map(\.name)), "\(command.name)")
      #expect(Set(command.shortHelpOptions.map(\.name)).count == command.shortHelpOptions.count, "\(command.name)")
    }
  }

  @Test func `on a command with options has examples, which the parser reads, as it does those of the manual`() throws {
    let tree = try TemporaryDirectory()
    for command in Main.commands.all {
      #expect(command.options.isEmpty || !command.examples.isEmpty, "\(command.name)")
      #expect(command.examples.count <= 3, "\(command.name)")
      for example in command.examples {
        let calls = try Self.calls(in: HelpWriter.lines(of: example.line), tree)
        #expect(try Set(calls) == Set(Self.calls(in: example.line, tree)))
        #expect(
          try calls.contains { try Parser.parse($0).command?.name.pageName == command.name.pageName }, "\(example.line)"
        )
      }
    }
    // Preparations with another program are shown too.
    for example in try Manual().examples() where !example.line.hasPrefix("openssl ") {
      let calls = try Self.calls(in: example.shown, tree)
      #expect(try !calls.isEmpty && Set(calls) == Set(Self.calls(in: example.line, tree)), "\(example.line)")
      for call in calls { #expect(throws: Never.self, "\(call)") { try Parser.parse(call) } }
    }
  }

  /// The arguments of each call of `agent` when a shell runs an example.
  private static func calls(in shown: String, _ tree: TemporaryDirectory) throws -> [[String]] {
    let script = """
      cd '\(tree.path)'; : >calls
      # One write for each call, since those of a pipe happen at the same time.
      agent() { local IFS=$'\\037'; printf '%s\\n' "$*" >>calls; }
      for name in curl jq pass; do eval "$name() { :; }"; done
      source() { [ $# = 0 ] || cat "$1"; }
      \(shown)
      wait; cat calls >/dev/stderr
      """
    let result = try ProcessRunner.run(executable: "/usr/bin/env", arguments: ["bash", "-c", script])
    return result.errorText.split(separator: "\n").map { $0.split(separator: "\u{1F}").map(String.init) }
  }

  @Test(arguments: [
    (CommandName.helper, HelperProtocolName.allCases.map(\.rawValue)), (.setup, SetupClient.names),
    (.env, TokenField.spellings + Shell.all.map(\.name)), (.tokenFile, ["add", "remove"]),
  ]) func `names the words that the usage asks for`(name: CommandName, words: [String]) {
    for all in [false, true] {
      let help = HelpWriter().help(on: Main.commands.named(name), all: all)
      let shown = Set(help.split { " ,()\n".contains($0) }.map(String.init))
      #expect(Set(words).isSubset(of: shown), "\(Set(words).subtracting(shown))")
    }
  }

  @Test func `on a command shows all its examples, and three of those that people use most`() {
    for command in Main.commands.all {
      let help = HelpWriter().help(on: command)
      for example in command.examples { #expect(help.contains(HelpWriter().example(example)), "\(command.name)") }
      #expect(command.topic == .upkeep || command.topic == .other || command.examples.count == 3, "\(command.name)")
    }
  }

  @Test func `on the program lists the commands in the order of the table`() throws {
    let lines = HelpWriter().help(onProgram: Main.commands, all: true).split(separator: "\n")
    let first = try #require(lines.firstIndex { $0 == "Commands:" })
    let names = lines[(first + 1)...].prefix { $0.hasPrefix("  ") }.map { $0.dropFirst(2).prefix(24) }
    #expect(names.count == CommandName.listed.count)
    for (line, entry) in zip(names, CommandName.listed) { #expect(line.hasPrefix("\(entry.rawValue) ")) }
    #expect(lines[1] == "Usage: agent [OPTION]... COMMAND [ARGUMENT]...")
  }

  @Test func `on the program fits a screen, and names every command or its group`() {
    let text = HelpWriter().help(onProgram: Main.commands)
    #expect(text.count { $0 == "\n" } <= HelpWriter.screenLines)
    let words = Set(text.split { !$0.isLetter && $0 != "-" }.map(String.init))
    #expect(Set(CommandName.firstWords).isSubset(of: words))
  }

  @Test func `is ASCII in lines of at most 79 characters`() {
    let texts =
      Main.commands.all.flatMap { [HelpWriter().help(on: $0), HelpWriter().help(on: $0, all: true)] } + [
        HelpWriter().help(onProgram: Main.commands), HelpWriter().help(onProgram: Main.commands, all: true),
        HelpWriter().help(onGroup: "daemon", of: Main.commands),
      ]
    for text in texts {
      #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
      for line in text.split(separator: "\n") { #expect(line.utf8.count <= 79, "\(line)") }
    }
  }

  @Test func `is found by the words of a command, a group, or a command with operands`() throws {
    #expect(try HelpCommand.text(for: [], by: Main.commands) == HelpWriter().help(onProgram: Main.commands))
    #expect(
      try HelpCommand.text(for: ["token"], by: Main.commands) == HelpWriter().help(on: Main.commands.named(.token)))
    #expect(
      try HelpCommand.text(for: ["daemon", "stop"], by: Main.commands)
        == HelpWriter().help(on: Main.commands.named(.daemonStop)))
    #expect(
      try HelpCommand.text(for: ["daemon"], by: Main.commands)
        == HelpWriter().help(onGroup: "daemon", of: Main.commands))
    #expect(
      try HelpCommand.text(for: ["token", "work"], by: Main.commands)
        == HelpWriter().help(on: Main.commands.named(.token)))
    #expect(
      try HelpCommand.text(for: ["token"], by: Main.commands, all: true)
        == HelpWriter().help(on: Main.commands.named(.token), all: true))
    #expect(
      try HelpCommand.text(for: ["daemon"], by: Main.commands, all: true).contains(
        HelpWriter().help(on: Main.commands.named(.daemonLog), all: true)))
    expect(throws: Failure(.invalidRequest, "unknown command \"recipes\"", hint: "man agent-recipes")) {
      try HelpCommand.text(for: ["recipes"], by: Main.commands)
    }
    expect(throws: Failure(.invalidRequest, "unknown command \"daemon fly\"", hint: "agent help daemon")) {
      try HelpCommand.text(for: ["daemon", "fly"], by: Main.commands)
    }
  }
}
