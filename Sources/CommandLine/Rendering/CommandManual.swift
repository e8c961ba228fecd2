internal import Vocabulary

/// Writes the page of a command, or of a group of commands, from the command table.
struct CommandManual {
  /// The name of the page: `agent-login`.
  let page: String

  private var commands: [Command] { CommandTable.all.filter { $0.name.page == page } }

  var sections: [ManualSection] {
    let commands = commands
    let examples = commands.flatMap(\.examples)
    let body = commands.count == 1 ? single(commands[0]) : group(commands)
    let summary = commands.count == 1 ? commands[0].summary : groupSummary
    return [
      ManualSection("NAME", [.raw(ManualWriter.name(page, summary))]),
      ManualSection("SYNOPSIS", [.raw(commands.map(ManualWriter.usage).joined())]),
      ManualSection(
        "DESCRIPTION",
        [.text(summary + ".")] + (commands.count == 1 ? commands[0].details.prefix(1).map { .text($0) } : [])),
    ] + (examples.isEmpty ? [] : [ManualSection("EXAMPLES", [.raw(ManualWriter.examples(examples))])]) + body
      + [ManualSection("SEE ALSO", [.seeAlso(references)])]
  }

  private var groupSummary: String { CommandName.summary(ofGroup: String(page.dropFirst("agent-".count))) }

  private static let common = ManualBlock.text("Those of every command, such as `--json`, are in agent(1).")

  private func single(_ command: Command) -> [ManualSection] {
    let details = ManualWriter.details(command.details.dropFirst(), of: command)
    let options = command.options.isEmpty ? [] : ManualWriter.grouped(command.options)
    return (details.isEmpty ? [] : [ManualSection("DETAILS", details)])
      + [ManualSection("OPTIONS", [Self.common] + options)]
  }

  /// Options that several of the commands share are described once.
  private func group(_ commands: [Command]) -> [ManualSection] {
    var seen: [OptionDeclaration] = []
    var shared: [OptionDeclaration] = []
    for option in commands.flatMap(\.options) where !option.isSame(asOneOf: shared) {
      if option.isSame(asOneOf: seen) { shared.append(option) } else { seen.append(option) }
    }
    return [
      ManualSection("COMMANDS", commands.flatMap { ManualWriter.subsection($0, without: shared) }),
      ManualSection("OPTIONS", [Self.common] + (shared.isEmpty ? [] : ManualWriter.grouped(shared))),
    ]
  }

  /// The pages mentioned in the texts, and those of the commands mentioned.
  private var references: [(name: String, section: Int)] {
    let texts = commands.flatMap { $0.details + $0.options.map(\.summary) }
    let words = texts.map(Prose.plain)
    let named = CommandName.listed.filter { name in words.contains { Prose.has("agent \(name)", in: $0) } }.map(\.page)
    return Mdoc.ordered(
      Manual.pages.filter { other in
        other.name != page
          && (other.name == CommandName.mainPage || named.contains { $0 == other.name }
            || words.contains { Prose.has("\(other.name)(\(other.section))", in: $0) })
      })
  }
}

extension OptionDeclaration {
  /// Whether one of these options has the same name and description.
  func isSame(asOneOf others: [OptionDeclaration]) -> Bool {
    others.contains { $0.name == name && $0.sentence == sentence }
  }
}
