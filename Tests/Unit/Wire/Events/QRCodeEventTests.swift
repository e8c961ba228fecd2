import Encoding
import Testing
import Wire

@Suite struct `A QR code on the wire` {
  @Test func `comes back as it was sent`() throws {
    let code = try #require(Event.QRCode(rows: ["10", "01"]))
    #expect(Event(json: .object(Event.qrCode(code).json)) == .qrCode(code))
  }

  @Test(arguments: [[], ["1", "0"], ["12", "01"], ["10", "0"], [String](repeating: "1", count: 178)])
  func `is refused when it is no square of zeros and ones`(_ rows: [String]) {
    #expect(Event.QRCode(rows: rows) == nil)
  }
}
