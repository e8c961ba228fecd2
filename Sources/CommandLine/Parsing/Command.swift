internal import Vocabulary
internal import Wire

/// A command: its name, operands, options, descriptions and code. Declared in the file of its code.
///
/// The parser, the help, the manual and the shell completions use this value. A class for the same reason as
/// ``OptionDeclaration``. Texts and lists are created on demand, because a call without options needs none of them.
final class Command: Sendable {
  let name: CommandName
  let topic: Topic

  /// Its effect: an imperative sentence without a full stop.
  let summary: String

  let operands: Operands

  /// The usage of the words after `--`, for a command that runs another program.
  let trailing: String?

  /// The common options that it does not accept.
  let refusedOptions: @Sendable () -> [OptionDeclaration]

  let failureAnswer: FailureAnswer?

  /// Reads its command line. Has no effect before the action runs, so that unused options are rejected first.
  let run: @Sendable (Invocation) throws(Failure) -> Action

  private let answerRows: @Sendable () -> [MemberRow]
  private let ownOptions: @Sendable () -> [OptionDeclaration]
  let everydayNames: @Sendable () -> [String]
  private let shownExamples: @Sendable () -> [Example]

  /// - Parameters:
  ///   - answer: The members of the result with `--json`, unless described on its page.
  ///   - options: The command's own options, without ``Options/common``.
  ///   - everyday: The names of at most ten options for the short help, in this order; if empty, all.
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

  /// The members of the result with `--json`; empty if described on its page.
  var answer: [MemberRow] { answerRows() }

  var options: [OptionDeclaration] { ownOptions() }

  /// The options of the short help.
  var everydayOptions: [OptionDeclaration] {
    let options = options
    let names = everydayNames()
    return names.isEmpty
      ? options : names.compactMap { name in options.first { $0.name.utf8.elementsEqual(name.utf8) } }
  }

  var optionGroups: [(group: OptionGroup, options: [OptionDeclaration])] { Options.grouped(options) }

  /// At most three recommended command lines. Its page has more.
  var examples: [Example] { shownExamples() }

  /// The usage line without the program's name: `token [OPTION]... [ACCOUNT]`.
  var usage: String {
    var usage = "\(name) [OPTION]..."
    if let metavar = operands.metavar { usage += operands.required > 0 ? " \(metavar)" : " [\(metavar)]" }
    if let trailing { usage += " -- \(trailing)" }
    return usage
  }

  /// Finds an option by its long or short name, among its own and the common ones.
  func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    options.first(where: matches) ?? Options.common.first(where: matches)
  }
}

/// The headings of the help. It lists all commands except ``other`` line by line.
enum Topic: CaseIterable {
  case sessions, tokens, programs, upkeep, other
}

/// The action of a fully parsed command line. Nothing happens before it runs.
struct Action {
  /// Runs the action and returns the exit status. The caller reports errors.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// Returns status 0 if `work` succeeds.
  static func doing(_ work: @escaping () throws(Failure) -> Void) -> Action {
    Action { () throws(Failure) in
      try work()
      return 0
    }
  }
}

/// What a command prints to standard output on failure, for programs that read it; see rule 1 of ``Console``.
struct FailureAnswer: Sendable {
  /// Whether standard error gets a single line, which always names a command.
  var isOneLine = false

  /// Returns the text. The invocation is nil for an invalid command line.
  let text: @Sendable (Failure, Invocation?, _ arguments: [String]) -> String
}

struct Example: Sendable {
  let purpose: String
  let line: String

  init(_ purpose: String, _ line: String) {
    self.purpose = purpose
    self.line = line
  }
}
