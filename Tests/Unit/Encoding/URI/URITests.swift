import Encoding
import Testing

@Suite struct `URIs (RFC 3986)` {
  private func error(_ text: String) -> URIError? {
    do throws(URIError) {
      _ = try URI(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the parts are found and the text is kept`() throws {
    let uri = try URI("HTTPS://As.Example:8443/a/b%2f;c?x=1&y=/?#top?/")
    #expect(uri.text == "HTTPS://As.Example:8443/a/b%2f;c?x=1&y=/?#top?/")
    #expect(uri.scheme == "HTTPS")
    #expect(uri.host == "As.Example")
    #expect(uri.port == 8443)
    #expect(uri.path == "/a/b%2f;c")
    #expect(uri.query == "x=1&y=/?")
    #expect(uri.fragment == "top?/")
    #expect(uri.isHTTPS)
    #expect(uri.hasScheme("https"))
    #expect(uri.origin == "https://as.example:8443")
  }

  @Test func `absent parts and empty parts differ`() throws {
    let bare = try URI("https://as.example")
    #expect(bare.path == "")
    #expect(bare.port == nil)
    #expect(bare.query == nil)
    #expect(bare.fragment == nil)
    let empty = try URI("https://as.example/?#")
    #expect(empty.path == "/")
    #expect(empty.query == "")
    #expect(empty.fragment == "")
    #expect(try URI("https://as.example?q").query == "q")
    #expect(try URI("https://as.example#f?x").query == nil)
    #expect(try URI("https://as.example#f?x").fragment == "f?x")
  }

  @Test func `nothing is normalized when comparing`() throws {
    #expect(try URI("https://as.example") == URI("https://as.example"))
    #expect(try URI("https://as.example") != URI("https://as.example/"))
    #expect(try URI("https://as.example") != URI("https://AS.example"))
    #expect(try URI("https://as.example") != URI("https://as.example:443"))
    #expect(try URI("https://as.example/a/../b").path == "/a/../b")
  }

  @Test func `only two addresses and localhost over plain http are loopback (RFC 8252 section 7.3)`() throws {
    for text in [
      "http://127.0.0.1:51004/callback", "http://[::1]:51004/callback", "HTTP://127.0.0.1", "http://LocalHost:80/",
    ] {
      #expect(try URI(text).isHTTPLoopback, "\(text)")
      #expect(try !URI(text).isHTTPS)
    }
    let others = [
      "https://127.0.0.1/", "https://localhost/", "http://localhost./", "http://a.localhost/", "http://127.0.0.2/",
      "http://127.0.0.1.example/", "http://127.1/",
      "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/", "http://127.0.0.1./",
    ]
    for text in others {
      #expect(try !URI(text).isHTTPLoopback, "\(text)")
    }
  }

  static let hosts = [
    "a", "as.example", "as.example.", "xn--bcher-kva.example", "my_host", "1.2.3.4", "[::]", "[::1]", "[1::]",
    "[2001:db8::8:800:200C:417A]", "[1:2:3:4:5:6:7:8]", "[1::8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
    "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:1.2.3.4]",
  ]

  @Test(arguments: hosts) func `a host of each kind is accepted, with and without a port`(host: String) throws {
    #expect(try URI("https://\(host)").host == host)
    #expect(try URI("https://\(host)/p").port == nil)
    #expect(try URI("https://\(host):65535/p").port == 65_535)
    #expect(try URI("https://\(host):65535/p").host == host)
  }

  static let badHosts = [
    "a..b", ".a", ".", "a b", "a%41", "a!b", "a\"", "a\\b", "[", "[]", "[::1", "[::1]x", "[1]", "[:::]", "[1::2::3]",
    "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[::1:2:3:4:5:6:7:8]", "[12345::]", "[g::]",
    "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[1.2.3.4::]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[v1.x]",
    "[:1]", "[1:]", "[::1:]", "a]", String(repeating: "a", count: 64), String(repeating: "abcdefg.", count: 32),
  ]

  @Test(arguments: badHosts) func `a malformed host is refused`(host: String) {
    let expected: URIError = host.contains(" ") ? .invalidCharacter : .invalidHost
    #expect(error("https://\(host)/") == expected)
  }

  @Test func `a user name or password is refused (RFC 9110 section 4.2.4)`() {
    #expect(error("https://user@as.example/") == .userinfoPresent)
    #expect(error("https://user:password@as.example/") == .userinfoPresent)
    #expect(error("https://@as.example/") == .userinfoPresent)
    #expect(error("https://as.example@evil.example") == .userinfoPresent)
    #expect(error("https://127.0.0.1:80@evil.example/") == .userinfoPresent)
    #expect(error("https://as.example/user@host?a@b#c@d") == nil)
  }

  @Test func `a relative reference or a missing scheme is refused (section 3.1)`() {
    let texts = ["", "/a", "as.example", "//as.example", "https//a", "://a", "1https://a", "+a://b", "ht_tp://a"]
    for text in texts {
      #expect(error(text) == .noScheme, "\(text)")
    }
  }

  @Test func `a missing host is refused (section 3.2)`() {
    let texts = [
      "https:", "https:/", "https://", "https:///a", "https://?q", "https://#f", "https://:443", "mailto:a@b",
    ]
    for text in texts {
      #expect(error(text) == .noHost, "\(text)")
    }
    #expect(error("https:as.example") == .noHost)
  }

  @Test func `a port is a plain number from 1 to 65535`() {
    for port in ["", "0", "00", "080", "65536", "99999999999999999999", "-1", "+1", "8a", "1:2", "%38"] {
      #expect(error("https://as.example:\(port)/") == .invalidPort, "\(port)")
    }
    #expect(error("https://[::1]:/") == .invalidPort)
  }

  @Test func `characters that a URI cannot have are refused`() {
    for character in " \t\n\r\0\u{7F}\"<>\\^`{|}[]é\u{202E}" {
      #expect(error("https://as.example/a\(character)b") == .invalidCharacter, "\(character)")
      #expect(error("https://as.example/?a\(character)b") == .invalidCharacter, "\(character)")
      #expect(error("https://as.example/#a\(character)b") == .invalidCharacter, "\(character)")
    }
    #expect(error("https://as.example/#a#b") == .invalidCharacter)
    #expect(error(" https://as.example/") == .invalidCharacter)
    #expect(error("https://as.example/\n") == .invalidCharacter)
  }

  @Test func `a percent sign needs two hexadecimal digits (section 2.1)`() {
    for part in ["%", "%4", "%4g", "%%41", "a%"] {
      #expect(error("https://as.example/\(part)") == .invalidPercentEncoding, "\(part)")
      #expect(error("https://as.example/?\(part)") == .invalidPercentEncoding, "\(part)")
      #expect(error("https://as.example/%41?\(part)#41") == .invalidPercentEncoding, "\(part)")
      #expect(error("https://as.example/#\(part)") == .invalidPercentEncoding, "\(part)")
    }
  }

  @Test func `the length is limited to 2048 bytes`() {
    let start = "https://as.example/"
    let longest = start + String(repeating: "a", count: 2048 - start.utf8.count)
    #expect(error(longest) == nil)
    #expect(error(longest + "a") == .tooLong)
  }

  @Test func `an origin has lower case and no default port (RFC 6454 section 6.2)`() throws {
    #expect(try URI("https://AS.example:443/a?b#c").origin == "https://as.example")
    #expect(try URI("http://[2001:DB8::1]:80/").origin == "http://[2001:db8::1]")
    #expect(try URI("https://as.example:80").origin == "https://as.example:80")
    #expect(try URI("http://as.example:443").origin == "http://as.example:443")
  }

  @Test func `fields are added to a query that is kept (RFC 6749 section 3.1)`() throws {
    let pairs = [("scope", "openid profile"), ("state", "a&b")]
    let added = "scope=openid+profile&state=a%26b"
    #expect(try URI("https://as.example").appendingQuery(pairs) == "https://as.example?\(added)")
    #expect(try URI("https://as.example/a?").appendingQuery(pairs) == "https://as.example/a?\(added)")
    #expect(try URI("https://as.example/a?x=%2f").appendingQuery(pairs) == "https://as.example/a?x=%2f&\(added)")
    #expect(try URI("https://as.example/a?x#f?g").appendingQuery(pairs) == "https://as.example/a?x&\(added)#f?g")
    #expect(try URI("https://as.example/a#f").appendingQuery(pairs) == "https://as.example/a?\(added)#f")
    #expect(try URI("https://as.example/a#").appendingQuery([]) == "https://as.example/a#")
  }

  @Test func `a URI that is cut off inside its host or port is refused`() {
    let start = "https://[2001:db8::1]"
    let whole = start + ":8443/a"
    for length in 0..<start.utf8.count {
      #expect(error(String(whole.prefix(length))) != nil, "cut at \(length)")
    }
    #expect(error(start) == nil)
    #expect(error(start + ":") == .invalidPort)
    #expect(error(whole) == nil)
  }
}
