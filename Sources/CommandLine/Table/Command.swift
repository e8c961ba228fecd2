internal import Vocabulary
internal import Wire

/// One command: what it is called, what it takes and what it says of itself. What it does is in ``Dispatch``.
///
/// The parser, the help, the manual page and the shell completions are all written from this value. It is a class for
/// the reason that ``OptionDeclaration`` is one. Texts and lists are made when they are asked for: a call without options
/// needs none of them.
final class Command: Sendable {
  let name: CommandName

  /// Its effect: an imperative sentence without its full stop.
  let summary: String

  /// The operands that it takes.
  let operands: Operands

  /// The usage of the words after `--`, for commands that run another one.
  let trailing: String?

  private let text: @Sendable () -> String
  private let answerRows: @Sendable () -> [MemberRow]
  private let ownOptions: @Sendable () -> [OptionDeclaration]
  let everydayNames: @Sendable () -> [String]
  private let shownExamples: @Sendable () -> [Example]

  /// - Parameters:
  ///   - details: Paragraphs that say more, in the notation of ``Prose``. The first one, of a sentence or two, is for
  ///     everybody.
  ///   - answer: The members of its answer with `--json`, unless the paragraphs describe them.
  ///   - options: Its own; those of ``Options/common`` come on top.
  ///   - everyday: The names of those that most people need, at most twelve, in the order of the help;
  ///     none stands for all options.
  init(
    _ name: CommandName, summary: String, details: @autoclosure @escaping @Sendable () -> String = "",
    answer: @autoclosure @escaping @Sendable () -> [MemberRow] = [],
    options: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    everyday: @autoclosure @escaping @Sendable () -> [String] = [], operands: Operands = .none,
    trailing: String? = nil, examples: @autoclosure @escaping @Sendable () -> [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.trailing = trailing
    text = details
    answerRows = answer
    ownOptions = options
    everydayNames = everyday
    shownExamples = examples
  }

  /// Paragraphs that say more.
  var details: [String] {
    Prose.paragraphs(text()) + (answer.isEmpty ? [] : ["With `--json` prints `\(Self.shape(of: answer))`."])
  }

  /// The members of its answer with `--json`; empty if ``details`` describe them.
  var answer: [MemberRow] { answerRows() }

  /// The names of members as JSON: `{"accounts": [{"name", "active"}]}`.
  private static func shape(of rows: [MemberRow]) -> String {
    let members = rows.map { row in
      let shape = row.members.isEmpty ? "" : shape(of: row.members)
      return "\"\(row.name)\"" + (shape.isEmpty ? "" : row.isList ? ": [\(shape)]" : ": \(shape)")
    }
    return "{\(members.joined(separator: ", "))}"
  }

  /// Its own options.
  var options: [OptionDeclaration] { ownOptions() }

  /// The options of the short help.
  var everydayOptions: [OptionDeclaration] {
    let options = options
    let names = everydayNames()
    return names.isEmpty
      ? options : names.compactMap { name in options.first { $0.name.utf8.elementsEqual(name.utf8) } }
  }

  /// Its own options by what they are about.
  var optionGroups: [(group: OptionGroup, options: [OptionDeclaration])] { Options.grouped(options) }

  /// Command lines worth showing, with what each does.
  var examples: [Example] { shownExamples() }

  /// The usage line, without the program's name: `token [OPTION]... [ACCOUNT]`.
  var usage: String {
    var usage = "\(name) [OPTION]..."
    if let metavar = operands.metavar { usage += operands.required > 0 ? " \(metavar)" : " [\(metavar)]" }
    if let trailing { usage += " -- \(trailing)" }
    return usage
  }

  /// The option with this long or short name, among its own and the common ones.
  func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    options.first(where: matches) ?? Options.common.first(where: matches)
  }
}

/// A command line worth showing, with its purpose.
struct Example: Sendable {
  let purpose: String
  let line: String

  init(_ purpose: String, _ line: String) {
    self.purpose = purpose
    self.line = line
  }
}
