import Encoding
import TestSupport
import Testing

@testable import devissuer

@Suite struct `Resources that tell what they got` {
  /// Computed with sha256sum.
  private static let helloDigest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

  private func request(
    _ issuer: TestIssuer, _ method: String, _ path: String, _ headers: [String], _ content: String = ""
  ) throws -> Reply {
    var connection = try HTTPConnection(port: issuer.port)
    let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(issuer.port)"] + headers
    try connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + content)
    return try #require(try connection.reply(withContent: method != "HEAD"))
  }

  private func authorization(_ issuer: TestIssuer) throws -> String {
    "Authorization: Bearer \(try issuer.signIn().access)"
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"])
  func `method, path, fields and content come back, the token does not`(method: String) throws {
    let issuer = try TestIssuer()
    let headers = [try authorization(issuer), "X-Test: a", "X-Test: b", "Content-Length: 5"]
    let reply = try request(issuer, method, "/echo?a=1", headers, "hello")
    #expect(
      reply.json == [
        "subject": "user-alice", "method": .string(method), "path": "/echo", "query": "a=1",
        "headers": [
          "host": [.string("127.0.0.1:\(issuer.port)")], "x-test": ["a", "b"], "content-length": ["5"],
        ],
        "body_bytes": 5, "body_sha256": .string(Self.helloDigest),
      ])
    #expect(try issuer.counter("echoes") == 1)
  }

  @Test func `a token is needed`() throws {
    let issuer = try TestIssuer()
    #expect(try request(issuer, "PUT", "/echo", ["Content-Length: 0"]).status == 401)
  }

  @Test func `the answer to HEAD has no content (RFC 9110 section 9.3.2)`() throws {
    let issuer = try TestIssuer()
    let reply = try request(issuer, "HEAD", "/echo", [try authorization(issuer)])
    #expect(reply.status == 200 && reply.body.isEmpty)
    #expect(try #require(reply[header: "Content-Length"].flatMap { Int($0) }) > 0)
  }

  @Test func `a status and a long answer can be asked for`() throws {
    let issuer = try TestIssuer()
    let headers = [try authorization(issuer)]
    #expect(try request(issuer, "GET", "/echo?status=418", headers).status == 418)
    #expect(try request(issuer, "GET", "/echo?status=99", headers).status == 200)
    #expect(try request(issuer, "GET", "/echo?padding=100000", headers).body.count > 100_000)
  }

  @Test func `content may come in chunks (RFC 9112 section 7.1)`() throws {
    let issuer = try TestIssuer()
    let headers = [try authorization(issuer), "Transfer-Encoding: chunked"]
    let content = "2\r\nhe\r\n3;name=value\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"
    let reply = try request(issuer, "POST", "/echo", headers, content)
    #expect(reply.json?["body_bytes"]?.int == 5 && reply.json?["body_sha256"]?.string == Self.helloDigest)
  }

  @Test func `more content is taken here than elsewhere, and not without end`() throws {
    let issuer = try TestIssuer()
    let headers = [try authorization(issuer), "Content-Length: 1000000"]
    let reply = try request(issuer, "POST", "/echo", headers, String(repeating: "x", count: 1_000_000))
    #expect(reply.json?["body_bytes"]?.int == 1_000_000)
    let limit = 8 << 20
    #expect(try request(issuer, "POST", "/echo", ["Content-Length: \(limit + 1)"]).status == 413)
  }

  @Test func `a redirect leads to another server`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.get("/redirect")
    #expect(first.status == 307 && first[header: "Location"] == "http://resource.invalid/")
    try issuer.control("redirect_to=https://other.example/x")
    let second = try request(issuer, "POST", "/redirect?status=302", ["Content-Length: 0"])
    #expect(second.status == 302 && second[header: "Location"] == "https://other.example/x")
    #expect(try issuer.counter("redirects") == 2)
  }
}
