internal import Wire

/// A QR code in half-block characters: two rows of modules per line.
struct QRPicture {
  /// The quiet zone in modules. Readers accept two, though the standard requires four.
  private static let margin = 2

  private let code: Event.QRCode
  private let isStyled: Bool

  /// Nil if the terminal is too narrow, or cannot rewrite lines.
  init?(_ code: Event.QRCode, _ terminal: OutputTerminal) {
    guard terminal.canRewriteLines, code.side + 2 * Self.margin <= terminal.columns() else { return nil }
    self.code = code
    isStyled = terminal.hasStyles
  }

  var columns: Int { code.side + 2 * Self.margin }

  var text: String { lines.map { $0 + "\n" }.joined() + "\n" }

  /// Draws only the light modules. Without colours, the terminal's background, usually dark, shows the others.
  var lines: [String] {
    let rows = code.rows.map { Array($0.utf8) }
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard rows.indices.contains(row), rows.indices.contains(column) else { return true }
      return rows[row][column] == UInt8(ascii: "0")
    }
    var lines: [String] = []
    for top in stride(from: -Self.margin, to: rows.count + Self.margin, by: 2) {
      var line = ""
      for column in -Self.margin..<rows.count + Self.margin {
        let below = top + 1 < rows.count + Self.margin && isLight(top + 1, column)
        switch (isLight(top, column), below) {
        case (true, true): line += "\u{2588}"
        case (true, false): line += "\u{2580}"
        case (false, true): line += "\u{2584}"
        case (false, false): line += " "
        }
      }
      lines.append(Console.styled(line, as: "97;40", isStyled))
    }
    return lines
  }
}
