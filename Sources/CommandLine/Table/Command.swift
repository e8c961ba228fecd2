internal import Vocabulary
internal import Wire

/// A command: its name, operands, options and descriptions. Its action is in ``Dispatch``.
///
/// The parser, the help, the lists of the manual page and the shell completions are all made from this value. It is a
/// class for the same reason as ``OptionDeclaration``. Texts and lists are created on demand: a call without options needs none
/// of them.
final class Command: Sendable {
  let name: CommandName

  /// Its effect: an imperative sentence without its full stop.
  let summary: String

  let operands: Operands

  /// The usage of the words after `--`, for commands that run another one.
  let trailing: String?

  private let answerRows: @Sendable () -> [MemberRow]
  private let ownOptions: @Sendable () -> [OptionDeclaration]
  let everydayNames: @Sendable () -> [String]
  private let shownExamples: @Sendable () -> [Example]

  /// - Parameters:
  ///   - answer: The members of its answer with `--json`, unless its page describes them.
  ///   - options: Its own; those of ``Options/common`` are added.
  ///   - everyday: The names of the most needed options, at most ten, in the order of the help; all if empty.
  init(
    _ name: CommandName, summary: String,
    answer: @autoclosure @escaping @Sendable () -> [MemberRow] = [],
    options: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    everyday: @autoclosure @escaping @Sendable () -> [String] = [], operands: Operands = .none,
    trailing: String? = nil, examples: @autoclosure @escaping @Sendable () -> [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.trailing = trailing
    answerRows = answer
    ownOptions = options
    everydayNames = everyday
    shownExamples = examples
  }

  /// The members of its answer with `--json`; empty if its page describes them.
  var answer: [MemberRow] { answerRows() }

  var options: [OptionDeclaration] { ownOptions() }

  /// The options of the short help.
  var everydayOptions: [OptionDeclaration] {
    let options = options
    let names = everydayNames()
    return names.isEmpty
      ? options : names.compactMap { name in options.first { $0.name.utf8.elementsEqual(name.utf8) } }
  }

  /// Its own options by topic.
  var optionGroups: [(group: OptionGroup, options: [OptionDeclaration])] { Options.grouped(options) }

  /// Recommended command lines, with the purpose of each; at most three. Its page has more.
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

/// A recommended command line, with its purpose.
struct Example: Sendable {
  let purpose: String
  let line: String

  init(_ purpose: String, _ line: String) {
    self.purpose = purpose
    self.line = line
  }
}
