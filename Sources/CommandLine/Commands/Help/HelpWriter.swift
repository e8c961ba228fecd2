internal import Vocabulary

/// Writes `agent help` from the command table, for terminals of 80 columns.
enum HelpWriter {
  private static let width = 79
  private static let optionColumn = 26

  /// The maximum number of choices that the help on a command lists.
  private static let mostWords = 12

  /// The maximum number of lines of the help on a command.
  static let screenLines = 24

  /// The overview on one screen, or all commands with their options.
  static func program(_ table: CommandTable, all: Bool = false) -> String {
    var text = wrapped(CommandTable.summary + ".")
    let usage = "Usage: agent [OPTION]... COMMAND [ARGUMENT]...\n"
    guard all else {
      text += usage
      for topic in Topic.allCases where topic != .other {
        text += "\n" + table.firstWords(in: topic).map { line($0, table) }.joined()
      }
      return text + wrapped("Also: \(table.firstWords(in: .other).joined(separator: ", "))")
        + wrapped("More: agent help COMMAND, agent help --all, agent help providers, agent(1)")
    }
    text += "\n\(usage)\nCommands:\n"
    for command in table.all { text += entry(command.name.rawValue, command.summary, gap: 1) }
    text += "\nOptions of every command:\n" + Options.common.map(entry).joined()
    text += "\n" + wrapped("`agent help COMMAND` says more about one command, and its page in the manual all.")
    text += wrapped("`agent help providers` lists the services that are known by name.")
    return text
  }

  /// One line for a command or a group.
  private static func line(_ word: String, _ table: CommandTable) -> String {
    let summary = table.named(word)?.summary ?? CommandName.summary(ofGroup: word)
    return "  \(word)\(String(repeating: " ", count: 11 - word.count))\(summary)\n"
  }

  /// Lists the commands of a group, or shows the complete help on each.
  static func help(onGroup group: String, of table: CommandTable, all: Bool = false) -> String {
    let commands = table.all.filter { $0.name.words.count == 2 && $0.name.words[0] == group }
    if all { return commands.map { help(on: $0, all: true) }.joined(separator: "\n") }
    var text = wrapped(CommandName.summary(ofGroup: group) + ".")
    text += "\nUsage: agent \(group) COMMAND\n\nCommands:\n"
    for command in commands { text += entry(command.name.rawValue, command.summary, gap: 1) }
    return text + "\n"
      + wrapped("`agent help \(group) COMMAND` says more about one command, agent-\(group)(1) about all.")
  }

  /// The essential help on one screen, or all examples and options.
  static func help(on command: Command, all: Bool = false) -> String {
    if !all { return screen(on: command) }
    var text = heading(command)
    if !command.examples.isEmpty { text += "\nExamples:\n" + command.examples.map(example).joined() }
    for (group, options) in command.optionGroups { text += "\n\(group.rawValue):\n" + options.map(entry).joined() }
    let page = command.name.page == CommandName.mainPage ? "" : " The manual: \(command.name.page)(1)."
    return text + "\n" + wrapped("The options of every command are in agent(1).\(page)")
  }

  private static func heading(_ command: Command) -> String {
    wrapped(command.summary + ".") + "\nUsage: agent \(command.usage)\n"
  }

  /// The help that fits ``screenLines``, with as many examples as possible.
  private static func screen(on command: Command) -> String {
    var parts = [heading(command)]
    if !command.options.isEmpty { parts.append("Options:\n" + lines(of: command.everydayOptions)) }
    parts.append("More: agent help --all \(command.name), \(command.name.page)(1)\n")
    let used = parts.joined(separator: "\n").count { $0 == "\n" }
    var examples = command.examples.map(example)[...]
    while examples.count > 1, used + 2 + examples.joined().count(where: { $0 == "\n" }) > screenLines {
      examples.removeLast()
    }
    if !examples.isEmpty { parts.insert("Examples:\n" + examples.joined(), at: 1) }
    return parts.joined(separator: "\n")
  }

  /// One line per option: the summary up to a semicolon, and the choices if few.
  private static func lines(of options: [OptionDeclaration]) -> String {
    let hasShort = options.contains { $0.short != nil }
    let terms = options.map { term($0, hasShort: hasShort) }
    let column = (terms.map(\.count).max() ?? 0) + 4
    let padding = String(repeating: " ", count: column)
    return zip(terms, options).map { term, option in
      var text = Prose.plain(String(option.summary.prefix { $0 != ";" }))
      if case .choice(_, let choices) = option.argument {
        let words = "(\(choices().joined(separator: ", ")))"
        if column + text.count + 1 + words.count <= width {
          text += " \(words)"
        } else if choices().count <= mostWords {
          text += Prose.wrapped(words, width: width - column).map { "\n\(padding)\($0)" }.joined()
        }
      }
      return "  \(term)\(padding.dropLast(term.count + 2))\(text)\n"
    }.joined()
  }

  private static func term(_ option: OptionDeclaration, hasShort: Bool = true) -> String {
    let short = option.short.map { "-\($0), " } ?? (hasShort ? "    " : "")
    return "\(short)--\(option.name)" + (option.argument.metavar.map { " \($0)" } ?? "")
  }

  static func wrapped(_ text: String) -> String {
    Prose.wrapped(Prose.plain(text), width: width).map { $0 + "\n" }.joined()
  }

  static func example(_ example: Example) -> String {
    let purpose = Prose.wrapped(Prose.plain(example.purpose) + ":", width: width - 2).map { "  \($0)\n" }.joined()
    return purpose + "    " + lines(of: example.line).replacing(each: "\n", with: "\n    ") + "\n"
  }

  /// Wraps a command line with backslashes. Each command of a pipeline starts a new line.
  static func lines(of line: String) -> String {
    guard line.count > width - 4 else { return line }
    var lines: [String] = []
    var isNew = true
    for unit in units(of: line) {
      // Leave space for the blank and the backslash.
      if isNew || unit.hasPrefix("| ") || lines[lines.count - 1].count + 1 + unit.count > width - 10 {
        lines.append(unit)
      } else {
        lines[lines.count - 1] += " \(unit)"
      }
      isNew = unit.hasSuffix(";")
    }
    return lines.joined(separator: " \\\n    ")
  }

  /// Splits a line into words, keeping each option with its value.
  private static func units(of line: String) -> [String] {
    var units: [String] = []
    for word in Prose.shellWords(line) {
      if let last = units.last,
        last == "|"
          || last.hasPrefix("-") && last.contains(where: \.isLetter) && !last.utf8.contains(0x20)
            && !word.hasPrefix("-") && word != "|"
      {
        units[units.count - 1] += " \(word)"
      } else {
        units.append(word)
      }
    }
    return units
  }

  private static func entry(_ option: OptionDeclaration) -> String {
    var summary = option.summary
    if case .choice(_, let choices) = option.argument { summary += " (\(choices().joined(separator: ", ")))" }
    return entry(term(option), summary)
  }

  /// A term and its description. The description of a long term starts on the next line.
  ///
  /// - Parameter gap: The minimum number of spaces between them.
  static func entry(_ term: String, _ meaning: String, gap: Int = 2) -> String {
    let lines = Prose.wrapped(Prose.plain(meaning), width: width - optionColumn)
    let padding = String(repeating: " ", count: optionColumn)
    var text = "  \(term)"
    if text.count + gap > optionColumn {
      text += "\n\(padding)"
    } else {
      text += String(repeating: " ", count: optionColumn - text.count)
    }
    return text + lines.joined(separator: "\n\(padding)") + "\n"
  }
}

extension HelpWriter {
  /// The help on all providers or one of them; nil if it is unknown.
  static func help(onProvider name: String?) -> String? {
    if let name {
      guard let provider = ProviderName(rawValue: name).map({ Provider.named($0) }) else { return nil }
      return text(of: provider)
    }
    var text = wrapped("`agent login NAME` signs in to a service that agent knows by its name.")
    for provider in Provider.all { text += "\n" + Self.text(of: provider) }
    return text + "\n" + wrapped("agent-providers(7) says more.")
  }

  private static func text(of provider: Provider) -> String {
    var text = wrapped("\(provider.name.rawValue): \(provider.title)")
    for (term, meaning) in ProviderFacts.facts(provider) { text += entry(term, meaning) }
    return text
  }
}
