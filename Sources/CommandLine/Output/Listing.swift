internal import Encoding
internal import Wire

struct Listing {
  private var rows: [[String]] = []

  /// Only the final cell may be long.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { TerminalText.clean($0) })
  }

  mutating func add(_ title: String, _ value: String?) {
    if let value { add([title, value]) }
  }

  mutating func add(_ cells: [Phrase]) {
    rows.append(cells.map { $0.localized(limit: 200) })
  }

  /// The rows as lines. Wraps a long final cell at `columns`, if not nil.
  func text(columns: Int? = nil) -> String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.dropLast().enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    var text = ""
    for row in rows {
      var line = ""
      for (cell, width) in zip(row.dropLast(), widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      text += Self.wrapped(row.last ?? "", after: line, columns) + "\n"
    }
    return text
  }

  private static let minimumWrappedWidth = 20

  /// Wraps text that follows `start` on its first line.
  static func wrapped(_ text: String, after start: String, _ columns: Int?) -> String {
    let room = (columns ?? .max) - start.count
    var lines = [start + text]
    if text.count > room, room >= minimumWrappedWidth {
      lines = Prose.wrapped(text, width: room).map { String(repeating: " ", count: start.count) + $0 }
      lines[0] = start + lines[0].dropFirst(start.count)
    }
    return lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
  }
}

struct Table {
  struct Cell {
    let text: String
    /// Escape sequence parameters such as `1;31`; may be empty.
    let style: String

    /// A name that users can copy: cleaned, never translated.
    init(verbatim text: String?) {
      self.text = text.map { TerminalText.clean($0) } ?? ""
      style = ""
    }

    init(_ phrase: Phrase?, style: String = "") {
      text = phrase?.localized(limit: 200) ?? ""
      self.style = style
    }
  }

  private enum Line {
    case row([Cell])
    case remark(Cell)
  }

  private let titles: [Cell]
  private var lines: [Line] = []

  private static let indent = "   "

  init(_ titles: [Phrase]) { self.titles = titles.map { Cell($0, style: "1") } }

  mutating func add(_ cells: [Cell]) { lines.append(.row(cells)) }

  mutating func remark(_ phrase: Phrase, style: String = "") { lines.append(.remark(Cell(phrase, style: style))) }

  /// Omits empty columns. On a narrow screen, each row's final cell is below the others. If these do not fit either,
  /// rows wrap, without titles.
  func text(_ presentation: Presentation) -> String {
    let rows = lines.compactMap { line in if case .row(let cells) = line { cells } else { nil } }
    let used = titles.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
    let widths = used.map { column in ([titles] + rows).map { $0[column].text.count }.max() ?? 0 }
    func fit(_ widths: ArraySlice<Int>) -> Bool {
      presentation.columns.map { widths.reduce(2 * (widths.count - 1), +) <= $0 } ?? true
    }
    let inLine = fit(widths[...]) ? used.count : used.count - 1
    let isNarrow = !fit(widths.prefix(inLine))
    var text = rows.isEmpty || isNarrow ? "" : line(used.prefix(inLine).map { titles[$0] }, widths, presentation)
    for line in lines {
      switch line {
      case .row(let cells) where isNarrow: text += folded(used.map { cells[$0] }, widths, presentation)
      case .row(let cells):
        text += self.line(used.prefix(inLine).map { cells[$0] }, widths, presentation)
        for cell in used.dropFirst(inLine).map({ cells[$0] }) where !cell.text.isEmpty {
          text += Self.indent + presentation.styled(cell.text, as: cell.style) + "\n"
        }
      case .remark(let cell):
        let remark = Listing.wrapped(cell.text, after: Self.indent, presentation.columns)
        text += presentation.styled(remark, as: cell.style) + "\n"
      }
    }
    return text
  }

  private func line(_ cells: [Cell], _ widths: [Int], _ presentation: Presentation) -> String {
    var (line, spaces) = ("", 0)
    for (cell, width) in zip(cells, widths) {
      if !cell.text.isEmpty {
        line += String(repeating: " ", count: spaces) + presentation.styled(cell.text, as: cell.style)
        spaces = 0
      }
      spaces += width - (cell.text.isEmpty ? 0 : cell.text.count) + 2
    }
    return line + "\n"
  }

  private func folded(_ cells: [Cell], _ widths: [Int], _ presentation: Presentation) -> String {
    guard let first = cells.first, let width = widths.first else { return "" }
    var text = presentation.styled(first.text, as: first.style)
    text += String(repeating: " ", count: width - first.text.count)
    var count = width
    for cell in cells.dropFirst() where !cell.text.isEmpty {
      if count + 2 + cell.text.count > presentation.columns ?? .max {
        text += "\n" + Self.indent
        count = Self.indent.count
      } else {
        text += "  "
        count += 2
      }
      text += presentation.styled(cell.text, as: cell.style)
      count += cell.text.count
    }
    return text + "\n"
  }
}
