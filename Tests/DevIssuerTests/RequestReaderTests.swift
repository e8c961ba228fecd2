import Testing

@testable import devissuer

@Suite struct `Reading requests` {
  private static let post = """
    POST /token?x=1 HTTP/1.1\r
    Host: 127.0.0.1:1\r
    Content-Type: application/x-www-form-urlencoded; charset=utf-8\r
    Content-Length: 5\r
    \r
    a=b&c
    """

  private func read(_ text: String) throws(RequestError) -> Request? {
    var reader = RequestReader()
    reader.append(Array(text.utf8))
    return try reader.next()
  }

  private func head(_ lines: String...) -> String {
    (["GET / HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test func `a whole request is read with its parts`() throws {
    let request = try #require(try read(Self.post))
    #expect(request.method == .post)
    #expect(request.path == "/token")
    #expect(request.head.query == "x=1")
    #expect(request.headers["host"] == "127.0.0.1:1")
    #expect(request.mediaType == "application/x-www-form-urlencoded")
    #expect(request.body == Array("a=b&c".utf8))
    #expect(request.head.keepsAlive)
  }

  @Test func `no part of a request is taken for a whole one`() throws {
    let bytes = Array(Self.post.utf8)
    for count in 0..<bytes.count {
      var reader = RequestReader()
      reader.append(Array(bytes[..<count]))
      #expect(try reader.next() == nil, "\(count) bytes")
    }
  }

  @Test func `it does not matter where the stream is cut`() throws {
    let bytes = Array((Self.post + Self.post).utf8)
    for count in 0..<bytes.count {
      var reader = RequestReader()
      var found: [Request] = []
      for part in [bytes[..<count], bytes[count...]] {
        reader.append(Array(part))
        while let request = try reader.next() { found.append(request) }
      }
      #expect(found.count == 2, "cut at \(count)")
      #expect(Set(found).count == 1)
      #expect(reader.isIdle)
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\n\n\r\n\r\n",  // RFC 9112 section 2.2: CR LF ends a line
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n",  // section 5.1: no space before the colon
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",  // section 5.2
    "GET / HTTP/1.1\r\nHost: a\u{1}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
    "GET / HTTP/1.1\r\n: a\r\n\r\n",
    "GET  / HTTP/1.1\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\n\r\n",
    "GET /\u{e9} HTTP/1.1\r\n\r\n",
    "GET /\r\n\r\n",
    "\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\nabcde",  // section 6.2: digits only
    "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",  // section 6.3
    "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
  ])
  func `malformed requests are refused`(text: String) {
    #expect(throws: RequestError.malformed) { try read(text) }
  }

  @Test func `a transfer coding is refused`() {
    #expect(throws: RequestError.transferCodingNotSupported) {
      try read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nabcde")
    }
  }

  @Test func `other versions are refused`() {
    #expect(throws: RequestError.versionNotSupported) { try read("GET / HTTP/2.0\r\n\r\n") }
  }

  @Test func `a POST without a length is refused`() {
    #expect(throws: RequestError.lengthRequired) { try read("POST / HTTP/1.1\r\n\r\n") }
  }

  @Test func `content of 64 KiB is read and one byte more is refused`() throws {
    let body = String(repeating: "x", count: RequestReader.bodyLimit)
    let request = try read("POST / HTTP/1.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(request?.body.count == RequestReader.bodyLimit)
    #expect(throws: RequestError.bodyTooLarge) {
      try read("POST / HTTP/1.1\r\nContent-Length: \(RequestReader.bodyLimit + 1)\r\n\r\n")
    }
  }

  @Test func `a head without an end is refused at its limit`() throws {
    var reader = RequestReader()
    reader.append(Array("GET / HTTP/1.1\r\nX: ".utf8))
    reader.append([UInt8](repeating: UInt8(ascii: "x"), count: RequestReader.headLimit))
    #expect(throws: RequestError.headTooLarge) { try reader.next() }
  }

  @Test func `too many header fields are refused`() throws {
    let fields = [String](repeating: "X: y", count: HeaderFields.limit).joined(separator: "\r\n")
    #expect(try read("GET / HTTP/1.1\r\n\(fields)\r\n\r\n") != nil)
    #expect(throws: RequestError.headTooLarge) { try read("GET / HTTP/1.1\r\n\(fields)\r\nX: y\r\n\r\n") }
  }

  @Test func `a connection is kept as RFC 9112 section 9.3 says`() throws {
    #expect(try read(head())?.head.keepsAlive == true)
    #expect(try read(head("Connection: Close"))?.head.keepsAlive == false)
    #expect(try read("GET / HTTP/1.0\r\n\r\n")?.head.keepsAlive == false)
    #expect(try read("GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n")?.head.keepsAlive == true)
  }

  @Test func `a client that waits for the go-ahead gets it once`() throws {
    var reader = RequestReader()
    reader.append(Array("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n".utf8))
    #expect(try reader.next() == nil)
    let answers = [reader.takeContinue(), reader.takeContinue()]
    #expect(answers == [true, false])
    reader.append([0x61])
    #expect(try reader.next()?.body == [0x61])
  }
}
