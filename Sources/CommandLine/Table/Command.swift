internal import Wire

/// One command: what it is called, what it takes, what it says of itself and what it does.
///
/// The parser, the help, the manual page and the shell completions are all written from this value.
/// It is made for each call of the program, so what only some calls need is built when it is asked for.
final class Command: Sendable {
  /// One word, or two for a member of a group: `daemon start`.
  let name: String

  /// What it takes beside options.
  let operands: Operands

  /// What stands after `--` in the usage line, for commands that run another one.
  let trailing: String?

  /// Does the work and returns the exit status; what fails is thrown, and reported in one place.
  let run: @Sendable (Invocation) throws(Failure) -> Int32

  private let makeSummary: @Sendable () -> String
  private let makeDetails: @Sendable () -> [String]
  private let makeOptions: @Sendable () -> [Option]
  private let makeExamples: @Sendable () -> [Example]

  init(
    name: String, summary: @escaping @autoclosure @Sendable () -> String,
    details: @escaping @autoclosure @Sendable () -> [String] = [],
    options: @escaping @autoclosure @Sendable () -> [Option] = [], operands: Operands = .none,
    trailing: String? = nil, examples: @escaping @autoclosure @Sendable () -> [Example] = [],
    run: @escaping @Sendable (Invocation) throws(Failure) -> Int32
  ) {
    self.name = name
    self.operands = operands
    self.trailing = trailing
    self.run = run
    makeSummary = summary
    makeDetails = details
    makeOptions = options
    makeExamples = examples
  }

  /// What it does: an imperative sentence without its full stop.
  var summary: String { makeSummary() }

  /// Paragraphs that say more, in the notation of ``Prose``.
  var details: [String] { makeDetails() }

  /// Its own options; those of ``Option/common`` come on top.
  var options: [Option] { makeOptions() }

  /// Command lines worth showing, with what each does.
  var examples: [Example] { makeExamples() }

  struct Example: Sendable {
    let purpose: String
    let line: String
  }

  /// The words of the name.
  var words: [Substring] { name.split(separator: " ") }

  /// The usage line, without the program's name: `token [OPTION]... [ACCOUNT]`.
  var usage: String {
    var usage = "\(name) [OPTION]..."
    if let metavar = operands.metavar { usage += operands.required > 0 ? " \(metavar)" : " [\(metavar)]" }
    if let trailing { usage += " -- \(trailing)" }
    return usage
  }

  /// The option with this long or short name, among its own and the common ones.
  func option(where matches: (Option) -> Bool) -> Option? {
    options.first(where: matches) ?? Option.common.first(where: matches)
  }
}
