internal import Wire

/// One command: what it is called, what it takes, what it says of itself and what it does.
///
/// The parser, the help, the manual page and the shell completions are all written from this value.
struct Command: Sendable {
  /// One word, or two for a member of a group: `daemon start`.
  let name: String

  /// What it does: an imperative sentence without its full stop.
  let summary: String

  /// Paragraphs that say more, in the notation of ``Prose``.
  var details: [String] = []

  /// Its own options; those of ``Option/common`` come on top.
  var options: [Option] = []
  var operands: [Operand] = []

  /// What stands after `--` in the usage line, for commands that run another one.
  var trailing: String?

  /// Command lines worth showing, with what each does.
  var examples: [Example] = []

  /// Does the work and returns the exit status; what fails is thrown, and reported in one place.
  let run: @Sendable (Invocation) throws(Failure) -> Int32

  struct Example: Sendable {
    let purpose: String
    let line: String
  }

  /// The words of the name.
  var words: [Substring] { name.split(separator: " ") }

  /// The usage line, without the program's name: `token [OPTION]... [ACCOUNT]`.
  var usage: String {
    var usage = "\(name) [OPTION]..."
    for operand in operands { usage += operand.isOptional ? " [\(operand.metavar)]" : " \(operand.metavar)" }
    if let trailing { usage += " -- \(trailing)" }
    return usage
  }

  /// The option with this long or short name, among its own and the common ones.
  func option(where matches: (Option) -> Bool) -> Option? {
    options.first(where: matches) ?? Option.common.first(where: matches)
  }
}
