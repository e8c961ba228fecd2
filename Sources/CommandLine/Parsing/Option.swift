internal import Vocabulary

/// An option without its value's type. A class, because creating large generic types at run time is slow.
final class OptionDeclaration: Sendable {
  /// Without dashes.
  let name: String

  let group: OptionGroup

  let short: Character?
  let argument: OptionArgument

  /// Whether all occurrences apply, not only the final one.
  let repeats: Bool

  let summary: String

  init(
    name: String, group: OptionGroup, short: Character?, argument: OptionArgument, repeats: Bool, summary: String
  ) {
    self.name = name
    self.group = group
    self.short = short
    self.argument = argument
    self.repeats = repeats
    self.summary = summary
  }

  /// The description in ``Prose`` notation, with possible values.
  var sentence: String {
    guard case .choice(_, let words, _) = argument else { return summary + "." }
    return summary + ": one of " + words().map { "`\($0)`" }.joined(separator: ", ") + "."
  }

  func withSummary(_ summary: String, in group: OptionGroup? = nil) -> OptionDeclaration {
    OptionDeclaration(
      name: name, group: group ?? self.group, short: short, argument: argument, repeats: repeats, summary: summary)
  }
}

/// An option's argument. Strings are names in usage lines.
enum OptionArgument: Sendable {
  case none
  /// Any text, named for usage lines.
  case text(String)
  /// Any text. The help lists the words.
  case words(String, @autoclosure @Sendable () -> [String])
  case file(String)
  /// A file with a secret; `-` is standard input.
  case secretFile
  /// A descriptor that the caller opened.
  case descriptor
  /// In ``DurationText`` format, within a range in seconds.
  case duration(ClosedRange<Int>)
  /// A duration, or `never` for zero.
  case durationOrNever(ClosedRange<Int>)
  /// One of a set. `onThisMachine` returns further values that the help omits.
  case choice(String, @autoclosure @Sendable () -> [String], onThisMachine: @Sendable () -> [String] = { [] })
  case account

  /// In usage lines; nil for a switch.
  var metavar: String? {
    switch self {
    case .none: nil
    case .text(let metavar), .words(let metavar, _), .file(let metavar), .choice(let metavar, _, _): metavar
    case .secretFile: "FILE"
    case .account: "NAME"
    case .descriptor: "NUMBER"
    case .duration, .durationOrNever: "DURATION"
    }
  }

  var words: [String] {
    switch self {
    case .words(_, let words), .choice(_, let words, _): words()
    default: []
    }
  }

  /// Why the option, spelt `option`, rejects the text, if it does.
  func objection(to text: String, of option: String) -> Phrase? {
    switch self {
    case .none: return nil
    case .text, .words, .file, .secretFile, .descriptor, .account:
      return text.isEmpty ? Phrase("the value of \"\(option)\" is empty") : nil
    case .choice(_, let choices, let others):
      var words = choices()
      if words.contains(text) { return nil }
      words += others()
      if words.contains(text) { return nil }
      let meant = Suggestion.candidates(for: text, among: words).map { "\"\($0)\"" }
      if !meant.isEmpty {
        return Phrase(
          "\"\(option)\" does not accept \(TokenShape.redacted(text)): did you mean \(Phrase.choices(meant))?")
      }
      return Phrase("\"\(option)\" must be one of: \(words.joined(separator: ", "))")
    case .duration(let range), .durationOrNever(let range):
      if seconds(text) != nil { return nil }
      let bounds = [range.lowerBound, range.upperBound].map { DurationText.text(seconds: $0) }
      return Phrase("\"\(option)\" must be a time such as 90s, 5m or 1h, from \(bounds[0]) to \(bounds[1])")
    }
  }

  func seconds(_ text: String) -> Int? {
    switch self {
    case .durationOrNever where text == "never": return 0
    case .duration(let range), .durationOrNever(let range):
      return DurationText.seconds(text).flatMap { range.contains($0) ? $0 : nil }
    case .none, .text, .words, .file, .secretFile, .descriptor, .choice, .account: return nil
    }
  }
}

/// An option that commands read as `invocation[.timeout]`.
struct Option<Value: Sendable>: Sendable {
  let declaration: OptionDeclaration
  /// Converts the validated arguments of all occurrences.
  private let convert: @Sendable ([String]) -> Value

  private init(
    _ name: String, in group: OptionGroup, short: Character?, _ argument: OptionArgument, repeats: Bool,
    _ summary: String, convert: @escaping @Sendable ([String]) -> Value
  ) {
    self.init(
      OptionDeclaration(
        name: name, group: group, short: short, argument: argument, repeats: repeats, summary: summary),
      convert: convert)
  }

  private init(_ declaration: OptionDeclaration, convert: @escaping @Sendable ([String]) -> Value) {
    self.declaration = declaration
    self.convert = convert
  }

  var name: String { declaration.name }

  func value(of occurrences: [String]) -> Value { convert(occurrences) }

  func withSummary(_ summary: String, in group: OptionGroup? = nil) -> OptionDeclaration {
    declaration.withSummary(summary, in: group)
  }
}

extension Option<Bool> {
  init(_ setting: AccountSetting) { self.init(setting.declaration) { !$0.isEmpty } }

  /// A switch.
  init(_ name: String, in group: OptionGroup, short: Character? = nil, _ summary: String) {
    self.init(name, in: group, short: short, .none, repeats: false, summary) { !$0.isEmpty }
  }
}

extension Option<String?> {
  init(_ setting: AccountSetting) { self.init(setting.declaration) { $0.last } }

  init(
    _ name: String, in group: OptionGroup, short: Character? = nil, _ argument: OptionArgument, _ summary: String
  ) {
    self.init(name, in: group, short: short, argument, repeats: false, summary) { $0.last }
  }
}

extension Option<[String]> {
  init(_ setting: AccountSetting) { self.init(setting.declaration, convert: setting.values) }

  /// `separator` splits each argument into several values.
  init(
    _ name: String, in group: OptionGroup, short: Character? = nil, each argument: OptionArgument,
    splitAt separator: Character? = nil, _ summary: String
  ) {
    self.init(name, in: group, short: short, argument, repeats: true, summary) { texts in
      guard let separator else { return texts }
      return texts.flatMap { $0.split(separator: separator, omittingEmptySubsequences: false).map { String($0) } }
    }
  }
}

extension Option<Int?> {
  /// A duration, converted to seconds.
  init(_ name: String, in group: OptionGroup, time argument: OptionArgument, _ summary: String) {
    self.init(name, in: group, short: nil, argument, repeats: false, summary) { $0.last.flatMap(argument.seconds) }
  }
}

extension Option {
  /// One of several choices, each spelt as `word` returns.
  init<Choice: Sendable>(
    _ name: String, in group: OptionGroup, _ metavar: String,
    _ choices: @autoclosure @escaping @Sendable () -> [Choice],
    by word: @escaping @Sendable (Choice) -> String, _ summary: String
  ) where Value == Choice? {
    self.init(name, in: group, short: nil, .choice(metavar, choices().map(word)), repeats: false, summary) { texts in
      texts.last.flatMap { text in choices().first { word($0) == text } }
    }
  }

  /// Any number of choices, each spelt as `word` returns.
  init<Choice: Sendable>(
    _ name: String, in group: OptionGroup, _ metavar: String,
    several choices: @autoclosure @escaping @Sendable () -> [Choice],
    by word: @escaping @Sendable (Choice) -> String, _ summary: String
  ) where Value == [Choice] {
    self.init(name, in: group, short: nil, .choice(metavar, choices().map(word)), repeats: true, summary) { texts in
      texts.isEmpty ? [] : choices().filter { choice in texts.contains(word(choice)) }
    }
  }

  /// A case of an enumeration.
  init<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, in group: OptionGroup, _ metavar: String, _: Choice.Type, _ summary: String
  ) where Value == Choice?, Choice.RawValue == String {
    self.init(name, in: group, metavar, Array(Choice.allCases), by: { $0.rawValue }, summary)
  }
}
