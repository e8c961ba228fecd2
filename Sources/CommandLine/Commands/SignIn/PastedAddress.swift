/// Extracts a URL from pasted text, which terminals, mail programs and chats may have altered.
enum PastedAddress {
  /// The escape sequences around pasted text (xterm, "Bracketed Paste Mode").
  private static let (begin, end) = (Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8))
  private static let lineFeed = UInt8(ascii: "\n")

  /// Extracts the first URL, even if broken over lines or enclosed in quotes or angle brackets. Nil if more input is
  /// needed. `count` is the number of consumed bytes; `isOver`: the input has ended.
  static func extractURL(from bytes: [UInt8], isOver: Bool) -> (address: [UInt8], count: Int)? {
    var line: [UInt8] = []
    var isPasting = false
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if rest.starts(with: begin) || rest.starts(with: end) {
        isPasting = rest.starts(with: begin)
        index += begin.count
        continue
      }
      index += 1
      guard rest.first == lineFeed else {
        line.append(rest[index - 1])
        continue
      }
      if isPasting { continue }
      let address = cleaned(line)
      if address.isEmpty {
        line = []
        continue
      }
      switch nextText(address, bytes[index...], isOver: isOver) {
      case .other: return (address, index)
      case .more: break
      case .unknown: return nil
      }
    }
    let address = cleaned(line)
    return isOver && !address.isEmpty ? (address, bytes.count) : nil
  }

  /// The text after a line break.
  private enum NextText {
    /// Not the next part of the URL.
    case other
    /// The rest of the URL.
    case more
    /// Not received yet.
    case unknown
  }

  private static func nextText(_ address: [UInt8], _ rest: ArraySlice<UInt8>, isOver: Bool) -> NextText {
    guard address.starts(with: "http".utf8) else { return .other }
    let next = rest.prefix { $0 != lineFeed }
    if next.isEmpty {
      return !rest.isEmpty || isOver || isWhole(address) ? .other : .unknown
    }
    let isAddress = cleaned(Array(next)).starts(with: "http".utf8)
    return isAddress || next.contains(UInt8(ascii: " ")) ? .other : .more
  }

  /// Whether a redirect URL has all parameters (RFC 6749 section 4.1.2). True if it has no query.
  private static func isWhole(_ address: [UInt8]) -> Bool {
    guard let mark = address.firstIndex(of: UInt8(ascii: "?")) else { return true }
    let names = address[(mark + 1)...].split(separator: UInt8(ascii: "&")).map { field in
      field.prefix { $0 != UInt8(ascii: "=") }
    }
    func has(_ name: String) -> Bool { names.contains { $0.elementsEqual(name.utf8) } }
    return has("state") && (has("code") || has("error"))
  }

  /// Removes blanks, control characters and enclosing marks.
  private static func cleaned(_ line: [UInt8]) -> [UInt8] {
    let visible = line.filter { $0 > 0x20 && $0 != 0x7F }
    let isMark = { (byte: UInt8) in "\"'<>`".utf8.contains(byte) }
    guard let first = visible.firstIndex(where: { !isMark($0) }), let last = visible.lastIndex(where: { !isMark($0) })
    else { return [] }
    return Array(visible[first...last])
  }
}
