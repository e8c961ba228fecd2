import Platform
import TestSupport
import Testing

/// The commands in hints, which run as they are printed.
enum Hints {
  /// The commands that a text names, each as its words: from `agent` up to what ends a part of a sentence.
  static func commands(in text: String) -> [[String]] {
    var commands: [[String]] = []
    var current: [String]?
    for word in words(text) {
      let isLast = word.isBare && word.text.last.map { ";,?.".contains($0) } == true
      let bare = isLast ? String(word.text.dropLast()) : word.text
      if current == nil {
        if word.isBare, bare == "agent" { current = [] }
      } else if word.isBare, ["or", "and", "then"].contains(bare) {
        commands.append(current ?? [])
        current = nil
      } else {
        current?.append(bare)
      }
      if isLast, let ended = current {
        commands.append(ended)
        current = nil
      }
    }
    return (commands + [current].compactMap { $0 }).filter { !$0.isEmpty }
  }

  /// The words as a shell splits them; a bare one has no quotes.
  private static func words(_ text: String) -> [(text: String, isBare: Bool)] {
    var words: [(text: String, isBare: Bool)] = []
    var word: (text: String, isBare: Bool)?
    var isQuoted = false
    for character in text {
      if character == "'" {
        isQuoted.toggle()
        word = (word?.text ?? "", false)
      } else if character == " ", !isQuoted {
        word.map { words.append($0) }
        word = nil
      } else {
        word = ((word?.text ?? "") + String(character), word?.isBare ?? true)
      }
    }
    return words + [word].compactMap { $0 }
  }

  /// The hints of a command that failed.
  static func all(in result: ProcessResult) -> [String] {
    let prefix = "agent: hint: "
    return result.errorText.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }

  /// Has the program read each command that the hints name, and do nothing but tell about it.
  static func check(_ result: ProcessResult, in tree: AgentTree, of arguments: [String]) throws {
    guard !result.succeeded, !arguments.contains("--json") else { return }
    for hint in all(in: result) {
      for command in commands(in: hint) {
        let words = command.prefix { $0 != "--" } + ["--help"]
        let read = try ProcessRunner.run(
          executable: Programs.path("agent"), arguments: Array(words), environment: tree.environment(),
          timeout: Sanitizer.patience)
        #expect(read.succeeded, "the hint \"\(hint)\" of \(arguments) cannot be run: \(read.errorText)")
      }
    }
  }
}
