import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing

@Suite struct `What is sent` {
  @Test func `a GET has exactly these header fields`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    _ = try client().send(get(server.url("/a/../b%20c?x=1&y=%2F")))
    let expected = ReceivedRequest(
      line: "GET /a/../b%20c?x=1&y=%2F HTTP/1.1",
      headers: [
        "Host: 127.0.0.1:\(server.port)", "User-Agent: agent-test/1", "Accept: application/json",
        "Accept-Encoding: identity",
      ], body: "")
    #expect(server.requests == [expected])
  }

  @Test func `a POST carries the form and the authorization`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    var request = try post(server.url("/token?tenant=a"), form: "refresh_token=abc%2B")
    request.authorization = try secret("Basic YTpi")
    request.accept = "application/jwt"
    _ = try client().send(request)
    let expected = ReceivedRequest(
      line: "POST /token?tenant=a HTTP/1.1",
      headers: [
        "Host: 127.0.0.1:\(server.port)", "User-Agent: agent-test/1", "Accept: application/jwt",
        "Accept-Encoding: identity",
        "Authorization: Basic YTpi", "Content-Length: 20", "Content-Type: application/x-www-form-urlencoded",
      ], body: "refresh_token=abc%2B")
    #expect(server.requests == [expected])
  }

  @Test func `a large form arrives whole and without waiting for a 100 Continue`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let form = "a=" + String(repeating: "x", count: 200_000)
    _ = try client().send(post(server.url(), form: form))
    #expect(server.requests.map(\.body) == [form])
    #expect(server.requests.first?.values("Expect") == [])
  }

  @Test func `an empty form is sent as such`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    _ = try client().send(post(server.url(), form: ""))
    #expect(server.requests.map(\.body) == [""])
    #expect(server.requests.first?.values("Content-Length") == ["0"])
  }

  @Test(arguments: ["a\r\nX: y", "a\ny", "a\0b"])
  func `a field value that could end its line is refused`(value: String) throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    #expect(throws: HTTPFailure(.setup)) {
      var request = try get(server.url())
      request.authorization = try secret(value)
      _ = try client().send(request)
    }
    #expect(server.connections == 0)
  }

  @Test func `cookies are neither shown nor sent back`() throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(headers: ["Set-Cookie: a=b; Path=/", "X-Kept: 1"]) }
    }
    let client = client()
    let first = try client.send(get(server.url()))
    _ = try client.send(get(server.url()))
    #expect(first.headers["Set-Cookie"] == nil)
    #expect(first.headers["X-Kept"] == "1")
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.values("Cookie").isEmpty })
  }

  // RFC 6749 section 3.1: only https. Plain http is for development, if the account allows it.
  @Test func `plain http is refused when the transport does not allow it`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    #expect(throws: HTTPFailure(.setup)) { try client().send(get(server.url(), transport: Transport())) }
    #expect(server.connections == 0)
  }

  @Test(arguments: [
    "sha256//AAAA", "/etc/passwd", "sha256//" + String(repeating: "A", count: 43) + "=;x", "sha256//",
    "sha512//" + String(repeating: "A", count: 43) + "=",
  ])
  func `a malformed pin is refused`(pin: String) throws {
    var transport = plainTransport()
    transport.pins = [pin]
    #expect(throws: HTTPFailure(.setup)) { try client().send(get("https://127.0.0.1:1/", transport: transport)) }
  }
}
