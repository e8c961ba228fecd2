import Testing

@testable import CommandLine

@Suite struct `The address in what was pasted` {
  private static let address = "http://127.0.0.1:4000/callback?code=c&state=s"

  private static func take(_ text: String, isOver: Bool = false) -> String? {
    PastedAddress.extractURL(from: Array(text.utf8), isOver: isOver).map { String(decoding: $0.address, as: UTF8.self) }
  }

  @Test(arguments: [
    "ADDRESS\n", "\n\nADDRESS\n", "  ADDRESS \r\n", "\"ADDRESS\"\n", "'ADDRESS'\n", "<ADDRESS>\n", "`ADDRESS`\n",
    "\u{1B}[200~ADDRESS\u{1B}[201~\n", "\u{1B}[200~ADDRESS\n\u{1B}[201~\n", "ADDRESS\nhttp://127.0.0.1:4000/other\n",
    "ADDRESS\nand some words\n",
  ]) func `is found`(text: String) {
    #expect(Self.take(text.replacing("ADDRESS", with: Self.address)) == Self.address)
  }

  @Test(arguments: 1..<address.utf8.count) func `may be broken over lines`(place: Int) {
    let bytes = Array(Self.address.utf8)
    let parts = [bytes[..<place], bytes[place...]].map { String(decoding: $0, as: UTF8.self) }
    #expect(Self.take("\u{1B}[200~\(parts[0])\n\(parts[1])\u{1B}[201~\n") == Self.address)
    // Without the terminal's marks, where the first line is known to be an address.
    if place >= 4 { #expect(Self.take("\(parts[0])\n\(parts[1])\n") == Self.address) }
  }

  @Test func `is waited for where a line cannot be all of it`() {
    #expect(Self.take("http://127.0.0.1:4000/callback?code=c\n") == nil)
    // Enter also ends the paste.
    #expect(Self.take("http://127.0.0.1:4000/callback?code=c\n\n") == "http://127.0.0.1:4000/callback?code=c")
    #expect(Self.take("http://127.0.0.1:4000/callback?code=c\n&state=s") == nil)
    #expect(Self.take(Self.address) == nil && Self.take(Self.address, isOver: true) == Self.address)
  }

  @Test(arguments: ["wrong words\n", "http://127.0.0.1:4000/\n", "x\n"]) func `may be a wrong one`(text: String) {
    #expect(Self.take(text) == text.filter { $0 > " " })
  }

  @Test(arguments: ["", "\n", "\"\"\n", "\u{1B}[200~\u{1B}[201~\n"]) func `may not be there`(text: String) {
    #expect(Self.take(text) == nil && Self.take(text, isOver: true) == nil)
  }
}
