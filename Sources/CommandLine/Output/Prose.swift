/// The notation of text in tables: words in backticks are verbatim.
enum Prose {
  enum Part: Hashable {
    case text(String)
    case literal(String)
  }

  static func parts(_ text: String) -> [Part] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { index, piece in
      if piece.isEmpty { return nil }
      return index.isMultiple(of: 2) ? .text(String(piece)) : .literal(String(piece))
    }
  }

  /// The text without backticks.
  static func plain(_ text: String) -> String { text.filter { $0 != "`" } }

  /// Does not split within quotes.
  static func shellWords(_ line: String) -> [String] {
    var words = [""]
    var quote: Character?
    for character in line {
      if character == " ", quote == nil {
        words.append("")
        continue
      }
      words[words.count - 1].append(character)
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      }
    }
    return words
  }

  /// The width on a terminal. Directional isolates are not visible there.
  static func columns(_ text: some StringProtocol) -> Int { text.count { !"\u{2068}\u{2069}".contains($0) } }

  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var used = 0
    for word in text.split(separator: " ") {
      let columns = Self.columns(word)
      if !line.isEmpty, used + 1 + columns > width {
        lines.append(line)
        (line, used) = ("", 0)
      }
      used += line.isEmpty ? columns : columns + 1
      line += line.isEmpty ? "\(word)" : " \(word)"
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}

extension StringProtocol {
  func replacing(each text: String, with replacement: String) -> String {
    var result = ""
    var rest = self[...]
    while let character = rest.first {
      let isFound = rest.hasPrefix(text)
      result += isFound ? replacement : String(character)
      rest = rest.dropFirst(isFound ? text.count : 1)
    }
    return result
  }
}
