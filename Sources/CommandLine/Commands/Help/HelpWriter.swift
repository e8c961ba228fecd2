internal import Vocabulary

struct HelpWriter {
  private static let width = 79
  private static let optionColumn = 26

  /// If an option has more choices, all are omitted, unless they fit on the summary's last line.
  private static let maximumChoices = 12

  /// The maximum number of lines without `--all`.
  static let screenLines = 23

  var language = Language.english

  /// All texts for translators.
  static func texts(of table: CommandTable) -> Set<String> {
    let groups = CommandName.firstWords.filter { !CommandName.members(ofGroup: $0).isEmpty }
    var texts = [CommandTable.summary] + groups.map(CommandName.summary) + OptionGroup.allCases.map(\.rawValue)
    for command in table.all {
      texts.append(command.summary)
      texts += command.examples.map(\.purpose) + command.options.map(\.summary)
    }
    return Set(texts + Options.common.map(\.summary))
  }

  func help(onProgram table: CommandTable, all: Bool = false) -> String {
    let start = all ? "" : " " + self.text(Phrase("To start: \("agent login")"))
    var text = wrapped(translated(CommandTable.summary) + "." + start)
    let usage = self.text(Phrase("Usage: \("agent [OPTION]... COMMAND [ARGUMENT]...")")) + "\n"
    guard all else {
      text += usage
      for topic in Topic.allCases where topic != .other {
        text += "\n" + table.firstWords(in: topic).map { line($0, table) }.joined()
      }
      return text + wrapped(Phrase("Also: \(table.firstWords(in: .other).joined(separator: ", "))"))
        + wrapped(Phrase("More: \("agent help COMMAND, agent help --all, agent help providers, agent(1)")"))
    }
    text += "\n\(usage)\n\(self.text(Phrase("Commands:")))\n"
    for command in table.all { text += entry(of: command) }
    text += "\n\(self.text(Phrase("Options of every command:")))\n" + Options.common.map(entry).joined()
    text +=
      "\n" + wrapped(Phrase("`agent help COMMAND` says more about one command, and its page in the manual all."))
    return text + wrapped(Phrase("`agent help providers` lists the services that are known by name."))
  }

  private func line(_ word: String, _ table: CommandTable) -> String {
    Self.entry(word, plain(translated(table.summary(ofFirstWord: word))), column: 13, gap: 1)
  }

  func help(onGroup group: String, of table: CommandTable, all: Bool = false) -> String {
    let commands = table.all.filter { $0.name.words.count == 2 && $0.name.words[0] == group }
    if all { return commands.map { help(on: $0, all: true) }.joined(separator: "\n") }
    var text = wrapped(translated(CommandName.summary(ofGroup: group)) + ".")
    text += "\n\(self.text(Phrase("Usage: \("agent \(group) COMMAND")")))\n\n\(self.text(Phrase("Commands:")))\n"
    for command in commands { text += entry(of: command) }
    return text + "\n"
      + wrapped(
        Phrase("\("`agent help \(group) COMMAND`") says more about one command, \("agent-\(group)(1)") about all."))
  }

  func help(on command: Command, all: Bool = false) -> String {
    if !all { return shortHelp(for: command) }
    var text = heading(command)
    if !command.examples.isEmpty { text += "\n\(examplesTitle)\n" + command.examples.map(example).joined() }
    for (group, options) in command.optionGroups {
      text += "\n\(translated(group.rawValue)):\n" + options.map(entry).joined()
    }
    let end = self.text(Phrase("The options of every command are in \("agent(1)")."))
    let manual = self.text(Phrase("The manual: \("\(command.name.pageName)(\(command.name.section))")."))
    return text + "\n" + wrapped(end + " " + manual)
  }

  private func heading(_ command: Command) -> String {
    var heading = wrapped(translated(command.summary) + ".") + text(Phrase("Usage: \("agent \(command.usage)")")) + "\n"
    if let word = command.operands.metavar?.prefix(while: { $0 != " " }),
      case .words(let words) = command.operands.candidates,
      !word.hasPrefix("[")
    {
      heading += Prose.wrapped("\(word): \(words.joined(separator: ", "))", width: Self.width).map { $0 + "\n" }
        .joined()
    }
    return heading
  }

  private var examplesTitle: String { text(Phrase("Examples:")) }

  /// The help that fits ``screenLines``, with as many examples as fit.
  private func shortHelp(for command: Command) -> String {
    var parts = [heading(command)]
    if !command.options.isEmpty {
      parts.append(text(Phrase("Options:")) + "\n" + lines(of: command.shortHelpOptions))
    }
    parts.append(
      text(Phrase("More: \("agent help --all \(command.name), \(command.name.pageName)(\(command.name.section))")"))
        + "\n")
    let used = parts.joined(separator: "\n").count { $0 == "\n" }
    var examples = command.examples.map(example)[...]
    while examples.count > 1, used + 2 + examples.joined().count(where: { $0 == "\n" }) > Self.screenLines {
      examples.removeLast()
    }
    if !examples.isEmpty { parts.insert("\(examplesTitle)\n" + examples.joined(), at: 1) }
    return parts.joined(separator: "\n")
  }

  /// A line per option: the summary up to a semicolon, and a few choices.
  private func lines(of options: [OptionDeclaration]) -> String {
    let hasShort = options.contains { $0.short != nil }
    let terms = options.map { Self.term($0, hasShort: hasShort) }
    let column = (terms.map(\.count).max() ?? 0) + 4
    let padding = String(repeating: " ", count: column)
    return zip(terms, options).map { term, option in
      var lines = Prose.wrapped(
        plain(String(translated(option.summary).prefix { !Self.semicolons.contains($0) })), width: Self.width - column)
      let choices = option.argument.words
      if !choices.isEmpty {
        let words = parenthesized(choices)
        if let last = lines.last, column + Prose.columns(last) + 1 + Prose.columns(words) <= Self.width {
          lines[lines.count - 1] += " \(words)"
        } else if choices.count <= Self.maximumChoices {
          lines += Prose.wrapped(words, width: Self.width - column)
        }
      }
      return "  \(term)\(padding.dropLast(term.count + 2))\(lines.joined(separator: "\n\(padding)"))\n"
    }.joined()
  }

  private static let semicolons: [Character] = [";", "\u{61B}"]

  /// `hasShort` leaves space for a short spelling.
  static func term(_ option: OptionDeclaration, hasShort: Bool = true) -> String {
    let short = option.short.map { "-\($0), " } ?? (hasShort ? "    " : "")
    return "\(short)--\(option.name)" + (option.argument.metavar.map { " \($0)" } ?? "")
  }

  func example(_ example: Example) -> String {
    let purpose = Prose.wrapped(plain(translated(example.purpose)) + ":", width: Self.width - 2)
    return purpose.map { "  \($0)\n" }.joined() + "    "
      + Self.lines(of: example.line).replacing(each: "\n", with: "\n    ") + "\n"
  }

  /// Wraps a command line with backslashes. Each command of a pipeline starts a new line.
  static func lines(of line: String) -> String {
    guard line.count > width - 4 else { return line }
    var lines: [String] = []
    var isNew = true
    for unit in units(of: line) {
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

  private func entry(_ option: OptionDeclaration) -> String {
    var summary = plain(translated(option.summary))
    let choices = option.argument.words
    if !choices.isEmpty { summary += " \(parenthesized(choices))" }
    return Self.entry(Self.term(option), summary)
  }

  private func entry(of command: Command) -> String {
    Self.entry(command.name.rawValue, plain(translated(command.summary)), gap: 1)
  }

  /// A term and its description, at least `gap` spaces apart. A long term has its own line.
  private static func entry(_ term: String, _ meaning: String, column: Int = optionColumn, gap: Int = 2) -> String {
    let lines = Prose.wrapped(meaning, width: width - column)
    let padding = String(repeating: " ", count: column)
    var text = "  \(term)"
    if text.count + gap > column {
      text += "\n\(padding)"
    } else {
      text += String(repeating: " ", count: column - text.count)
    }
    return text + lines.joined(separator: "\n\(padding)") + "\n"
  }

  // MARK: - The language

  /// The translated text, still in ``Prose`` notation.
  private func translated(_ text: String) -> String { language.text(Phrase(stringLiteral: text)) }

  /// The translated phrase without backticks.
  private func text(_ phrase: Phrase) -> String { plain(language.text(phrase)) }

  private func wrapped(_ phrase: Phrase) -> String { wrapped(language.text(phrase)) }

  private func wrapped(_ text: String) -> String {
    Prose.wrapped(plain(text), width: Self.width).map { $0 + "\n" }.joined()
  }

  /// Removes backticks.
  private func plain(_ text: String) -> String {
    Prose.parts(text).map { part in
      switch part {
      case .text(let text): text
      case .literal(let word): language.isolated(word)
      }
    }.joined()
  }

  private func parenthesized(_ words: [String]) -> String {
    "(\(words.map(language.isolated).joined(separator: ", ")))"
  }

  /// The help on all providers or one; nil if unknown.
  func help(onProvider name: String?) -> String? {
    if let name {
      guard let provider = ProviderName(known: name).map({ Provider.named($0) }) else { return nil }
      return text(on: provider)
    }
    var text = wrapped("`agent login NAME` signs in to a service that agent knows by its name.")
    for provider in Provider.all { text += "\n" + self.text(on: provider) }
    return text + "\n" + wrapped("agent-providers(7) says more.")
  }

  private func text(on provider: Provider) -> String {
    var text = wrapped("\(provider.name.rawValue): \(provider.title)")
    for (term, meaning) in ProviderFacts.facts(provider, { language.text($0, limit: 2048) }) {
      text += Self.entry(term, plain(meaning))
    }
    return text
  }
}
