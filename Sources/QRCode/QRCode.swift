internal import CQRencode

/// A QR code (ISO/IEC 18004): a square of dark and light modules, without quiet zone.
package struct QRCode: Sendable, Hashable {
  /// In bytes. A larger code would not fit a terminal.
  package static let maximumBytes = 300

  package static var libraryVersion: String {
    guard let text = unsafe QRcode_APIVersionString() else { return "" }
    return unsafe String(cString: text)
  }

  /// The number of modules per side, 21 to 177.
  package let side: Int

  /// Row by row from the top left corner; true is dark.
  private let modules: [Bool]

  /// Uses the lowest error correction. Nil for an empty text or one longer than ``maximumBytes``.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.maximumBytes).contains(bytes.count) else { return nil }
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe QRcode_encodeData(Int32(bytes.count), bytes.baseAddress, 0, QR_ECLEVEL_L)
    }
    guard let code = unsafe code else { return nil }
    defer { unsafe QRcode_free(code) }
    let side = unsafe Int(code.pointee.width)
    guard (21...177).contains(side), let data = unsafe code.pointee.data else { return nil }
    self.side = side
    modules = unsafe UnsafeBufferPointer(start: data, count: side * side).map { $0 & 1 == 1 }
  }

  /// False outside the code.
  package func isDark(row: Int, column: Int) -> Bool {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
    return modules[row * side + column]
  }

  /// A string per row: `1` for dark modules, `0` for light ones.
  package var rows: [String] {
    (0..<side).map { row in String((0..<side).map { isDark(row: row, column: $0) ? "1" : "0" }) }
  }
}
