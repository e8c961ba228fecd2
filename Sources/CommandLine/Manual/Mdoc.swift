internal import Wire

/// Writes text in mdoc(7) notation.
enum Mdoc {
  /// mandoc accepts lines of 80 bytes.
  private static let width = 80

  /// Puts each sentence on a new line, without macros.
  static func paragraph(_ text: String) -> String {
    sentences(inlineMarkup(text)).flatMap { Prose.wrapped($0, width: width) }.map { "\(escapingLeadingDot($0))\n" }
      .joined()
  }

  private static func inlineMarkup(_ text: String) -> String {
    Prose.parts(text).map { part in
      switch part {
      case .text(let text): escaped(text)
      case .literal(let literal): "\\fB\(escaped(literal))\\fP"
      }
    }.joined()
  }

  /// Escapes characters that mdoc interprets or replaces.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
    return result
  }

  /// A leading dot would start a macro.
  private static func escapingLeadingDot(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&" + line : line
  }

  static func argument(_ text: String) -> String {
    let text = escaped(text)
    return text.contains(" ") || isDelimiter(text) ? "\"\(text)\"" : text
  }

  /// Whether macros treat the argument as punctuation.
  private static func isDelimiter(_ text: String) -> Bool {
    text.count == 1 && text.allSatisfy { ".,:;()[]?!".contains($0) }
  }

  private static func sentences(_ text: String) -> [String] {
    var sentences: [String] = []
    var sentence = ""
    for word in text.split(separator: " ") {
      sentence += sentence.isEmpty ? "\(word)" : " \(word)"
      if word.last == "." {
        sentences.append(sentence)
        sentence = ""
      }
    }
    if !sentence.isEmpty { sentences.append(sentence) }
    return sentences
  }

  static func heading(_ title: String) -> String { ".Ss \(escaped(title))\n" }

  /// A table of members with their types, except the type `text`.
  static func members(_ rows: [MemberDescription]) -> String {
    table("Li", rows.map { ($0.name, "\(type($0)) \($0.meaning)") })
  }

  /// A member's type, such as ` (texts)` for a list of texts; empty for a text.
  static func type(_ row: MemberDescription) -> String {
    let type = row.type.replacing(each: "list of ", with: "").replacing(each: "text, ", with: "")
    return type == "text" ? "" : " (\(type.replacing(each: "number from ", with: "")))"
  }

  /// A table of terms, as arguments of `macro`, and descriptions. An empty term makes an empty line.
  static func table(_ macro: String, _ rows: [(term: String, text: String)]) -> String {
    table(rows.map { ("\(macro) \(argument($0.term))", $0.term, $0.text) })
  }

  /// A table, with the column width that gives the fewest lines. `plain` is the term without macros.
  static func table(_ rows: [(term: String, plain: String, text: String)]) -> String {
    func height(_ width: Int) -> Int {
      rows.map { ($1.count > width ? 1 : 0) + Prose.wrapped(Prose.plain($2), width: 69 - width).count }.reduce(0, +)
    }
    let terms = rows.map(\.plain).sorted { $0.count < $1.count }
    guard let longest = terms.min(by: { height($0.count) < height($1.count) }) else { return "" }
    let items = rows.map { term, plain, text in
      if plain.isEmpty { return ".It Ta\n" }
      // A longer term needs a space before its description.
      let row = ".It \(term)\(plain.count > longest.count ? "\\~" : "") Ta"
      let lines = sentences("\(row) \(inlineMarkup(text))").flatMap { Prose.wrapped($0, width: width) }
      let words = lines[0].dropFirst(row.count).split(separator: " ").map { word in
        // Two letters may be a macro, and a single character punctuation.
        word.count == 2 && word.first?.isUppercase != word.last?.isUppercase || isDelimiter("\(word)")
          ? " \\&\(word)" : " \(word)"
      }
      return "\(row)\(words.joined())\n" + lines.dropFirst().map { "\(escapingLeadingDot($0))\n" }.joined()
    }
    return ".Bl -column -compact \"\(escaped(longest))\"\n\(items.joined()).El\n"
  }
}
