internal import Wire

/// One command: what it is called, what it takes and what it says of itself. What it does is in ``Dispatch``.
///
/// The parser, the help, the manual page and the shell completions are all written from this value. It is a class for
/// the reason that ``OptionDeclaration`` is one.
final class Command: Sendable {
  let name: CommandName

  /// Its effect: an imperative sentence without its full stop.
  let summary: String

  /// Paragraphs that say more, in the notation of ``Prose``.
  let details: [String]

  /// Its own options; those of ``Options/common`` come on top.
  let options: [OptionDeclaration]

  /// The operands that it takes.
  let operands: Operands

  /// The usage of the words after `--`, for commands that run another one.
  let trailing: String?

  /// Command lines worth showing, with what each does.
  let examples: [Example]

  init(
    _ name: CommandName, summary: String, details: [String] = [], options: [OptionDeclaration] = [],
    operands: Operands = .none, trailing: String? = nil, examples: [Example] = []
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.options = options
    self.operands = operands
    self.trailing = trailing
    self.examples = examples
  }

  struct Example: Sendable {
    let purpose: String
    let line: String

    init(_ purpose: String, _ line: String) {
      self.purpose = purpose
      self.line = line
    }
  }

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
