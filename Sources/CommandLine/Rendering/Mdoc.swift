internal import Wire

/// Writes text in mdoc(7) notation.
enum Mdoc {
  /// mandoc's checks accept lines of at most 80 bytes.
  private static let width = 78

  /// A paragraph's lines: each sentence begins on a new line, and no line is interpreted as a macro.
  static func paragraph(_ text: String) -> String {
    sentences(marked(text)).flatMap { Prose.wrapped($0, width: width) }.map { "\(guarded($0))\n" }.joined()
  }

  /// Literals in bold, everything escaped.
  private static func marked(_ text: String) -> String {
    Prose.parts(text).map { part in
      switch part {
      case .text(let text): escaped(text)
      case .literal(let literal): "\\fB\(escaped(literal))\\fP"
      }
    }.joined()
  }

  /// Escapes characters that would start an escape or be replaced by another glyph.
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

  /// Escapes a leading dot or apostrophe, which would start a macro.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&" + line : line
  }

  /// An argument of a macro.
  static func argument(_ text: String) -> String {
    let text = escaped(text)
    return text.contains(" ") || isDelimiter(text) ? "\"\(text)\"" : text
  }

  private static func isDelimiter(_ text: String) -> Bool {
    text.count == 1 && text.allSatisfy { ".,:;()[]?!".contains($0) }
  }

  private static func sentences(_ text: String) -> [String] {
    var sentences: [String] = []
    var sentence = ""
    for word in text.split(separator: " ") {
      sentence += sentence.isEmpty ? "\(word)" : " \(word)"
      if word.last == "." || word.last == ":" || word.hasSuffix(";") {
        sentences.append(sentence)
        sentence = ""
      }
    }
    if !sentence.isEmpty { sentences.append(sentence) }
    return sentences
  }
}

extension Mdoc {
  /// The sections of a page.
  static func page(_ sections: [ManualSection]) -> String {
    sections.map { ".Sh \($0.title)\n" + blocks($0.blocks) }.joined()
  }

  private static func blocks(_ blocks: [ManualBlock]) -> String {
    var text = ""
    var follows = false
    for block in blocks {
      // mdoc starts a paragraph after a heading automatically.
      if follows, block.isParagraph { text += ".Pp\n" }
      text += self.text(block)
      follows = block.isParagraph || block.isList
    }
    return text
  }

  private static func text(_ block: ManualBlock) -> String {
    switch block {
    case .text(let text): paragraph(text)
    case .heading(let title): ".Ss \(escaped(title))\n"
    case .list(let items, let macro):
      list(items.map { ".It \(macro) \(argument($0.term))\n" + paragraph($0.meaning) })
    case .members(let members):
      list(members.map { ".It Li \(argument($0.name)) Pq \(argument($0.type))\n" + paragraph($0.meaning) })
    case .code(let lines):
      ".Bd -literal -offset indent\n" + lines.map { "\(guarded(escaped($0)))\n" }.joined() + ".Ed\n"
    case .raw(let text): text
    case .seeAlso(let pages): seeAlso(pages)
    }
  }

  static func list(_ items: [String]) -> String { ".Bl -tag -width Ds\n" + items.joined() + ".El\n" }

  /// Pages in the order that mandoc's checks require: by section, then by name.
  static func ordered(_ pages: [(name: String, section: Int)]) -> [(name: String, section: Int)] {
    pages.sorted { ($0.section, $0.name) < ($1.section, $1.name) }
  }

  /// References to other pages, one per line.
  static func seeAlso(_ pages: [(name: String, section: Int)]) -> String {
    pages.map { ".Xr \($0.name) \($0.section)" }.joined(separator: " ,\n") + "\n"
  }
}

extension ManualBlock {
  fileprivate var isParagraph: Bool {
    if case .text = self { true } else { false }
  }

  fileprivate var isList: Bool {
    switch self {
    case .list, .members, .code: true
    default: false
    }
  }
}
