import Crypto
import Encoding
import Loopback
import Testing
import Vocabulary

// RFC 9112, RFC 8252 section 7.3.
@Suite struct `A request to the redirect listener` {
  private static let target = LoopbackTarget(hosts: ["127.0.0.1:8400"], path: "/as.example")
  private static let good = "GET /as.example?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:8400\r\nAccept: */*\r\n\r\n"

  private static func read(_ text: String) -> LoopbackRequest.ParseResult {
    let bytes = Array(text.utf8)
    return read(bytes.span)
  }

  /// Parses bytes that arrive together.
  private static func read(_ bytes: Span<UInt8>) -> LoopbackRequest.ParseResult {
    var end = LoopbackRequest.HeadEnd()
    return LoopbackRequest.parse(bytes, for: target, &end)
  }

  private static func query(_ text: String) -> String? {
    guard case .redirect(let range) = read(text) else { return nil }
    return String(decoding: Array(text.utf8)[range], as: UTF8.self)
  }

  @Test func `of the redirect URI lends its query`() {
    #expect(Self.query(Self.good) == "code=c&state=s")
    #expect(Self.query("\r\n" + Self.good) == "code=c&state=s")
    #expect(Self.query("GET /as.example?a?b HTTP/1.0\nhost:\t127.0.0.1:8400 \n\n") == "a?b")
    #expect(Self.query("GET /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n\r\n") == "")
    #expect(Self.query("GET /as.example? HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n\r\n") == "")
  }

  @Test func `is waited for until it is whole`() {
    let bytes = Array(Self.good.utf8)
    for count in 0..<bytes.count {
      #expect(Self.read(bytes.span.extracting(..<count)) == .incomplete, "\(count)")
    }
  }

  @Test(arguments: ["", "\r\n\r\n", "\n\r\r\n"])
  func `is found in pieces as it is at once`(start: String) {
    let bytes = Array((start + Self.good).utf8)
    var end = LoopbackRequest.HeadEnd()
    for count in 0..<bytes.count {
      #expect(LoopbackRequest.parse(bytes.span.extracting(..<count), for: Self.target, &end) == .incomplete, "\(count)")
    }
    #expect(LoopbackRequest.parse(bytes.span, for: Self.target, &end) == Self.read(bytes.span))
  }

  // Otherwise a head in 65,536 pieces would occupy the loop for a long time.
  @Test func `is searched for its end once in each byte`() {
    let bytes = Array(Self.good.utf8)
    var end = LoopbackRequest.HeadEnd()
    #expect(LoopbackRequest.parse(bytes.span.extracting(..<(bytes.count - 1)), for: Self.target, &end) == .incomplete)
    // Examining these again would find empty lines, and no request.
    let changed = [UInt8](repeating: UInt8(ascii: "\n"), count: bytes.count - 2) + bytes.suffix(2)
    #expect(LoopbackRequest.parse(changed.span, for: Self.target, &end) == .refused(.malformed))
  }

  @Test(arguments: [
    "GET /favicon.ico HTTP/1.1", "GET / HTTP/1.1", "GET /as.example/ HTTP/1.1", "GET /as.exampl?code=c HTTP/1.1",
    "GET /AS.example?code=c HTTP/1.1", "GET /%61s.example HTTP/1.1", "GET //as.example HTTP/1.1",
    "GET /x?/as.example HTTP/1.1", "OPTIONS * HTTP/1.1",
    "GET http://127.0.0.1:8400 HTTP/1.1", "GET https://127.0.0.1:8400/as.example HTTP/1.1",
    "GET http://evil.example/as.example HTTP/1.1", "GET http://x@127.0.0.1:8400/as.example HTTP/1.1",
  ])
  func `of something else finds nothing`(line: String) {
    #expect(Self.read(line + "\r\nHost: 127.0.0.1:8400\r\n\r\n") == .refused(.notFound))
  }

  // RFC 9112 section 3.2.2: a proxy on this machine receives such targets, whose host overrides the field.
  @Test func `may have its target in absolute form`() {
    let text = "GET http://127.0.0.1:8400/as.example?code=c HTTP/1.1\r\nHost: proxy.example\r\n\r\n"
    #expect(Self.query(text) == "code=c")
    #expect(Self.query(text.replacing("http:", with: "HTTP:")) == "code=c")
    #expect(Self.read(text.replacing("Host: proxy.example\r\n", with: "")) == .refused(.malformed))
    let root = LoopbackTarget(hosts: ["127.0.0.1:8400"], path: "/")
    var end = LoopbackRequest.HeadEnd()
    let bytes = Array("GET http://127.0.0.1:8400?code=c HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n\r\n".utf8)
    #expect(LoopbackRequest.parse(bytes.span, for: root, &end) == .redirect(query: 26..<32))
  }

  @Test func `is told from the beginning of TLS by its first bytes`() {
    let isTLS = { (bytes: [UInt8]) in LoopbackRequest.isTLS(bytes.span) }
    #expect(isTLS([0x16, 0x03]) && isTLS([0x16, 0x03, 0x01, 0x02, 0x00]))
    #expect(!isTLS([0x16]) && !isTLS([]) && !isTLS(Array("GET".utf8)) && !isTLS([0x16, 0x02]))
  }

  // DNS rebinding: a page of another name must not reach the listener like the redirect.
  @Test(arguments: [
    "evil.example", "localhost:8400", "127.0.0.1", "127.0.0.1:8401", "[::1]:8400", "", "127.0.0.1:8400.x",
  ])
  func `under another name finds nothing`(host: String) {
    #expect(Self.read("GET /as.example?code=c HTTP/1.1\r\nHost: \(host)\r\n\r\n") == .refused(.notFound))
  }

  @Test(arguments: ["HEAD", "POST", "OPTIONS", "get", "GETX", "PUT"]) func `is a GET`(method: String) {
    #expect(
      Self.read("\(method) /as.example?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n\r\n")
        == .refused(.methodNotAllowed))
  }

  @Test(arguments: [
    "GET /as.example HTTP/2.0\r\nHost: 127.0.0.1:8400", "GET /as.example\r\nHost: 127.0.0.1:8400",
    "GET  /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400", " GET /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400",
    "GET /as.example HTTP/1.1", "GET /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400\r\nHost: 127.0.0.1:8400",
    "GET /as.example HTTP/1.1\r\nHost : 127.0.0.1:8400", "GET /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n folded",
    "GET /as.example HTTP/1.1\r\nHost: 127.0.0.1:8400\r\nnocolon", "GET /\u{7F} HTTP/1.1\r\nHost: 127.0.0.1:8400",
    "\u{16}\u{3}\u{1}\u{2}", "x", "GET /é HTTP/1.1\r\nHost: 127.0.0.1:8400",
  ])
  func `that breaks the grammar is refused`(text: String) {
    #expect(Self.read(text + "\r\n\r\n") == .refused(.malformed))
  }

  @Test func `has a limit on its head and on its fields`() {
    // Browsers send the cookies of all local programs.
    let cookies = "Cookie: \(String(repeating: "c=1; ", count: 9000))\r\n"
    let line =
      "GET /as.example?code=\(String(repeating: "x", count: 16_000)) HTTP/1.1\r\nHost: 127.0.0.1:8400\r\n" + cookies
    #expect(Self.query(line + "\r\n")?.utf8.count == 16_005)
    #expect(Self.read(line + "A: \(String(repeating: "y", count: 4500))\r\n\r\n") == .refused(.tooLarge))
    #expect(Self.read(String(repeating: "x", count: 65_535)) == .incomplete)
    #expect(Self.read(String(repeating: "x", count: 65_536)) == .refused(.tooLarge))
    #expect(
      Self.read(Self.good.dropLast() + String(repeating: "a:b\r\n", count: 126) + "\r\n") == .redirect(query: 16..<30))
    #expect(Self.read(Self.good.dropLast() + String(repeating: "a:b\r\n", count: 127) + "\r\n") == .refused(.malformed))
  }

  @Test func `with any bit flipped never does harm`() {
    let bytes = Array(Self.good.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        if case .redirect(let query) = Self.read(changed.span) {
          #expect(query.lowerBound >= 0 && query.upperBound <= changed.count)
        }
      }
    }
  }
}

@Suite struct `A page at the redirect URI` {
  @Test(arguments: LoopbackPage.allCases) func `is whole, inert and forgotten at once`(page: LoopbackPage) throws {
    let text = String(decoding: page.response(), as: UTF8.self)
    let parts = try #require(text.split(separator: "\r\n\r\n", maxSplits: 1).map { String($0) } as [String]?)
    #expect(parts.count == 2)
    for field in [
      "Content-Security-Policy: default-src 'none'", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff", "Connection: close",
      "Content-Length: \(parts[1].utf8.count)",
    ] {
      #expect(parts[0].contains("\r\n\(field)"), "\(field)")
    }
    for active in ["<script", "<img", "<link", "href", "src=", "onclick", "onload", "javascript"] {
      #expect(!parts[1].contains(active), "\(active)")
    }
    #expect(page.response().count < 2048)
    let style = try #require(parts[1].split(separator: "<style>").last?.split(separator: "</style>").first)
    let hash = Base64.encode(try Digest.sha256.hash(Array(style.utf8).span))
    #expect(parts[0].contains("; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'; frame-ancestors"))
  }

  // The page is shown before the code is exchanged, so it must not promise anything.
  @Test func `sends the person back to the terminal`() {
    for page in [LoopbackPage.received, .failed()] {
      let text = String(decoding: page.response(), as: UTF8.self)
      #expect(text.contains("terminal"))
      #expect(!text.lowercased().contains("signed in"))
    }
  }

  @Test func `is in the language of the terminal, with all that it says`() throws {
    let words = LoopbackPage.phrases.map { ($0.template, "«\($0.template)»") }
    let language = try #require(
      Translations(language: "xx-Latn", isRightToLeft: true, templates: Dictionary(words, uniquingKeysWith: { $1 })))
    let pages =
      LoopbackPage.allCases.map { $0.response(in: language) } + [
        LoopbackPage.signedInPage(to: "https://as.example", as: "Ann", account: "work", in: language),
        LoopbackPage.signedInPage(to: "https://as.example", as: nil, account: "work", on: "host", in: language),
        LoopbackPage.failed("no reason").response(in: language),
      ]
    for page in pages {
      let text = String(decoding: page, as: UTF8.self)
      #expect(text.contains("<html lang=\"xx-Latn\" dir=\"rtl\">"), "\(text)")
      for (start, end) in [("<title>", "</title>"), ("<h1>", "</h1>"), ("<p>", "</p>")] {
        #expect(text.contains("\(start)«") && text.contains("»\(end)"), "\(text)")
      }
    }
  }

  @Test func `gives the reason of a failure as text`() {
    let page = String(decoding: LoopbackPage.failed("denied (server: <b>&)").response(), as: UTF8.self)
    #expect(page.contains("<p>Reason: denied (server: &lt;b&gt;&amp;). Your terminal shows what to do"), "\(page)")
  }

  // The text comes from a request, even though its sender is the user.
  @Test func `shows translations as text`() throws {
    let language = try #require(
      Translations(language: "xx", isRightToLeft: false, templates: ["Signed in": "<b onclick='x'>"]))
    let page = String(decoding: LoopbackPage.signedInPage(to: "a", as: nil, account: "b", in: language), as: UTF8.self)
    #expect(page.contains("<h1>&lt;b onclick=&#39;x&#39;&gt;</h1>"), "\(page)")
  }
}

@Suite struct `Translations for another process` {
  @Test(arguments: ["", "e", "de\"><b", "de_DE", "dé", String(repeating: "a", count: 36)])
  func `have a language tag`(language: String) {
    #expect(Translations(language: language, isRightToLeft: false, templates: [:]) == nil)
  }

  @Test func `are few and short`() {
    let many = (0...Translations.maximumCount).map { ("\($0)", "text") }
    #expect(
      Translations(language: "de", isRightToLeft: false, templates: Dictionary(many, uniquingKeysWith: { $1 })) == nil)
    let long = String(repeating: "a", count: Translations.maximumTextBytes + 1)
    #expect(Translations(language: "de", isRightToLeft: false, templates: ["a": long]) == nil)
    #expect(Translations(language: "de-AT", isRightToLeft: false, templates: ["a": "b"])?.templates == ["a": "b"])
  }
}
