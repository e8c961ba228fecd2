/// Writes `agent help` from the command table, for terminals of 80 columns.
enum HelpWriter {
  private static let width = 79
  private static let optionColumn = 26

  /// The help on the program, with the list of its commands.
  static func program() -> String {
    var text = wrapped(Manual.summary + ".")
    text += "\nUsage: agent [OPTION]... COMMAND [ARGUMENT]...\n\nCommands:\n"
    for command in Command.all { text += entry(command.name.rawValue, command.summary, gap: 1) }
    text += "\nOptions of every command:\n" + Options.common.map(entry).joined()
    text += "\n" + wrapped("`agent help COMMAND` says more about one command, and agent(1) about all.")
    text += wrapped("`agent help providers` lists the services that are known by name.")
    return text
  }

  /// The list of the commands of a group.
  static func help(onGroup group: String) -> String {
    var text = "Usage: agent \(group) COMMAND\n\nCommands:\n"
    for command in Command.all where command.name.words.count == 2 && command.name.words[0] == group {
      text += entry(command.name.rawValue, command.summary, gap: 1)
    }
    return text
  }

  /// The help on one command.
  static func help(on command: Command) -> String {
    var text = wrapped(command.summary + ".")
    text += "\nUsage: agent \(command.usage)\n"
    for paragraph in command.details { text += "\n" + wrapped(paragraph) }
    if !command.options.isEmpty { text += "\nOptions:\n" + command.options.map(entry).joined() }
    for example in command.examples { text += "\n\(example.purpose):\n\n    \(example.line)\n" }
    text += "\n" + wrapped("`agent help` lists the options of every command.")
    return text
  }

  static func wrapped(_ text: String) -> String {
    Prose.wrapped(Prose.plain(text), width: width).map { $0 + "\n" }.joined()
  }

  private static func entry(_ option: OptionDeclaration) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    let value = option.argument.metavar.map { " \($0)" } ?? ""
    var summary = option.summary
    if case .choice(_, let words) = option.argument { summary += " (\(words().joined(separator: ", ")))" }
    return entry("\(short)--\(option.name)\(value)", summary)
  }

  /// A term and what it means; a long term gets a line of its own.
  ///
  /// - Parameter gap: The least space between the two.
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
