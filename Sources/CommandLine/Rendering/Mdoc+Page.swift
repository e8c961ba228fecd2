extension Mdoc {
  /// The sections of a page.
  static func page(_ sections: [ManualSection]) -> String {
    sections.map { ".Sh \($0.title)\n" + blocks($0.blocks) }.joined()
  }

  private static func blocks(_ blocks: [ManualBlock]) -> String {
    var text = ""
    var follows = false
    for block in blocks {
      // A paragraph after a heading begins by itself.
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
    case .code(let lines): ".Bd -literal -offset indent\n" + lines.map { "\(literal($0))\n" }.joined() + ".Ed\n"
    case .raw(let text): text
    case .seeAlso(let pages): seeAlso(pages)
    }
  }

  private static func list(_ items: [String]) -> String { ".Bl -tag -width Ds\n" + items.joined() + ".El\n" }

  private static func literal(_ line: String) -> String {
    let line = escaped(line)
    return line.hasPrefix(".") ? "\\&" + line : line
  }

  /// References to other pages, one a line.
  static func seeAlso(_ pages: [(name: String, section: Int)]) -> String {
    pages.enumerated().map { index, page in
      ".Xr \(page.name) \(page.section)" + (index < pages.count - 1 ? " ,\n" : "\n")
    }.joined()
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
