internal import Wire

/// A command of `agent`. Creates most parts on demand, because few calls need them. A class for speed.
final class Command: Sendable {
  let name: CommandName
  let topic: Topic

  /// An imperative sentence without a full stop.
  let summary: String

  let operands: Operands

  /// The usage of another program's command line after `--`.
  let trailingMetavar: String?

  /// Common options that fail here, because they would have no effect.
  let refusedOptions: @Sendable () -> [OptionDeclaration]

  let failureAnswer: FailureAnswer?

  /// Returns the action, which runs only if all options were read.
  let makeAction: @Sendable (Invocation) throws(Failure) -> Action

  private let answerRows: @Sendable () -> [MemberDescription]
  private let ownOptions: @Sendable () -> [OptionDeclaration]
  private let movedOptions: @Sendable () -> [OptionDeclaration]
  /// Returns the names of ``shortHelpOptions``; empty for all options.
  let shortHelpNames: @Sendable () -> [String]
  private let shownExamples: @Sendable () -> [Example]

  /// - Parameters:
  ///   - answer: The result's members with `--json`, unless the page describes them.
  ///   - options: The command's options, without ``Options/common``.
  ///   - moved: Options of another command, accepted only so that the error can name it.
  ///   - shortHelp: The names of at most ten options for the short help, in this order; if empty, all.
  init(
    _ name: CommandName, topic: Topic = .other, summary: String,
    answer: @autoclosure @escaping @Sendable () -> [MemberDescription] = [],
    options: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    moved: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [],
    shortHelp: @autoclosure @escaping @Sendable () -> [String] = [], operands: Operands = .none,
    trailingMetavar: String? = nil, examples: @autoclosure @escaping @Sendable () -> [Example] = [],
    refusing: @autoclosure @escaping @Sendable () -> [OptionDeclaration] = [], failureAnswer: FailureAnswer? = nil,
    makeAction: @escaping @Sendable (Invocation) throws(Failure) -> Action
  ) {
    self.name = name
    self.topic = topic
    self.summary = summary
    self.operands = operands
    self.trailingMetavar = trailingMetavar
    self.failureAnswer = failureAnswer
    self.makeAction = makeAction
    refusedOptions = refusing
    answerRows = answer
    ownOptions = options
    movedOptions = moved
    shortHelpNames = shortHelp
    shownExamples = examples
  }

  /// The result's members with `--json`.
  var answer: [MemberDescription] { answerRows() }

  var options: [OptionDeclaration] { ownOptions() }

  var shortHelpOptions: [OptionDeclaration] {
    let options = options
    let names = shortHelpNames()
    return names.isEmpty
      ? options : names.compactMap { name in options.first { $0.name == name } }
  }

  var optionGroups: [(group: OptionGroup, options: [OptionDeclaration])] { Options.grouped(options) }

  /// At most three.
  var examples: [Example] { shownExamples() }

  /// `token [OPTION]... [ACCOUNT]`, without the program's name.
  var usage: String {
    var usage = "\(name) [OPTION]..."
    if let metavar = operands.metavar { usage += operands.minimumCount > 0 ? " \(metavar)" : " [\(metavar)]" }
    if let trailingMetavar { usage += " -- \(trailingMetavar)" }
    return usage
  }

  /// The options that other commands have now (``MovedOptions``).
  var moved: [OptionDeclaration] { movedOptions() }

  /// Also searches the common and moved options.
  func option(where matches: (OptionDeclaration) -> Bool) -> OptionDeclaration? {
    options.first(where: matches) ?? Options.common.first(where: matches) ?? moved.first(where: matches)
  }
}

/// The headings of the help.
enum Topic: CaseIterable {
  case sessions, tokens, programs, upkeep, other
}

/// The effect of a parsed command line. Nothing happens before it runs.
struct Action {
  /// Returns the exit status. The caller reports errors.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// Exits with status 0 if `work` succeeds.
  static func doing(_ work: @escaping () throws(Failure) -> Void) -> Action {
    Action { () throws(Failure) in
      try work()
      return 0
    }
  }
}

/// The output on failure, for programs (rule 1 of ``Console``).
struct FailureAnswer: Sendable {
  /// Whether standard error gets a single line, with a command as hint.
  var isOneLine = false

  /// The invocation is nil if the command line is invalid.
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
