internal import Encoding

extension Event {
  /// A QR code as a square of modules, without the quiet zone around it.
  package struct QRCode: Sendable, Hashable {
    /// The largest code there is (ISO/IEC 18004, version 40).
    private static let widest = 177

    /// Row by row from the top, `1` for a dark module and `0` for a light one; as many rows as columns.
    package let rows: [String]

    /// Nil if the rows are no square of `0` and `1`.
    package init?(rows: [String]) {
      let bits = UInt8(ascii: "0")...UInt8(ascii: "1")
      guard (1...Self.widest).contains(rows.count),
        rows.allSatisfy({ $0.utf8.count == rows.count && $0.utf8.allSatisfy(bits.contains) })
      else { return nil }
      self.rows = rows
    }

    /// The modules of one side.
    package var side: Int { rows.count }

    var json: JSONObject {
      JSONObject([("event", "qr_code"), ("rows", .array(rows.map { .string($0) }))])
    }

    init?(json: JSON) {
      guard let array = json["rows"]?.array, array.count <= Self.widest else { return nil }
      let rows = array.compactMap(\.string)
      guard rows.count == array.count else { return nil }
      self.init(rows: rows)
    }
  }
}
