import Testing
import Wire

@testable import CommandLine

@Suite struct `The screen of a sign-in` {
  private var code = Event.DeviceCode(
    loginID: "0f", account: "work", issuer: "https://id.example.com", clientID: "cli", scope: "openid\u{1B}[31m email",
    userCode: "WDJB-MJHT\n", verificationURI: "https://id.example.com/device",
    verificationURIComplete: "https://id.example.com/device?user_code=WDJB-MJHT", expiresAt: 1_000_600, interval: 5)

  @Test func `says who asks for what before it says what to do (RFC 8628 section 5.4)`() {
    #expect(
      SignInScreen(columns: 80, isStyled: true).text(code) == """
        Sign in to id.example.com

          Account   work
          Client    cli
          Asks for  openid[31m email

        Open this address in any browser, on this device or another:

          https://id.example.com/device

        Type this code there:

          \u{1B}[1mWDJB-MJHT\u{1B}[0m

        Or open this address and check that it shows the same code:

          https://id.example.com/device?user_code=WDJB-MJHT

        Continue only if you started this yourself;
        never enter a code that someone sent you.


        """)
  }

  @Test func `puts labels above what does not fit beside them, and begins a long address at the edge`() {
    var code = code
    code.clientID = "a-client-with-a-rather-long-name.example"
    code.scope = nil
    #expect(
      SignInScreen(columns: 40, isStyled: false).text(code) == """
        Sign in to id.example.com

          Account   work
          Client
        a-client-with-a-rather-long-name.example
          Asks for  the server's default

        Open this address in any browser, on
        this device or another:

          https://id.example.com/device

        Type this code there:

          WDJB-MJHT

        Or open this address and check that it
        shows the same code:

        https://id.example.com/device?user_code=WDJB-MJHT

        Continue only if you started this
        yourself;
        never enter a code that someone sent
        you.


        """)
  }

  @Test func `lists many scopes on as few lines as possible`() {
    var code = code
    code.scope = "openid email profile offline_access"
    #expect(
      SignInScreen(columns: 200, isStyled: false).text(code).contains(
        "  Asks for  openid email profile offline_access\n"))
    #expect(
      SignInScreen(columns: 40, isStyled: false).text(code).contains(
        "  Asks for  openid email profile\n            offline_access\n"))
  }

  @Test func `leaves out blank lines, then scopes, rather than let its first line scroll away`() {
    var code = code
    code.scope = (1...20).map { "scope-\($0)" }.joined(separator: " ")
    let screen = SignInScreen(columns: 60, isStyled: false)
    let (whole, lines) = (screen.text(code), { (text: String) in text.utf8.count { $0 == UInt8(ascii: "\n") } })
    #expect(screen.text(code, nil, rows: lines(whole) + 1) == whole)
    let dense = screen.text(code, nil, rows: lines(whole))
    #expect(dense == whole.replacing("\n\n", with: "\n"))
    let short = screen.text(code, nil, rows: lines(dense))
    #expect(lines(short) == lines(dense) - 2 && short.contains("and 14 more"), "\(short)")
  }

  private func picture(side: Int) throws -> QRPicture {
    let row = String(repeating: "1", count: side)
    let code = try #require(Event.QRCode(rows: [String](repeating: row, count: side)))
    return try #require(QRPicture(code, OutputTerminal(term: "xterm", noColour: "1", columns: { 200 })))
  }

  @Test func `puts a QR code beside the text, and its address below`() throws {
    let picture = try picture(side: 29)
    let text = SignInScreen(columns: 80, isStyled: true).text(code, picture, rows: 24)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 20 && lines.last?.isEmpty == true)
    let plain = lines.map { $0.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") }
    for (index, line) in picture.lines.enumerated() {
      #expect(plain[index].hasSuffix("  " + line) && plain[index].count == 80, "\(plain[index])")
    }
    #expect(lines[0].hasPrefix("Sign in to id.example.com "))
    #expect(text.contains("  \u{1B}[1mWDJB-MJHT\u{1B}[0m "))
    #expect(plain[18] == "  https://id.example.com/device?user_code=WDJB-MJHT")
  }

  @Test func `puts a QR code below the text, or leaves it out, rather than scroll`() throws {
    let screen = SignInScreen(columns: 80, isStyled: false)
    let (alone, wide) = (screen.text(code), try picture(side: 61))
    #expect(screen.text(code, wide, rows: nil) == alone + wide.text)
    #expect(screen.text(code, wide, rows: 60) == alone + wide.text)
    #expect(screen.text(code, wide, rows: 50) == alone)
    let narrow = try picture(side: 29)
    #expect(screen.text(code, narrow, rows: 19) == screen.text(code, nil, rows: 19))
    #expect(screen.text(code, narrow, rows: 20) != alone)
    #expect(screen.text(code, nil, rows: 100) == alone)
    // An address that is longer than the text's column is not broken.
    var code = code
    code.verificationURI = "https://id.example.com/" + String(repeating: "a", count: 40)
    #expect(screen.text(code, narrow, rows: nil) == screen.text(code) + narrow.text)
  }

  @Test(
    arguments: [
      ("https://id.example.com/", "Sign in to id.example.com\n", nil),
      (
        "https://id.example.com/realms/a", "Sign in to id.example.com\n",
        "  Issuer    https://id.example.com/realms/a\n"
      ),
      ("http://127.0.0.1:8080", "Sign in to 127.0.0.1:8080\n", "  Issuer    http://127.0.0.1:8080\n"),
    ] as [(String, String, String?)])
  func `names the issuer in full when it is more than its host`(issuer: String, headline: String, fact: String?) {
    var code = code
    code.issuer = issuer
    let text = SignInScreen(columns: 80, isStyled: false).text(code)
    #expect(text.hasPrefix(headline))
    #expect(fact.map { text.contains($0) } ?? !text.contains("Issuer"))
  }

  @Test func `never cuts an address or a code`() {
    var code = code
    code.verificationURI = "https://id.example.com/" + String(repeating: "a", count: 2000)
    code.userCode = String(repeating: "b", count: 300)
    let lines = SignInScreen(columns: 40, isStyled: false).text(code).split(separator: "\n").map { String($0) }
    #expect(lines.contains(code.verificationURI) && lines.contains(code.userCode))
  }

  @Test func `when quiet it shows only what nobody can sign in without`() {
    #expect(
      SignInScreen(columns: 40, isStyled: false).briefText(code) == """
        Open
          https://id.example.com/device
        and type the code
          WDJB-MJHT

        """)
  }
}
