import Testing
import Wire

@testable import CommandLine

@Suite struct `The language of messages` {
  private static let german = Language { phrase in
    [
      "Sign in to %1$s": "Anmeldung bei %1$s", "Issuer": "Aussteller", "Account": "Konto", "Client": "Client",
      "Asks for": "Möchte", "cannot reach %1$s": "%1$s: keine Verbindung", "the server": "Server",
    ][phrase.template]
  }

  private static let arabic = Language { phrase in
    ["left-to-right": "right-to-left", "open %1$s": "افتح %1$s", "the server": "الخادم"][phrase.template]
  }

  @Test func `is English where there is no translation`() {
    #expect(Language.english.text("cannot reach \("x")") == "cannot reach x")
    #expect(Self.arabic.text("cannot reach \(Phrase("the server"))") == "cannot reach الخادم")
  }

  @Test func `translates phrases in phrases, and no values`() {
    #expect(Self.german.text("cannot reach \(Phrase("the server"))") == "Server: keine Verbindung")
    #expect(Self.german.text("cannot reach \("the server")") == "the server: keine Verbindung")
  }

  @Test func `isolates values in text from right to left, where it is translated`() {
    #expect(Self.arabic.text("open \("https://x")") == "افتح \u{2068}https://x\u{2069}")
    #expect(Self.german.text("Sign in to \("x")") == "Anmeldung bei x")
    #expect(Self.arabic.text("Sign in to \("x")") == "Sign in to x")
  }

  @Test func `takes from values what a terminal would obey`() {
    let value = "a\u{202E}b\u{2066}\u{1B}[31m\nc"
    #expect(Self.arabic.text("open \(value)") == "افتح \u{2068}ab[31mc\u{2069}")
    #expect(Language.english.text("open \(value)") == "open ab[31mc")
    #expect(Language.english.text("a\u{1B}\nb\u{202E}") == "ab")
    #expect(Language.english.text("a\u{1B}\nb\u{202E}", keepsLines: true) == "a\nb")
    #expect(Language.english.text("open \(String(repeating: "x", count: 9))", limit: 3) == "open xxx…")
  }

  @Test func `makes room for longer words on the sign-in screen`() {
    let screen = SignInScreen(columns: 80, isStyled: false, language: Self.german)
    let lines = screen.heading(issuer: "http://x:1", account: "work", clientID: "cli", scope: "openid").split(
      separator: "\n")
    #expect(
      lines.map(String.init) == [
        "Anmeldung bei x:1", "  Aussteller  http://x:1", "  Konto       work", "  Client      cli",
        "  Möchte      openid",
      ])
  }

  @Test func `is found beside the program, installed or built`() {
    #expect(Language.directories(near: "/usr/bin/agent") == ["/usr/share/locale", "/usr/bin/locale"])
    #expect(Language.directories(near: "/a/release/agent") == ["/a/share/locale", "/a/release/locale"])
    #expect(Language.directories(near: "/agent") == ["/share/locale", "/locale"])
  }
}
