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

  /// The rows, a line each; columns are two spaces apart.
  var text: String {
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
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
