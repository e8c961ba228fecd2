internal import Platform
internal import Wire

/// A command line that a person can paste into a shell, for hints.
struct PastedCommand {
  private var words: [String]

  /// The command that was given, with other operands and without some of its options.
  init(_ invocation: Invocation, operands: [String], without left: [OptionName]) {
    words = ["agent"] + invocation.commandWords + operands
    for (name, value) in invocation.values where !left.contains(name) {
      switch value {
      case .present: words.append("--\(name.rawValue)")
      case .text(let text): add(name, text)
      case .seconds(let seconds): add(name, DurationText.text(seconds: seconds))
      }
    }
  }

  mutating func add(_ name: OptionName, _ value: String) { words += ["--\(name.rawValue)", value] }

  var text: String { words.map(Self.quoted).joined(separator: " ") }

  /// A word as it is where no shell could take it for anything else, and in single quotes otherwise.
  private static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(ShellQuoting.isPlain) { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
