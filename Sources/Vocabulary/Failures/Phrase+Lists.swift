internal import Encoding

extension Phrase {
  /// The words, joined by "or".
  package static func choices(_ words: [String]) -> Phrase { choices(words.map { Phrase(verbatim: $0) }) }

  package static func choices(_ phrases: [Phrase]) -> Phrase { list(phrases) { Phrase("\($0) or \($1)") } }

  /// Joins the phrases with commas, and the final one with `joined`.
  private static func list(_ phrases: [Phrase], _ joined: (Phrase, Phrase) -> Phrase) -> Phrase {
    guard let last = phrases.last else { return Phrase(verbatim: "") }
    guard phrases.count > 1 else { return last }
    return joined(phrases.dropFirst().dropLast().reduce(phrases[0]) { Phrase("\($0), \($1)") }, last)
  }

  /// The question "did you mean …?" with similar known words, if any.
  package static func didYouMean(_ word: String, among known: [String]) -> Phrase? {
    didYouMean(Suggestion.candidates(for: word, among: known))
  }

  /// Nil if `suggestions` is empty.
  package static func didYouMean(_ suggestions: [String]) -> Phrase? {
    suggestions.isEmpty ? nil : Phrase("did you mean \(choices(suggestions.map { "\"\($0)\"" }))?")
  }

  /// The command if there is only one, otherwise the question.
  package static func didYouMean(commands: [String]) -> Phrase? {
    commands.count == 1 ? .command(commands[0]) : didYouMean(commands)
  }

  /// A hint that offers an option's values. Clients apply each to the failed command, or else to `command`.
  package static func choices(_ values: [String], of option: String, command: [String] = []) -> Phrase {
    choices(
      values.map { value in
        let words = command + ["--\(option)", value]
        let command = words.map(ShellWord.quoted).joined(separator: " ")
        return Phrase(Correction(command, adding: [.init(option, value)], removing: []))
      })
  }

  /// The words, joined by "and".
  package static func all(_ words: [String]) -> Phrase {
    list(words.map { Phrase(verbatim: $0) }) { Phrase("\($0) and \($1)") }
  }

  /// A hint to repeat the failed command with this switch.
  package static func commandWithSwitch(_ name: String) -> Phrase {
    Phrase(Correction("--\(name)", adding: [.init(name)], removing: []))
  }
}
