import Encoding
import Platform
import Testing

@testable import devissuer

@Suite struct `The server` {
  @Test func `a connection serves many requests (RFC 9112 section 9.3)`() throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    for _ in 0..<10 {
      let reply = try #require(try connection.request("GET", "/jwks"))
      #expect(reply.status == 200)
      #expect(reply[header: "Connection"] == "keep-alive")
      #expect(reply[header: "Date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
    }
    #expect(try connection.request("GET", "/control")?.json?["connections"]?.int == 1)
    #expect(try connection.request("GET", "/jwks", headers: ["Connection: close"])?[header: "Connection"] == "close")
    #expect(try connection.isClosed())
  }

  @Test func `requests that come together are answered in order`() throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    let host = "Host: 127.0.0.1:\(issuer.port)\r\n\r\n"
    try connection.send("GET /jwks HTTP/1.1\r\n\(host)GET /nothing HTTP/1.1\r\n\(host)")
    #expect(try connection.reply()?.status == 200)
    #expect(try connection.reply()?.status == 404)
  }

  @Test func `a client that waits for the go-ahead gets it (RFC 9110 section 10.1.1)`() throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send(
      "POST /token HTTP/1.1\r\nHost: 127.0.0.1:\(issuer.port)\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
    #expect(try connection.reply()?.status == 100)
    try connection.send("a")
    #expect(try connection.reply()?.status == 400)
  }

  @Test func `it answers to its own name only, against DNS rebinding`() throws {
    let issuer = try TestIssuer()
    for host in ["localhost:\(issuer.port)", "127.0.0.1", "attacker.example", "127.0.0.1:1"] {
      var connection = try HTTPConnection(port: issuer.port)
      try connection.send("GET /jwks HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(try connection.reply()?.status == 421, "\(host)")
    }
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send("GET /jwks HTTP/1.1\r\n\r\n")
    #expect(try connection.reply()?.status == 421)
  }

  @Test(
    arguments: [
      ("GET", "/token", 405, "POST"), ("POST", "/jwks", 405, "GET"), ("DELETE", "/device", 405, "GET, POST"),
      ("HEAD", "/resource", 405, "GET"), ("GET", "/", 404, nil), ("GET", "/token/", 404, nil),
      ("GET", "/.well-known/openid-configuration/x", 404, nil),
    ] as [(String, String, Int, String?)])
  func `other methods and places are refused`(method: String, path: String, status: Int, allow: String?) throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    let reply = try connection.request(method, path, body: method == "POST" ? "" : nil)
    #expect(reply?.status == status)
    #expect(reply?[header: "Allow"] == allow)
  }

  @Test func `a client that is slow in the middle of a request is dropped`() throws {
    let issuer = try TestIssuer(limits: IssuerConnection.Limits(request: .milliseconds(50)))
    var connection = try HTTPConnection(port: issuer.port)
    try connection.send("GET /jwks HTTP/1.1\r\n")
    #expect(try connection.isClosed())
  }

  @Test func `a client that says nothing is dropped`() throws {
    let issuer = try TestIssuer(limits: IssuerConnection.Limits(idle: .milliseconds(50)))
    var connection = try HTTPConnection(port: issuer.port)
    #expect(try connection.isClosed())
  }

  @Test func `connections end with the server`() throws {
    let issuer = try TestIssuer()
    var connection = try HTTPConnection(port: issuer.port)
    #expect(try connection.request("GET", "/jwks")?.status == 200)
    issuer.server.stop()
    #expect(try connection.isClosed())
  }

  @Test func `connections beyond the limit are turned away`() throws {
    let issuer = try TestIssuer()
    let idle = try IdleConnections(count: IssuerServer.connectionLimit, port: issuer.port)
    var last = try HTTPConnection(port: issuer.port)
    #expect(try last.reply()?.status == 503)
    #expect(idle.count == IssuerServer.connectionLimit)
  }

  @Test func `many clients at once get what is theirs`() async throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn()
    let token = try #require(first.refresh)
    let statuses = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 { group.addTask { (try? issuer.refresh(token).status) ?? 0 } }
      return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
    }
    // One of them was the first; all others reused its token.
    #expect(statuses == [200: 1, 400: 7])
    #expect(try issuer.counter("refreshes") == 1)
  }
}
