internal import Encoding
internal import Platform
internal import Wire

/// Options may appear anywhere: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-qj`. After `--` there are no
/// options. Common options may precede the command.
struct Parser {
  private let table: CommandTable
  private let arguments: [String]
  private var remaining: ArraySlice<String>

  private var command: Command?
  private var commandWords: [String] = []
  private var given: [Invocation.Occurrence] = []
  private var operands: [String] = []
  private var trailingArguments: [String]?

  /// The first word of a group such as `daemon`, if read.
  private var group: String?

  private init(_ arguments: [String], _ table: CommandTable) {
    self.arguments = arguments
    remaining = arguments[...]
    self.table = table
  }

  static func parse(_ arguments: [String], by table: CommandTable) throws(UsageError) -> Invocation {
    var parser = Parser(arguments, table)
    return try parser.parse()
  }

  private mutating func parse() throws(UsageError) -> Invocation {
    while let argument = remaining.popFirst() {
      let bytes = argument.utf8
      if command?.operands.includesOptions == true, !operands.isEmpty || !isOwnOption(argument) {
        operands.append(argument)
      } else if bytes.elementsEqual("--".utf8) {
        try readAfterDashes()
      } else if bytes.starts(with: "--".utf8) {
        try readLongOption(argument)
      } else if bytes.first == UInt8(ascii: "-"), bytes.count > 1 {
        try readShortOptions(argument)
      } else {
        try readWord(argument)
      }
    }
    let asksForText = given.contains { [Option.help.name, Option.version.name].contains($0.option.name) }
    if !asksForText {
      if command == nil, group == nil { command = table.named(.overview) }
      try checkCompleteness()
    }
    return Invocation(
      table, command: command, commandWords: commandWords, given: given, operands: operands,
      trailingArguments: trailingArguments)
  }

  /// Whether an option before the operands of `agent ssh` is this program's. `ssh` has no long options.
  private func isOwnOption(_ argument: String) -> Bool {
    argument.utf8.starts(with: "--".utf8) && argument.utf8.count > 2 || argument == "-h"
  }

  /// Reads the words after `--`: a program's command, or operands.
  private mutating func readAfterDashes() throws(UsageError) {
    if command?.trailingMetavar != nil {
      trailingArguments = Array(remaining)
      remaining = []
    }
    while let word = remaining.popFirst() { try readWord(word) }
  }

  // MARK: Words

  private mutating func readWord(_ word: String) throws(UsageError) {
    guard command == nil else { return operands.append(word) }
    let name = group.map { "\($0) \(word)" } ?? word
    if let found = table.named(name) {
      command = found
    } else if group == nil, !CommandName.members(ofGroup: word).isEmpty {
      group = word
    } else {
      throw unknownCommand(word)
    }
    commandWords.append(word)
  }

  private func unknownCommand(_ word: String) -> UsageError {
    let named = group.map { "\($0) \(word)" } ?? word
    let meant = WordSuggestions.commands(for: word, before: remaining.first, in: group)
    // The next word may belong to this one, as in `auth login`.
    let isPair =
      meant != WordSuggestions.commands(for: word, in: group) || remaining.first == meant.first
      || meant == ["workload"] && remaining.first == "login"
    let words = meant.first.map { $0.split(separator: " ").map { String($0) } } ?? []
    return error(
      Phrase("unknown command \(TokenShape.redacted(named))"),
      hint: (meant.count == 1 ? corrected(words + remaining.dropFirst(isPair ? 1 : 0) + texts(of: given)) : nil)
        ?? Phrase.didYouMean(meant.map { "agent \($0)" }))
  }

  /// The command line of `words`; nil unless valid and without a token.
  private func corrected(_ words: [String]) -> Phrase? {
    let hasToken = words.contains { $0.split(separator: "=").contains { TokenShape.isLikely(String($0)) } }
    guard !hasToken, (try? Self.parse(words, by: table)) != nil else { return nil }
    return .command((["agent"] + words).map(ShellWord.quoted).joined(separator: " "))
  }

  private func texts(of options: [Invocation.Occurrence]) -> [String] {
    options.flatMap { ["--\($0.option.name)"] + ($0.option.argument.metavar == nil ? [] : [$0.text]) }
  }

  private mutating func checkCompleteness() throws(UsageError) {
    guard let command else {
      let group = group ?? ""
      let members = CommandName.members(ofGroup: group).joined(separator: ", ")
      throw error(Phrase("\"\(group)\" needs one of: \(members)"))
    }
    if operands.count < command.operands.minimumCount {
      let needed = command.operands.metavar.map { Phrase(verbatim: $0) } ?? Phrase("an argument")
      throw error(Phrase("\"\(command.name)\" needs \(needed)"))
    }
    if operands.count > command.operands.maximumCount {
      let services = command.name == .login ? ProviderName.known(as: operands.joined()) : []
      let settings = operands.flatMap { word in
        let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
        return parts.count == 2 && option(where: { $0.name.hasSameBytes(as: parts[0]) }) != nil
          ? ["--\(parts[0])", parts[1]] : [word]
      }
      if command.name == .help { commandWords = Array(operands.prefix(command.operands.maximumCount)) }
      throw error(
        Phrase("unexpected argument \(TokenShape.redacted(operands[command.operands.maximumCount]))"),
        hint: Phrase.didYouMean(commands: services.map { "agent login \($0.rawValue)" }) ?? commandToRun(from: nil)
          ?? (settings == operands ? nil : corrected(commandWords + settings + texts(of: given))))
    }
    if command.trailingMetavar != nil, trailingArguments?.isEmpty ?? true {
      throw trailingArguments == nil
        ? error(Phrase("no command given"), hint: commandToRun(from: nil))
        : error(Phrase("no command given after \"--\""))
    }
  }

  // MARK: Options

  private mutating func readLongOption(_ argument: String) throws(UsageError) {
    let bytes = argument.utf8.dropFirst(2)
    let end = bytes.firstIndex(of: UInt8(ascii: "="))
    let name = bytes[..<(end ?? bytes.endIndex)]
    guard let option = option(where: { $0.name.utf8.elementsEqual(name) }) else {
      throw unknownOption(String(decoding: name, as: UTF8.self), in: argument)
    }
    let attached = end.map { String(decoding: bytes[$0...].dropFirst(), as: UTF8.self) }
    try read(option, spelt: "--\(option.name)", attached: attached)
  }

  private mutating func readShortOptions(_ argument: String) throws(UsageError) {
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = option(where: { $0.short == letter }) else {
        let name = String(argument.dropFirst().prefix { $0 != "=" })
        let isLong = self.option(where: { $0.name.hasSameBytes(as: name) }) != nil
        let line = arguments.dropLast(remaining.count + 1) + ["-\(argument)"] + remaining
        throw error(
          Phrase("unknown option \"-\(letter)\""),
          hint: isLong ? corrected(Array(line)) : commandToRun(from: argument))
      }
      if option.argument.metavar == nil {
        try read(option, spelt: "-\(letter)", attached: nil)
      } else {
        return try read(option, spelt: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
      }
    }
  }

  /// With `--help`, `--all` always exists.
  private func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    let option = command.map { $0.option(where: matches) } ?? Options.common.first(where: matches)
    if let option { return option }
    let asksForHelp =
      given.contains { $0.option.name == Option.help.name } || remaining.contains { $0 == "--help" || $0 == "-h" }
    let everything = Option.everything.declaration
    return asksForHelp && matches(everything) ? everything : nil
  }

  private mutating func read(_ option: OptionDeclaration, spelt spelling: String, attached: String?) throws(UsageError)
  {
    guard option.argument.metavar != nil else {
      guard attached == nil else { throw error(Phrase("\"\(spelling)\" does not accept a value")) }
      return given.append((option, ""))
    }
    guard let text = attached ?? remaining.popFirst() else { throw error(Phrase("\"\(spelling)\" requires a value")) }
    if let objection = option.argument.objection(to: text, of: spelling) { throw error(objection) }
    given.append((option, text))
  }

  private func unknownOption(_ name: String, in argument: String) -> UsageError {
    let message = Phrase("unknown option \"--\(name)\"")
    func options(_ known: [OptionDeclaration]) -> [String] {
      WordSuggestions.options(for: name, among: known.map(\.name)).map { "--\($0)" }
    }
    var meant = options((command?.options ?? []) + Options.common)
    if meant.isEmpty { meant = options(command?.moved ?? []) }
    if meant.isEmpty, command == nil {
      let owner = table.all.first { $0.options.contains { $0.name.hasSameBytes(as: name) } }
      if owner != nil, !CommandName.firstWords.contains(name) {
        return error(Phrase("\(message) before the command"), hint: Phrase("put it after the command"))
      }
      let commands = WordSuggestions.commands(for: name, in: group).map { "agent \($0)" }
      return error(message, hint: Phrase.didYouMean(commands: commands))
    }
    if meant.isEmpty, group == "account", name.hasPrefix("client-secret") {
      let line = ["agent login"] + operands.prefix(1).map(ShellWord.quoted) + ["--client-secret-prompt"]
      return error(message, hint: Phrase("the secret is given at sign-in: \(line.joined(separator: " "))"))
    }
    if meant.isEmpty, command?.name == .login, ["refresh-token", "token", "with-token"].contains(name) {
      return error(message, hint: Phrase(verbatim: "agent help account import"))
    }
    var value = argument.utf8.firstIndex(of: UInt8(ascii: "=")).map { [String(argument[$0...].dropFirst())] } ?? []
    var rest = remaining
    let own = (command?.options ?? []) + Options.common
    if let option = own.first(where: { meant == ["--\($0.name)"] }), option.argument.metavar == nil {
      // These have a value, unlike our switch.
      let isFormat = ["format", "output"].contains(name) && value.isEmpty
      if isFormat, rest.first?.hasPrefix("-") == false { rest.removeFirst() }
      value = []
    }
    let words = meant.prefix(1).flatMap { $0.split(separator: "=").map { String($0) } }
    let line = arguments.dropLast(remaining.count + 1) + words + value + rest
    // The value of such an option is a variable's name, unlike in our options.
    let hint = name.hasSuffix("-env") || meant.count != 1 ? nil : corrected(Array(line))
    return error(message, hint: hint ?? Phrase.didYouMean(meant) ?? commandToRun(from: argument))
  }

  // MARK: Errors

  /// Suggests the missing `--` before another program's command, or an example. `argument` is an unknown option that
  /// may be the command's.
  private func commandToRun(from argument: String?) -> Phrase? {
    guard command?.trailingMetavar != nil, trailingArguments == nil else { return nil }
    // The first word is the program, or an account.
    let isAccount = operands.count != 1 || argument == nil
    let accounts = operands.prefix(1).filter { isAccount && Spawn.search($0) == nil }
    let words = Array(operands.dropFirst(accounts.count)) + [argument].compactMap { $0 } + remaining
    guard !words.contains(where: TokenShape.isLikely) else { return nil }
    let start = ["agent"] + commandWords + accounts + texts(of: given) + ["--"]
    let line = (start + (words.isEmpty ? ["ls"] : words)).map(ShellWord.quoted).joined(separator: " ")
    return words.isEmpty ? Phrase("for example: \(line)") : Phrase(verbatim: line)
  }

  private func error(_ message: Phrase, hint: Phrase? = nil) -> UsageError {
    let help = (["agent help"] + commandWords).joined(separator: " ")
    return UsageError(message, hint: hint ?? Phrase(verbatim: help), of: command)
  }
}

struct UsageError: Error {
  /// Always `invalid_request`.
  var failure: Failure

  /// Nil if not recognized before the error.
  var command: Command?

  init(_ message: Phrase, hint: Phrase, of command: Command?) {
    failure = Failure(.invalidRequest, message, hint: hint)
    self.command = command
  }
}
