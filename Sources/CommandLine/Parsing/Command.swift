internal import Vocabulary
internal import Wire

/// A command: its name, operands, options, descriptions and code. It is declared in the file of its code.
///
/// The parser, the help, the lists of the manual page and the shell completions are all made from this value. It is a
/// class for the same reason as ``OptionDeclaration``. Texts and lists are created on demand: a call without options needs none
/// of them.
final class Command: Sendable {
  let name: CommandName
  let topic: Topic

  /// Its effect: an imperative sentence without its full stop.
  let summary: String

  let operands: Operands

  /// The usage of the words after `--`, for commands that run another one.
  let trailing: String?

  /// The common options that would change its purpose; it takes all others.
  let refusedOptions: @Sendable () -> [OptionDeclaration]

  let failureAnswer: FailureAnswer?

  /// Reads a command line of it. Nothing happens before the action runs, so that an option without effect is refused first.
  let run: @Sendable (Invocation) throws(Failure) -> Action

  private let answerRows: @Sendable () -> [MemberRow]
  private let ownOptions: @Sendable () -> [OptionDeclaration]
  let everydayNames: @Sendable () -> [String]
  private let shownExamples: @Sendable () -> [Example]

  /// - Parameters:
  ///   - answer: The members of its answer with `--json`, unless its page describes them.
  ///   - options: Its own; those of ``Options/common`` are added.
  ///   - everyday: The names of the most needed options, at most ten, in the order of the help; all if empty.
  init(
    _ name: CommandName, topic: Topic = .other, summary: String,
    answer: @autoclosure @escaping @Sendable () -> [MemberRow] = [],
    options: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    everyday: @autoclosure @escaping @Sendable () -> [String] = [], operands: Operands = .none,
    trailing: String? = nil, examples: @autoclosure @escaping @Sendable () -> [Example] = [],
    refusing: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [], failureAnswer: FailureAnswer? = nil,
    run: @escaping @Sendable (Invocation) throws(Failure) -> Action
  ) {
    self.name = name
    self.topic = topic
    self.summary = summary
    self.operands = operands
    self.trailing = trailing
    self.failureAnswer = failureAnswer
    self.run = run
    refusedOptions = refusing
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

/// What users do with a command. The help on the program lists all but ``other`` line by line.
enum Topic: CaseIterable {
  case sessions, tokens, programs, upkeep, other
}

/// The action of a command, created once its command line is fully parsed. Nothing happens before it runs.
struct Action {
  /// Runs the action and returns the exit status. Errors are thrown, and reported by the caller.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// An action that exits with status 0 when `work` returns.
  static func doing(_ work: @escaping () throws(Failure) -> Void) -> Action {
    Action { () throws(Failure) in
      try work()
      return 0
    }
  }
}

/// What a command prints to standard output if it fails, for programs that read it; see rule 1 of ``Console``.
struct FailureAnswer: Sendable {
  /// Whether standard error gets one line, which always names a command.
  var isOneLine = false

  /// The text; the invocation is nil if the command line could not be parsed.
  let text: @Sendable (Failure, Invocation?, _ arguments: [String]) -> String
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
