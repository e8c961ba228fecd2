import Testing

@testable import devissuer

// RFC 9112.
@Suite struct `Requests` {
  /// The status of the response to these bytes; `HOST` becomes the issuer's name.
  private func status(_ text: String) throws -> Int? {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send(text.replacing("HOST", with: "127.0.0.1:\(issuer.port)"))
    return try connection.reply()?.status
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\nHost: a\n\n\r\n\r\n", 400),  // section 2.2: CR LF ends a line
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),  // section 5.1: no space before the colon
    ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),  // section 5.2
    ("GET / HTTP/1.1\r\nHost: a\u{1}\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n: a\r\n\r\n", 400), ("GET  / HTTP/1.1\r\n\r\n", 400), ("GET http://a/ HTTP/1.1\r\n\r\n", 400),
    ("GET /\u{e9} HTTP/1.1\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("\r\n\r\n", 400),
    // Section 6.2: one length, in digits.
    ("POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    ("POST /token HTTP/1.1\r\n\r\n", 411), ("POST /token HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", 413),
    ("POST /token HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501), ("GET / HTTP/3.0\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 65) + "\r\n", 431),
    ("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400),
  ])
  func `that cannot be read are refused, and end the connection`(text: String, status wanted: Int) throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send(text)
    let reply = try #require(try connection.reply())
    #expect(reply.status == wanted && reply[header: "Connection"] == "close")
  }

  // Section 7.1.
  @Test(arguments: [
    ("5\r\nhello\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nA: b\r\n\r\n", 401), ("\r\n", 400), ("g\r\n", 400), ("-1\r\n", 400),
    ("+5\r\nhello\r\n", 400), ("0x5\r\n", 400), ("5\nhello\r\n0\r\n\r\n", 400), ("5\r\nhelloX\r\n", 400),
    ("123456789\r\n", 400), (";x\r\n", 400), ("5 \r\n", 400), ("800001\r\n", 413), ("ffffffff\r\n", 413),
    ("0\r\n" + String(repeating: "A: " + String(repeating: "x", count: 997) + "\r\n", count: 5), 431),
  ])
  func `with content in chunks are read to their end`(chunks: String, status wanted: Int) throws {
    #expect(
      try status("POST /echo HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)") == wanted)
  }

  @Test func `of 64 KiB are read`() throws {
    let body = String(repeating: "x", count: 65_536)
    // A form has a separate limit.
    #expect(try status("POST /token HTTP/1.1\r\nHost: HOST\r\nContent-Length: 65536\r\n\r\n\(body)") == 400)
  }

  @Test func `may be cut at any place`() throws {
    let issuer = try TestIssuer()
    let text = "POST /echo?x=1 HTTP/1.1\r\nHost: 127.0.0.1:\(issuer.port)\r\nContent-Length: 3\r\n\r\nabc"
    var connection = try HTTPConnection(port: issuer.port)
    for count in 0..<text.count {
      try connection.send(String(text.prefix(count)))
      try connection.send(String(text.dropFirst(count)))
      #expect(try connection.reply()?.status == 401, "cut at \(count)")
    }
  }

  // Section 9.3.
  @Test(arguments: [
    ("HTTP/1.1\r\n", "keep-alive"), ("HTTP/1.1\r\nConnection: Close\r\n", "close"), ("HTTP/1.0\r\n", "close"),
    ("HTTP/1.0\r\nConnection: x, Keep-Alive\r\n", "keep-alive"),
  ])
  func `say whether the connection is kept`(rest: String, wanted: String) throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send("GET /jwks \(rest)Host: 127.0.0.1:\(issuer.port)\r\n\r\n")
    #expect(try connection.reply()?[header: "Connection"] == wanted)
  }
}

@Suite struct `What users and clients write` {
  // RFC 8628 section 6.1.
  @Test(arguments: ["BCDF-GHJK", "bcdfghjk", " b c d f - g h j k ", "BCDF--GHJK"])
  func `is a user code in any case and punctuation`(typed: String) {
    #expect(UserCode.read(typed) == "BCDF-GHJK")
  }

  @Test(arguments: ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "BCDF-GHJ\u{212A}", "BCDF-GHJ\u{301}"])
  func `is no user code with other letters`(typed: String) {
    #expect(UserCode.read(typed) == nil)
  }

  // RFC 6749 section 3.3.
  @Test func `is a scope of distinct values in their order`() {
    #expect(IssuerParameters.scope("b a b") == ["b", "a"])
    let values = (0..<65).map { "s\($0)" }
    #expect(IssuerParameters.scope(values.prefix(64).joined(separator: " ")) != nil)
    #expect(IssuerParameters.scope(values.joined(separator: " ")) == nil)
  }

  @Test(arguments: ["", " ", "a  b", " a", "a ", "a\"b", "a\\b", "a\tb", "\u{e9}"])
  func `is no scope in another form`(text: String) {
    #expect(IssuerParameters.scope(text) == nil)
  }

  @Test func `is escaped in pages`() {
    #expect(Page.escaped("<&>\"'é") == "&lt;&amp;&gt;&quot;&#39;é")
  }
}
