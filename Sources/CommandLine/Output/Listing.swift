internal import Encoding
internal import Wire

/// Rows of text in aligned columns, for people.
struct Listing {
  private var rows: [[String]] = []

  /// Adds a row. Every cell is cleaned; the last one may be of any length.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map { TerminalText.clean($0) })
  }

  /// Adds a row of two cells, unless there is no value.
  mutating func add(_ title: String, _ value: String?) {
    if let value { add([title, value]) }
  }

  /// Adds a row in the reader's language.
  mutating func add(_ cells: [Phrase]) {
    rows.append(cells.map { $0.localized(limit: 200) })
  }

  /// The rows, a line each; columns are two spaces apart. A last cell that is too long for the screen goes on in the
  /// next lines, and is broken between words only.
  ///
  /// - Parameter columns: The width of the screen; nil for none.
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
      text += Self.wrapped(row.last ?? "", behind: line, columns) + "\n"
    }
    return text
  }

  /// The narrowest space that text is broken for.
  private static let narrowest = 20

  /// A text behind the beginning of its line.
  static func wrapped(_ text: String, behind start: String, _ columns: Int?) -> String {
    let room = (columns ?? .max) - start.count
    var lines = [start + text]
    if text.count > room, room >= narrowest {
      lines = Prose.wrapped(text, width: room).map { String(repeating: " ", count: start.count) + $0 }
      lines[0] = start + lines[0].dropFirst(start.count)
    }
    return lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
  }
}

/// Rows of short cells below the titles of their columns, with sentences between them, for people.
struct Table {
  /// A piece of text that stays on one line.
  struct Cell {
    let text: String
    /// The parameter of the escape sequence that it is shown with; empty for none.
    let style: String

    /// A name that can be copied: cleaned, and the same in all languages.
    init(verbatim text: String?) {
      self.text = text.map { TerminalText.clean($0) } ?? ""
      style = ""
    }

    /// Text in the reader's language, cleaned.
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

  /// The space before what does not begin in the first column.
  private static let indent = "   "

  init(_ titles: [Phrase]) { self.titles = titles.map { Cell($0, style: "1") } }

  /// Adds a row, with a cell for each title.
  mutating func add(_ cells: [Cell]) { lines.append(.row(cells)) }

  /// Adds a sentence about the row before it.
  mutating func remark(_ phrase: Phrase, style: String = "") { lines.append(.remark(Cell(phrase, style: style))) }

  /// The titles and rows; columns are two spaces apart, and those with nothing in them are left out. On a screen that is
  /// too narrow there are no titles, and a row goes on in the next lines, broken between cells only.
  func text(_ presentation: Presentation) -> String {
    let rows = lines.compactMap { line in if case .row(let cells) = line { cells } else { nil } }
    let used = titles.indices.filter { column in rows.contains { !$0[column].text.isEmpty } }
    let widths = used.map { column in ([titles] + rows).map { $0[column].text.count }.max() ?? 0 }
    let isNarrow = presentation.columns.map { widths.reduce(2 * (used.count - 1), +) > $0 } ?? false
    var text = rows.isEmpty || isNarrow ? "" : line(used.map { titles[$0] }, widths, presentation)
    for line in lines {
      switch line {
      case .row(let cells) where isNarrow: text += folded(used.map { cells[$0] }, presentation)
      case .row(let cells): text += self.line(used.map { cells[$0] }, widths, presentation)
      case .remark(let cell):
        let remark = Listing.wrapped(cell.text, behind: Self.indent, presentation.columns)
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

  /// A row in as many lines as its cells need.
  private func folded(_ cells: [Cell], _ presentation: Presentation) -> String {
    var (text, count) = ("", 0)
    for cell in cells where !cell.text.isEmpty {
      let isFirst = count == 0
      if !isFirst, count + 2 + cell.text.count > presentation.columns ?? .max {
        text += "\n" + Self.indent
        count = Self.indent.count
      } else if !isFirst {
        text += "  "
        count += 2
      }
      text += presentation.styled(cell.text, as: cell.style)
      count += cell.text.count
    }
    return text + "\n"
  }
}
