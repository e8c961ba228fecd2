internal import Wire

/// Writes text in mdoc(7) notation.
enum Mdoc {
  /// The maximum length of a line; mandoc accepts 80 bytes.
  private static let width = 80

  /// A paragraph: each sentence starts a new line, and none is a macro.
  static func paragraph(_ text: String) -> String {
    sentences(inlineMarkup(text)).flatMap { Prose.wrapped($0, width: width) }.map { "\(escapingLeadingDot($0))\n" }
      .joined()
  }

  /// Converts ``Prose`` to mdoc: escapes the text, and shows literals in bold.
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

  /// Escapes a leading dot, which would start a macro.
  private static func escapingLeadingDot(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&" + line : line
  }

  /// Escapes and quotes a macro's argument.
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

  static func list(_ items: [String], as style: String = "-tag -width Ds") -> String {
    ".Bl \(style)\n" + items.joined() + ".El\n"
  }

  /// The members of a JSON object, if any. Each starts a line.
  static func members(_ rows: [MemberDescription]) -> String {
    guard !rows.isEmpty else { return "" }
    return list(
      rows.map { ".It Li \(argument($0.name)) Pq \(argument($0.type))\n" + paragraph($0.meaning) },
      as: "-hang -width Ds -compact")
  }
}
