import Testing
import Wire

@testable import CommandLine

@Suite struct `A QR code on a terminal` {
  private let code = Event.QRCode(rows: ["101", "010", "111"])!

  private func terminal(columns: Int = 80, noColour: String? = "1") -> OutputTerminal {
    OutputTerminal(term: "xterm", noColour: noColour, columns: { columns })
  }

  @Test func `is drawn with two rows a line and a light margin of two`() throws {
    let picture = try #require(QRPicture(code, terminal()))
    #expect(picture.text == "███████\n██▄▀▄██\n██▄▄▄██\n▀▀▀▀▀▀▀\n\n")
    #expect(picture.lines.count == 4 && picture.columns == 7)
  }

  @Test func `names both colours where colours are wanted, so that it is right on a light terminal too`() throws {
    let picture = try #require(QRPicture(code, terminal(noColour: nil)))
    #expect(picture.text.hasPrefix("\u{1B}[97;40m███████\u{1B}[0m\n"))
  }

  @Test func `is not drawn where it is too wide`() {
    #expect(QRPicture(code, terminal(columns: 7)) != nil)
    #expect(QRPicture(code, terminal(columns: 6)) == nil)
  }

  @Test(arguments: [
    (["LANG": "en_GB.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "de_DE@euro"], false),
    (["LC_ALL": "C", "LANG": "en_GB.UTF-8"], false), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], true), ([:], false),
  ])
  func `the locale says whether block characters can be shown`(_ variables: [String: String], _ expected: Bool) {
    #expect(OutputTerminal.isUTF8 { variables[$0] } == expected)
  }
}
