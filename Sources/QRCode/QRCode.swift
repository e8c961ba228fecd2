internal import CQRencode

/// A QR code (ISO/IEC 18004): a square of dark and light modules, without the quiet zone around it.
package struct QRCode: Sendable, Hashable {
  /// No longer text is encoded; what is longer makes a code too large for a terminal.
  package static let mostBytes = 300

  /// The version of libqrencode that is used, such as `4.1.1`.
  package static var libraryVersion: String {
    guard let text = unsafe QRcode_APIVersionString() else { return "" }
    return unsafe String(cString: text)
  }

  /// The modules of one side, 21 to 177.
  package let side: Int

  /// Row by row from the top left corner; true is dark.
  private let modules: [Bool]

  /// The code for `text`, with the least error correction: a screen is neither dirty nor torn.
  ///
  /// - Returns: nil for an empty text, one of more than ``mostBytes`` bytes, or when memory ran out.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.mostBytes).contains(bytes.count) else { return nil }
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe QRcode_encodeData(Int32(bytes.count), bytes.baseAddress, 0, QR_ECLEVEL_L)
    }
    guard let code = unsafe code else { return nil }
    defer { unsafe QRcode_free(code) }
    let side = unsafe Int(code.pointee.width)
    guard (21...177).contains(side), let data = unsafe code.pointee.data else { return nil }
    self.side = side
    // Only the lowest bit says whether the module is dark.
    modules = unsafe UnsafeBufferPointer(start: data, count: side * side).map { $0 & 1 == 1 }
  }

  /// Whether the module is dark; everything outside the code is light.
  package func isDark(row: Int, column: Int) -> Bool {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
    return modules[row * side + column]
  }

  /// One text a row, `1` for a dark module and `0` for a light one.
  package var rows: [String] {
    (0..<side).map { row in String((0..<side).map { isDark(row: row, column: $0) ? "1" : "0" }) }
  }
}
