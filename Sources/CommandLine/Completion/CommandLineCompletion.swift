internal import Vocabulary

/// Completes command lines for ``CompletionScript``.
///
/// Answer lines are candidates, perhaps with a tab and a description, or directives: `:value METAVAR` for any text,
/// `:files`, or `:command NUMBER` for another program's command line after that many words.
struct CommandLineCompletion {
  private typealias Candidate = (word: String, meaning: String)

  private let table: CommandTable
  private var group: String?
  private var command: Command?
  private var operands: [String] = []
  private var givenOptions: Set<String> = []
  private var pendingOption: OptionDeclaration?
  private var isAfterDashes = false

  /// Completes the final one of `words`, which follow the program's name.
  static func lines(for words: [String], by table: CommandTable) -> [String] {
    var completion = CommandLineCompletion(table: table)
    for (index, word) in words.dropLast().enumerated() {
      if word == "--", completion.acceptsOptions, completion.command?.trailingMetavar != nil {
        return [":command \(index + 2)"]
      }
      guard completion.read(word) else { return [] }
    }
    return completion.lines(for: words.last ?? "")
  }

  private init(table: CommandTable) { self.table = table }

  /// Whether a word with a hyphen is an option.
  private var acceptsOptions: Bool {
    pendingOption == nil && !isAfterDashes && (operands.isEmpty || command?.operands.includesOptions != true)
  }

  private func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    command.map { $0.option(where: matches) } ?? Options.common.first(where: matches)
  }

  // MARK: Words before the cursor

  /// Returns false for an unknown command.
  private mutating func read(_ word: String) -> Bool {
    if pendingOption != nil {
      pendingOption = nil
    } else if acceptsOptions, word == "--" {
      isAfterDashes = true
    } else if acceptsOptions, word.hasPrefix("-"), word != "-" {
      readOption(word)
    } else if command != nil {
      operands.append(word)
    } else {
      command = table.named(group.map { "\($0) \(word)" } ?? word)
      guard command == nil else { return true }
      guard group == nil, !CommandName.members(ofGroup: word).isEmpty else { return false }
      group = word
    }
    return true
  }

  private mutating func readOption(_ word: String) {
    var letters = word.dropFirst()
    if letters.first == "-" {
      let name = letters.dropFirst().prefix { $0 != "=" }
      guard let option = option(where: { $0.name == name }) else { return }
      givenOptions.insert(option.name)
      if name.endIndex == word.endIndex, option.argument.metavar != nil { pendingOption = option }
      return
    }
    while let letter = letters.popFirst(), let option = option(where: { $0.short == letter }) {
      givenOptions.insert(option.name)
      guard option.argument.metavar != nil else { continue }
      if letters.isEmpty { pendingOption = option }
      return
    }
  }

  // MARK: The word at the cursor

  private func lines(for current: String) -> [String] {
    if let pendingOption { return lines(pendingOption, for: current[...]) }
    if acceptsOptions, current.hasPrefix("-") {
      guard let end = current.firstIndex(of: "=") else { return options.map(line) }
      let name = current[..<end].dropFirst(2)
      let value = current[end...].dropFirst()
      return option { $0.name == name }.map { lines($0, for: value, after: String(current[...end])) } ?? []
    }
    guard let command else { return commands(in: group).map(line) }
    guard operands.count < command.operands.maximumCount else { return [] }
    return lines(command.operands.candidates, command.operands.metavar)
  }

  private var options: [Candidate] {
    ((command?.options ?? []) + Options.common).filter { $0.repeats || !givenOptions.contains($0.name) }.flatMap {
      option in
      option.spellings.map { ($0, option.summary) }
    }
  }

  private func commands(in group: String?) -> [Candidate] {
    guard let group else { return CommandName.firstWords.map { ($0, table.summary(ofFirstWord: $0)) } }
    return CommandName.members(ofGroup: group).map { ($0, table.named("\(group) \($0)")?.summary ?? "") }
  }

  /// `prefix` is the part of the word before the value: `--option=`.
  private func lines(_ option: OptionDeclaration, for value: Substring, after prefix: String = "") -> [String] {
    guard option.name == Option.variable.name, let end = value.firstIndex(of: "=") else {
      return lines(option.argument.candidates, option.argument.metavar, after: prefix)
    }
    return lines(.words(TokenField.spellings), nil, after: prefix + value[...end])
  }

  private func lines(_ candidates: Candidates, _ metavar: String?, after prefix: String = "") -> [String] {
    switch candidates {
    case .text: metavar.map { [":value \($0)"] } ?? []
    case .files: [":files"]
    case .accounts: CompletionNames.accounts.map { prefix + $0 }
    case .accountsAndServices: CompletionNames.accountsAndServices
    case .words(let words): words.map { prefix + $0 }
    case .commands: commands(in: operands.first).map(line)
    }
  }

  private func line(_ candidate: Candidate) -> String {
    "\(candidate.word)\t\(Prose.plain(Phrase(stringLiteral: candidate.meaning).localized()))"
  }
}

extension OptionDeclaration {
  fileprivate var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
}

extension OptionArgument {
  fileprivate var candidates: Candidates {
    switch self {
    case .none, .text, .words, .descriptor, .duration: .text
    case .durationOrNever: .words(["never"])
    case .file, .secretFile: .files
    case .choice(_, let words, let others): .words(words() + others())
    case .account: .accounts
    }
  }
}
