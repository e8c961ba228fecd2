extension Event {
  /// A QR code as a square of modules, without the quiet zone.
  package struct QRCode: EventBody, Sendable, Hashable {
    /// The width of version 40 (ISO/IEC 18004).
    private static let maximumSide = 177

    /// From the top; `1` is a dark module, `0` a light one.
    package fileprivate(set) var rows: [String] = []

    fileprivate init() {}

    /// Nil unless a square of `0` and `1`.
    package init?(rows: [String]) {
      let bits = UInt8(ascii: "0")...UInt8(ascii: "1")
      guard (1...Self.maximumSide).contains(rows.count),
        rows.allSatisfy({ $0.utf8.count == rows.count && $0.utf8.allSatisfy(bits.contains) })
      else { return nil }
      self.rows = rows
    }

    /// In modules.
    package var side: Int { rows.count }

    static let emptyInstance = Self()

    package var event: Event { .qrCode(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry(
        "qr_code", "The URL of the next event as a QR code: `verification_uri_complete`, if present.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitTexts(
        "rows", &rows,
        "The rows from the top, as many as each has characters: `1` is a dark module, `0` a light one.")
      try members.check(Self(rows: rows) != nil, Phrase(verbatim: "a square"))
    }
  }
}
