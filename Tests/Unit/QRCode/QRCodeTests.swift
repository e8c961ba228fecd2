import QRCode
import Testing

@Suite struct `A QR code` {
  @Test func `has finder patterns in three corners and its size by the text's length (ISO 18004)`() throws {
    let code = try #require(QRCode("https://id.example.com/device"))
    #expect(code.side == 25)
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    let rows = code.rows
    #expect(rows.prefix(7).map { String($0.prefix(7)) } == finder)
    #expect(rows.prefix(7).map { String($0.suffix(7)) } == finder)
    #expect(rows.suffix(7).map { String($0.prefix(7)) } == finder)
    #expect(rows.suffix(7).map { String($0.suffix(7)) } != finder)
  }

  @Test func `is light outside`() throws {
    let code = try #require(QRCode("A"))
    #expect(code.side == 21)
    for index in -1...21 {
      #expect(!code.isDark(row: -1, column: index) && !code.isDark(row: index, column: 21))
    }
  }

  @Test func `is not made of nothing or of a long text`() {
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: QRCode.maximumBytes)) != nil)
    #expect(QRCode(String(repeating: "x", count: QRCode.maximumBytes + 1)) == nil)
  }
}
