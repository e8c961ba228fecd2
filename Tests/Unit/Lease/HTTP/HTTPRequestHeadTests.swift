import Testing

@testable import Lease

// RFC 9112.
@Suite struct `The head of a peer's request` {
  private static func read(_ text: String) throws -> HTTPRequestHead {
    let bytes = Array(text.utf8)
    let end = try #require(try HTTPRequestHead.length(in: bytes, from: 0), "the head is not whole")
    return try HTTPRequestHead(bytes[..<end])
  }

  private static func problem(_ text: String) -> HTTPRequestHead.Problem? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error as? HTTPRequestHead.Problem
    }
  }

  @Test func `is read in one piece, and in any`() throws {
    let text =
      "POST /v1/x?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-Some:  a b \r\nConnection: close\r\n\r\nrest"
    let head = try Self.read(text)
    #expect(head.method == "POST" && head.target == "/v1/x?a=b" && head.content == .length(5) && head.closesConnection)
    #expect(head.fields.map(\.name) == ["Host", "Content-Length", "X-Some", "Connection"])
    #expect(head.fields[2].value == "a b" && !head.expectsContinue)
    for cut in 0..<text.utf8.count - 4 {
      let part = Array(text.utf8.prefix(cut))
      #expect(try HTTPRequestHead.length(in: part, from: max(0, cut - 2)) == nil, "\(cut)")
    }
    #expect(try HTTPRequestHead.length(in: Array(text.utf8), from: 30) == text.utf8.count - 4)
  }

  @Test func `tells what content follows, and whether the client waits before it`() throws {
    let start = "PUT / HTTP/1.1\r\nHost: a\r\n"
    #expect(try Self.read(start + "\r\n").content == .none)
    #expect(try Self.read(start + "Content-Length: 0\r\n\r\n").content == .none)
    #expect(try Self.read(start + "Transfer-Encoding: Chunked\r\n\r\n").content == .chunked)
    let waits = try Self.read(start + "Content-Length: 007\r\nExpect: 100-Continue\r\n\r\n")
    #expect(waits.content == .length(7) && waits.expectsContinue)
  }

  // RFC 9112 sections 2.2, 3, 5, 6, 11.2.
  @Test(arguments: [
    "GET / HTTP/1.0\r\nHost: a\r\n", "GET / HTTP/2\r\nHost: a\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n",
    "GET / HTTP/1.1 \r\nHost: a\r\n", " GET / HTTP/1.1\r\nHost: a\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n",
    "GET * HTTP/1.1\r\nHost: a\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", "G\u{0}T / HTTP/1.1\r\nHost: a\r\n",
    "GET /\u{1} HTTP/1.1\r\nHost: a\r\n", "GET /é HTTP/1.1\r\nHost: a\r\n", "GET /#a HTTP/1.1\r\nHost: a\r\n",
    "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost : a\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n", "GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX\r\n", "GET / HTTP/1.1\r\nHost: a\r\n: a\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX(: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}\r\n", "GET / HTTP/1.1\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n",
    "GET / HTTP/1.1\r\nHost: a\rX: b\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n",
  ])
  func `is refused if two readers could take it for different requests`(head: String) {
    #expect(Self.problem(head + "\r\n") == .malformed)
  }

  @Test(arguments: [
    "Upgrade: websocket\r\nConnection: Upgrade", "Connection: keep-alive, upgrade", "HTTP2-Settings: a",
    "Expect: something", "Content-Type: application/grpc", "content-type: Application/GRPC+proto",
    "Content-Type: application/grpc;charset=utf-8",
  ])
  func `is refused if it asks for another protocol`(fields: String) {
    #expect(Self.problem("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") == .unsupported)
  }

  // RFC 9113 section 3.4.
  @Test func `is refused at the start of HTTP/2, and not for gRPC's form for browsers`() throws {
    #expect(Self.problem("PRI * HTTP/2.0\r\n\r\n") == .unsupported)
    #expect(try Self.read("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc-web\r\n\r\n").method == "POST")
  }

  @Test func `has a limit of bytes and of fields`() {
    let many = (0...100).map { "X\($0): a\r\n" }.joined()
    #expect(Self.problem("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n") == .tooLarge)
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: HTTPRequestHead.maximumBytes)
    #expect(throws: HTTPRequestHead.Problem.tooLarge) { try HTTPRequestHead.length(in: long, from: 0) }
  }
}

@Suite struct `Content in chunks` {
  private static func read(_ text: String, inPiecesOf size: Int) throws -> (content: String, rest: String, ended: Bool)
  {
    var (chunks, bytes, content) = (HTTPChunks(), [UInt8](), [UInt8]())
    var input = Array(text.utf8)[...]
    while !input.isEmpty {
      bytes += input.prefix(size)
      input = input.dropFirst(size)
      while true {
        let piece = try chunks.consume(&bytes, upTo: 3)
        if piece.isEmpty { break }
        content += piece
      }
    }
    return (String(decoding: content, as: UTF8.self), String(decoding: bytes, as: UTF8.self), chunks.hasEnded)
  }

  @Test(arguments: 1...20) func `is read in pieces of any size, up to its end`(size: Int) throws {
    let found = try Self.read("5\r\nhello\r\n00b\r\n, you there\r\n0\r\n\r\nGET /", inPiecesOf: size)
    #expect(found.content == "hello, you there" && found.ended && found.rest == "GET /")
  }

  // RFC 9112 section 7.1.
  @Test(arguments: [
    "5;a=b\r\nhello\r\n", "5 \r\nhello\r\n", "-1\r\n", "+5\r\nhello\r\n", "0x5\r\nhello\r\n", "\r\n", "g\r\n",
    "5\nhello\n",
    "5\r\nhelloX\r\n", "5\r\nhello\n0\r\n\r\n", "fffffffff\r\n", "0\r\nTrailer: a\r\n\r\n", "1234567890",
  ])
  func `is refused if two readers could take it for different content`(text: String) {
    #expect(throws: HTTPChunks.Problem.self) { try Self.read(text, inPiecesOf: 100) }
  }
}
