import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing

@Suite struct `What comes back` {
  @Test(arguments: [200, 204, 400, 401, 404, 429, 500, 503])
  func `every status is a response`(status: Int) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      let type = "Content-Type: application/json; charset=utf-8"
      try $0.respond(status, headers: [type], body: status == 204 ? "" : "{}")
    }
    let response = try client().send(post(server.url()))
    #expect(response.status == status)
    #expect(response.headers.mediaType == "application/json")
    #expect(response.body.text == (status == 204 ? "" : "{}"))
  }

  @Test func `a body in chunks of one byte is put together`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for byte in "{\"access_token\":\"abc\"}".utf8 { try $0.write(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
      try $0.write("0\r\nX-Trailer: 1\r\n\r\n")
    }
    let response = try client().send(post(server.url()))
    #expect(response.body.text == "{\"access_token\":\"abc\"}")
    // A trailer is not a header field (RFC 9110 section 6.5.1).
    #expect(response.headers["X-Trailer"] == nil)
  }

  @Test func `an interim response is left out`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
      try $0.respond(headers: ["X-Late: 1"])
    }
    let response = try client().send(get(server.url()))
    #expect(response.status == 200)
    #expect(response.headers["X-Early"] == nil)
    #expect(response.headers["X-Late"] == "1")
  }

  // Compression is declined, so that a small response cannot inflate to a large one.
  @Test func `a compressed body is left as it is`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond(headers: ["Content-Encoding: gzip"], body: "no gzip")
    }
    #expect(try client().send(get(server.url())).body.text == "no gzip")
    #expect(server.requests.first?.values("Accept-Encoding") == ["identity"])
  }

  @Test func `a body of exactly the limit is taken`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond(body: String(repeating: "x", count: 5000))
    }
    #expect(try client().send(get(server.url(), limit: 5000)).body.count == 5000)
  }

  @Test func `an announced body over the limit is refused`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond(body: String(repeating: "x", count: 5001))
    }
    #expect(throws: answered(.tooLarge)) { try client().send(get(server.url(), limit: 5000)) }
  }

  @Test func `a body without end is cut off at the limit`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while true { try $0.write("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") }
    }
    #expect(throws: answered(.tooLarge)) { try client().send(get(server.url())) }
  }

  @Test func `too many header fields are refused`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond(headers: (1...128).map { "X-\($0): 1" })
    }
    #expect(throws: answered(.tooLarge)) { try client().send(get(server.url())) }
  }

  private static let long = String(repeating: "x", count: 4096)

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n", "Set-Cookie: \(long)\r\n"), ("HTTP/1.1 200 ", long), ("HTTP/1.1 200 OK\r\nX: ", long),
    ("HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n"),
  ])
  func `a header, a line of it or interim responses without end are cut off`(start: String, rest: String) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write(start)
      while true { try $0.write(rest) }
    }
    #expect(throws: answered(.tooLarge)) { try client().send(get(server.url())) }
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "{\"access_token\":\"a\"}\n", "HTTP/1.1 200 OK\r\nNo colon here\r\n\r\n",
    "HTTP/1.1 200 OK\r\nBad name: 1\r\n\r\n",
  ])
  func `an answer that is not HTTP is malformed`(answer: String) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write(answer)
      try $0.waitForEnd()
    }
    #expect(throws: answered(.malformed)) { try client().send(post(server.url())) }
  }
}
