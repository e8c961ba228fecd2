import OAuth
import Testing

@Suite struct `A header that the caller of a resource chooses` {
  @Test(arguments: [
    ("Accept: text/html", "Accept", "text/html"), ("X-Empty:", "X-Empty", ""), ("A:b", "A", "b"),
    ("A: \t b c \t", "A", "b c"), ("Cookie: a=b; c=d", "Cookie", "a=b; c=d"), ("A: schön", "A", "schön"),
    ("A: b:c", "A", "b:c"), ("A: tab\there", "A", "tab\there"),
  ])
  func `has a name and a value`(line: String, name: String, value: String) throws {
    let field = try ResourceField(line)
    #expect(field.name == name)
    #expect(field.value == value)
  }

  // RFC 9110 section 5.5: a line break would begin another field.
  @Test(arguments: [
    "", ":", ": x", "no colon", "A b: c", "A : b", "A\r: b", "A: b\rc", "A: b\nX: y", "A: b\r\nX: y", "A: \u{0}",
    "A: \u{7F}", "A: \u{1B}[2J", "ä: b", "\"A\": b", "A\n: b", "A: b\n",
  ])
  func `that is none is refused`(line: String) {
    #expect(throws: ResourceField.Problem.malformed) { try ResourceField(line) }
  }

  @Test(arguments: [
    "Authorization", "authorization", "AUTHORIZATION", "DPoP", "Host", "Content-Length", "Transfer-Encoding",
    "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade", "Expect", "HTTP2-Settings", "Proxy-Authorization",
    "proxy-connection",
  ])
  func `is not one that this program writes`(name: String) {
    #expect(throws: ResourceField.Problem.reserved(name)) { try ResourceField("\(name): x") }
    #expect(throws: ResourceField.Problem.reserved(name)) { try ResourceField("\(name):") }
  }

  @Test func `has limits`() throws {
    let name = String(repeating: "n", count: ResourceField.maximumNameBytes)
    let value = String(repeating: "v", count: ResourceField.maximumValueBytes)
    #expect(try ResourceField("\(name): \(value)").value == value)
    #expect(throws: ResourceField.Problem.malformed) { try ResourceField("\(name)n: v") }
    #expect(throws: ResourceField.Problem.malformed) { try ResourceField("n: \(value)v") }
    let most = Array(repeating: "A: b", count: ResourceField.maximumCount)
    #expect(try ResourceField.fields(most).count == ResourceField.maximumCount)
    #expect(throws: ResourceField.Problem.tooMany) { try ResourceField.fields(most + ["A: b"]) }
    #expect(throws: ResourceField.Problem.tooMany) {
      try ResourceField.fields(Array(repeating: "A: \(value)", count: 8))
    }
  }
}

@Suite struct `The method of a request` {
  @Test(arguments: ["GET", "get", "POST", "PROPFIND", "M-SEARCH", "X!#$%&'*+.^_`|~"]) func `is a token`(text: String) {
    #expect(ResourceMethod(text)?.text == text)
  }

  // RFC 9110 sections 9.3.6 and 9.3.8.
  @Test(arguments: [
    "", "G T", "GET\r\n", "GET /", "GËT", "CONNECT", "connect", "TRACE", "Trace", "A(B", "A:B",
    String(repeating: "A", count: 33),
  ])
  func `is no tunnel, no echo and nothing else`(text: String) {
    #expect(ResourceMethod(text) == nil)
  }

  // RFC 9110 section 9.2.1.
  @Test func `is safe for three of them`() {
    #expect(["GET", "HEAD", "OPTIONS"].allSatisfy { ResourceMethod($0)?.isSafe == true })
    #expect(["get", "POST", "PUT", "DELETE", "PATCH", "PROPFIND"].allSatisfy { ResourceMethod($0)?.isSafe == false })
  }

  // RFC 9110 section 9.3, RFC 4918 section 9.
  @Test func `defines content where a standard says what it means`() {
    let methods = ["POST", "PUT", "PATCH", "QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "LOCK", "REPORT", "SEARCH"]
    for method in methods { #expect(ResourceMethod(method)?.definesContent == true, "\(method)") }
    for method in ["GET", "HEAD", "OPTIONS", "DELETE", "COPY", "MOVE", "UNLOCK", "post", "FETCH"] {
      #expect(ResourceMethod(method)?.definesContent == false, "\(method)")
    }
  }
}

// RFC 6454.
@Suite struct `A place that may get a token` {
  @Test(arguments: [
    ("api.example.org", "https://api.example.org"), ("API.Example.ORG", "https://api.example.org"),
    ("api.example.org:443", "https://api.example.org"), ("api.example.org:8443", "https://api.example.org:8443"),
    ("https://api.example.org", "https://api.example.org"), ("https://api.example.org/", "https://api.example.org"),
    ("[::1]:8443", "https://[::1]:8443"), ("http://127.0.0.1:80", "http://127.0.0.1"),
    ("http://[::1]:8080/", "http://[::1]:8080"),
  ])
  func `is a scheme, a host and a port`(text: String, expected: String) {
    #expect(ResourceOrigin(text, allowHTTPLoopback: true)?.text == expected)
  }

  @Test(arguments: [
    "", "*", "*.example.org", "https://*.example.org", "api.example.org/path", "https://api.example.org/path",
    "https://api.example.org?x", "https://api.example.org/#x", "http://api.example.org", "ftp://api.example.org",
    "user@api.example.org", "api.example.org:0", "api.example.org:99999", "api example.org", "http://localhost.:80",
    "api.example.org\n", "https://", "//api.example.org",
  ])
  func `is nothing else`(text: String) {
    #expect(ResourceOrigin(text, allowHTTPLoopback: true) == nil)
  }

  @Test func `is plain http only where the account allows it`() {
    #expect(ResourceOrigin("http://127.0.0.1:8080", allowHTTPLoopback: false) == nil)
  }

  @Test func `differs by scheme, host and port`() throws {
    func origin(_ url: String) throws -> ResourceOrigin {
      ResourceOrigin(of: try Endpoint(url, allowHTTPLoopback: true))
    }
    let one = try origin("https://api.example.org/a?b")
    #expect(try one == origin("https://API.example.org:443/c"))
    for other in [
      "https://api.example.org:8443/", "https://example.org/", "https://api.example.org./", "https://xapi.example.org/",
      "http://127.0.0.1/",
    ] {
      #expect(try one != origin(other))
    }
  }
}
