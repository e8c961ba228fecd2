/// Reads a command line by the command table.
///
/// Options may stand anywhere: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-qj`. After
/// `--` nothing is an option any more. The common options may also stand before the command.
struct Parser {
  private var remaining: ArraySlice<String>

  // What the invocation will hold.
  private var command: Command?
  private var commandWords: [String] = []
  private var values: [(name: OptionName, value: Invocation.Value)] = []
  private var operands: [String] = []
  private var trailing: [String]?

  /// The first word of a group such as `daemon`, until its second word is read.
  private var group: String?

  private init(_ arguments: [String]) { remaining = arguments[...] }

  /// - Parameter arguments: The arguments without the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var parser = Parser(arguments)
    return try parser.parse()
  }

  private mutating func parse() throws(UsageError) -> Invocation {
    while let argument = remaining.popFirst() {
      let bytes = argument.utf8
      if bytes.elementsEqual("--".utf8) {
        try readAfterDashes()
      } else if bytes.starts(with: "--".utf8) {
        try readLongOption(argument)
      } else if bytes.first == UInt8(ascii: "-"), bytes.count > 1 {
        try readShortOptions(argument)
      } else {
        try readWord(argument)
      }
    }
    if !values.contains(where: { $0.name == .help || $0.name == .version }) { try checkCompleteness() }
    return Invocation(
      command: command, commandWords: commandWords, values: values, operands: operands, trailing: trailing)
  }

  /// After `--`, the arguments belong to the command to run, or else are operands.
  private mutating func readAfterDashes() throws(UsageError) {
    if command?.trailing != nil {
      trailing = Array(remaining)
      remaining = []
    }
    while let word = remaining.popFirst() { try readWord(word) }
  }

  // MARK: Words

  private mutating func readWord(_ word: String) throws(UsageError) {
    guard command == nil else { return operands.append(word) }
    let name = group.map { "\($0) \(word)" } ?? word
    if let found = CommandTable.command(named: name) {
      command = found
    } else if group == nil, !CommandTable.members(ofGroup: word).isEmpty {
      group = word
    } else {
      throw unknownCommand(word)
    }
    commandWords.append(word)
  }

  private func unknownCommand(_ word: String) -> UsageError {
    let known = group.map { CommandTable.members(ofGroup: $0) } ?? CommandTable.firstWords
    let prefix = group.map { "agent \($0)" } ?? "agent"
    let hint = meant(Suggestion.candidates(for: word, among: known).map { "\(prefix) \($0)" })
    return error("unknown command \(TokenShape.shown("\(group.map { "\($0) " } ?? "")\(word)"))", hint: hint)
  }

  private func checkCompleteness() throws(UsageError) {
    guard let command else {
      guard let group else { throw error("no command given") }
      let members = CommandTable.members(ofGroup: group).joined(separator: ", ")
      throw error("\"\(group)\" needs one of: \(members)")
    }
    if operands.count < command.operands.required {
      throw error("\"\(command.name)\" needs \(command.operands.metavar ?? "an argument")")
    }
    if operands.count > command.operands.limit {
      throw error("\(TokenShape.shown(operands[command.operands.limit])) is one argument too many")
    }
    if command.trailing != nil, trailing?.isEmpty ?? true {
      throw error("no command to run is given after \"--\"", hint: "agent \(command.usage)")
    }
  }

  // MARK: Options

  private mutating func readLongOption(_ argument: String) throws(UsageError) {
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].utf8
    guard let option = option(where: { $0.name.rawValue.utf8.elementsEqual(name) }) else {
      throw unknownOption(String(parts[0]))
    }
    try read(option, spelt: "--\(option.name.rawValue)", attached: parts.count > 1 ? String(parts[1]) : nil)
  }

  private mutating func readShortOptions(_ argument: String) throws(UsageError) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = option(where: { $0.short == letter }) else { throw error("unknown option \"-\(letter)\"") }
      if option.metavar == nil {
        try read(option, spelt: "-\(letter)", attached: nil)
      } else {
        return try read(option, spelt: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
      }
    }
  }

  private func option(where matches: (Option) -> Bool) -> Option? {
    command.map { $0.option(where: matches) } ?? Option.common.first(where: matches)
  }

  private mutating func read(_ option: Option, spelt spelling: String, attached: String?) throws(UsageError) {
    guard option.metavar != nil else {
      guard attached == nil else { throw error("\"\(spelling)\" takes no value") }
      return values.append((option.name, .present))
    }
    guard let text = attached ?? remaining.popFirst() else { throw error("\"\(spelling)\" needs a value") }
    values.append((option.name, try value(text, of: option, spelt: spelling)))
  }

  private func value(_ text: String, of option: Option, spelt spelling: String) throws(UsageError) -> Invocation.Value {
    switch option.value {
    case .none: return .present
    case .text, .file:
      guard !text.isEmpty else { throw error("the value of \"\(spelling)\" is empty") }
      return .text(text)
    case .choice(_, let words):
      guard words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
        throw error("\"\(spelling)\" takes one of: \(words.joined(separator: ", "))")
      }
      return .text(text)
    case .durationOrNever where text.utf8.elementsEqual("never".utf8): return .seconds(0)
    case .duration(let range), .durationOrNever(let range):
      guard let seconds = DurationText.seconds(text), range.contains(seconds) else {
        let bounds =
          "\(DurationText.text(seconds: range.lowerBound)) to \(DurationText.text(seconds: range.upperBound))"
        throw error("\"\(spelling)\" takes a time such as 90s, 5m or 1h, from \(bounds)")
      }
      return .seconds(seconds)
    }
  }

  private func unknownOption(_ name: String) -> UsageError {
    let known = (command?.options ?? []) + Option.common
    let candidates = Suggestion.candidates(for: name, among: known.map(\.name.rawValue))
    let message = "unknown option \"--\(name)\""
    if candidates.isEmpty, command == nil, isCommandOption(name) {
      return error("\(message) before the command", hint: "give it after the command's name")
    }
    return error(message, hint: meant(candidates.map { "--\($0)" }))
  }

  private func isCommandOption(_ name: String) -> Bool {
    OptionName.allCases.contains { $0.rawValue.utf8.elementsEqual(name.utf8) }
  }

  // MARK: Errors

  private func meant(_ candidates: [String]) -> String? {
    guard !candidates.isEmpty else { return nil }
    return "did you mean \(candidates.map { "\"\($0)\"" }.joined(separator: " or "))?"
  }

  private func error(_ message: String, hint: String? = nil) -> UsageError {
    let help = (["agent help"] + commandWords).joined(separator: " ")
    return UsageError(message, hint: hint ?? help, commandName: command?.name)
  }
}
