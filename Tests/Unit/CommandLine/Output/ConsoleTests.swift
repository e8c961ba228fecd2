import Encoding
import Testing
import Wire

@testable import CommandLine

@Suite struct `Failures` {
  private let failure = Failure(.sessionExpired, "session expired, please sign in again", hint: "agent login work")

  @Test func `are told to people on two lines`() {
    #expect(
      Console(usesJSON: false, isQuiet: false).text(of: failure, coloured: false)
        == "agent: error: session expired, please sign in again\nagent: hint: agent login work\n")
  }

  @Test func `are coloured only in the words that introduce them`() {
    #expect(
      Console(usesJSON: false, isQuiet: true).text(of: failure, coloured: true)
        == "agent: \u{1B}[1;31merror:\u{1B}[0m session expired, please sign in again\n"
        + "agent: \u{1B}[1mhint:\u{1B}[0m agent login work\n")
  }

  @Test func `are one JSON object on a line for programs`() {
    #expect(
      Console(usesJSON: true, isQuiet: false).text(of: failure, coloured: false)
        == #"{"error":{"code":"session_expired","message":"session expired, please sign in again","#
        + #""hint":"agent login work"}}"# + "\n")
  }

  @Test func `have for programs no more than code, message and hint, wherever they stand`() throws {
    let name = "work"
    let failure = Failure(.signedOut, "\(name) is signed out", hint: "agent login \(name)")
    #expect(failure.json["message_template"] != nil)
    let plain = JSONObject([
      ("code", "signed_out"), ("message", "work is signed out"), ("hint", "agent login work"),
    ])
    #expect(failure.json.withoutTranslations == .object(plain))
    // A server's claims about a user are unchanged.
    let claims = failure.json
    let answer = JSONObject([
      ("accounts", .array([.object(JSONObject([("problem", failure.json)]))])), ("claims", claims),
    ])
    let expected = JSONObject([
      ("accounts", .array([.object(JSONObject([("problem", .object(plain))]))])), ("claims", claims),
    ])
    #expect(answer.withoutTranslations == expected)
    let told = Console(usesJSON: true, isQuiet: false).text(of: failure, coloured: false)
    #expect(
      told == String(decoding: JSON.object(JSONObject([("error", .object(plain))])).serialized(), as: UTF8.self) + "\n")
  }

  @Test func `cannot carry a server's control characters to the terminal`() {
    let hostile = Failure(.serverRejected, "\u{1B}]0;x\u{7}no\u{202E}\nagent: all is well", hint: "\u{9B}2J")
    #expect(
      Console(usesJSON: false, isQuiet: false).text(of: hostile, coloured: false)
        == "agent: error: ]0;xnoagent: all is well\nagent: hint: 2J\n")
  }
}

@Suite struct `Text with a token in it` {
  @Test func `grows without losing a byte`() {
    let expected = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    SecretText.with(capacity: 1) { text in
      for byte in expected.prefix(100) { text.append(byte) }
      text.append(contentsOf: Array(expected[100..<4000]).span)
      text.append(contentsOf: Array(expected[4000...]).span)
      #expect(text.bytes == expected)
    }
  }

  @Test func `is overwritten byte by byte`() {
    var bytes = Array("secret".utf8)
    bytes.overwrite()
    #expect(bytes == [UInt8](repeating: 0, count: 6))
  }
}

@Suite struct `Tables` {
  private static func table() -> Table {
    var table = Table(["", "ACCOUNT", "PERSON", "STATE"])
    func cells(_ texts: String...) -> [Table.Cell] { texts.map { Table.Cell(Phrase(verbatim: $0)) } }
    table.add(cells("*", "work", "", "signed in"))
    table.remark("this is what should be known of it")
    table.add(cells("", "other", "", "expired"))
    return table
  }

  private static func presentation(_ columns: Int?, isColoured: Bool = false) -> Presentation {
    var presentation = Presentation(now: 0)
    (presentation.columns, presentation.isColoured) = (columns, isColoured)
    return presentation
  }

  @Test func `have titles, and leave out a column with nothing in it`() {
    #expect(
      Self.table().text(Self.presentation(80)) == """
           ACCOUNT  STATE
        *  work     signed in
           this is what should be known of it
           other    expired

        """)
    #expect(Table(["ACCOUNT"]).text(Self.presentation(nil)).isEmpty)
  }

  @Test func `have their last column below the others where the screen is narrow`() {
    #expect(
      Self.table().text(Self.presentation(16)) == """
           ACCOUNT
        *  work
           signed in
           this is what should be known of it
           other
           expired

        """)
  }

  @Test func `are broken between cells and between words only where the screen is narrower still`() {
    #expect(
      Self.table().text(Self.presentation(9)) == """
        *  work
           signed in
           this is what should be known of it
           other
           expired

        """)
    #expect(
      Self.table().text(Self.presentation(24)) == """
           ACCOUNT  STATE
        *  work     signed in
           this is what should
           be known of it
           other    expired

        """)
  }

  @Test func `have styles only where there is colour`() {
    #expect(!Self.table().text(Self.presentation(80)).contains("\u{1B}"))
    #expect(Self.table().text(Self.presentation(80, isColoured: true)).hasPrefix("   \u{1B}[1mACCOUNT\u{1B}[0m  "))
  }
}

@Suite struct `Listings` {
  @Test func `go on below the last column where the screen is narrow`() {
    var listing = Listing()
    listing.add(["scope", "openid profile email offline_access"])
    #expect(listing.text(columns: 30) == "scope  openid profile email\n       offline_access\n")
    #expect(listing.text(columns: 20) == "scope  openid profile email offline_access\n", "there is no room to break it")
  }

  @Test func `align their columns and end no line with a space`() {
    var listing = Listing()
    listing.add(["*", "work", "active", "https://a"])
    listing.add(["", "long-name", "expired", ""])
    #expect(listing.text() == "*  work       active   https://a\n   long-name  expired\n")
  }

  @Test func `clean every cell`() {
    var listing = Listing()
    listing.add(["\u{1B}[31ma", "b\nc"])
    #expect(listing.text() == "[31ma  bc\n")
  }
}
