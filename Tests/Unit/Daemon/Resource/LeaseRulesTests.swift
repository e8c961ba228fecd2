import OAuth
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `The rules of a lease` {
  private func failure(
    _ url: String = "https://api.example/notes/1", _ method: String = "GET", headers: [String] = [],
    places: [String] = ["https://api.example/notes"], methods: [String] = []
  ) throws -> Failure? {
    let (rules, target) = try parts(url, method, headers, places, methods, [])
    do throws(Failure) { _ = try rules.check(target, sendsBody: false) } catch { return error }
    return nil
  }

  private func passed(
    _ url: String = "https://api.example/notes/1", _ method: String = "GET", headers: [String],
    places: [String] = ["https://api.example/notes"], methods: [String] = [], allowing allowed: [String] = []
  ) throws -> LeaseRules.ForwardedParts {
    let (rules, target) = try parts(url, method, headers, places, methods, allowed)
    return try rules.check(target, sendsBody: false)
  }

  private func parts(
    _ url: String, _ method: String, _ headers: [String], _ places: [String], _ methods: [String], _ allowed: [String]
  ) throws -> (LeaseRules, ResourceCall.Target) {
    let entries = places.compactMap { OriginEntry($0, allowHTTPLoopback: true) }
    return (
      LeaseRules(origins: entries, methods: methods, allowedFields: allowed),
      try ResourceCall.Target(CallRequest(url: url, method: method, headers: headers))
    )
  }

  // MARK: Paths

  @Test(arguments: [
    "/notes", "/notes/", "/notes/1", "/notes/a/b/", "/notes/a-b_c.d~e", "/notes/v1.", "/notes/...x",
    "/notes/.well-known",
    "/notes/a:b@c!$&'()*+,=", "/notes/a%20b", "/notes/%C3%A9t%C3%A9", "/notes/%e6%97%a5", "/notes/%E2%80%93",
    "/notes/it%E2%80%99s", "/notes/%F0%9F%98%80",
    "/notes/1?x=..%2f;//%00", "/notes/1?q=%252e#/../secret",
  ]) func `permit a path in plain form`(path: String) throws {
    #expect(try failure("https://api.example" + path) == nil)
  }

  @Test(arguments: [
    // Dots, encoded once, twice and in part; dots that a file system ignores.
    "/notes/%2e%2e/secret", "/notes/.%2E/secret", "/notes/%252e%252e/secret", "/notes/%2e", "/notes/...",
    "/notes/.../x",
    "/notes/..%20/secret", "/notes/.%20./secret", "/notes/..+/secret",
    // Parameters of a segment, as removed by Tomcat and Jetty.
    "/notes/..;/secret", "/notes/..;a=b/secret", "/notes/..%3b/secret", "/notes/..%3B/secret", "/notes/..%253b/secret",
    "/notes/1;jsessionid=2", "/notes/.;/..;/secret",
    // Slashes of another kind, encoded and doubled.
    "/notes//secret", "/notes/..%2fsecret", "/notes%2f..%2fsecret", "/notes/..%2Fsecret", "/notes/..%252fsecret",
    "/notes/..%5csecret", "/notes/..%5Csecret", "/notes/..%255csecret", "/notes//",
    // Characters that end a path, or a text.
    "/notes/..%3f", "/notes/..%23", "/notes/1%00.json", "/notes/1%0a", "/notes/1%0d%0aX:1", "/notes/%7f", "/notes/%09",
    // Not normalized: letters, digits and marks are never encoded (RFC 3986 section 6.2.2.2).
    "/notes/%61", "/notes/%31", "/notes/%7E", "/notes/%2D",
    // Encoded ASCII other than a space, which some server decodes and uses.
    "/notes/c%2B%2B", "/notes/%5B1%5D", "/notes/%3A", "/notes/%40", "/notes/%26", "/notes/%3D", "/notes/%22",
    "/notes/%25",
    // Control characters of the second set (C1), and format characters.
    "/notes/%C2%80", "/notes/%C2%9F", "/notes/%E2%80%AE", "/notes/%E2%81%84",
    // Invalid UTF-8, half characters, and characters that become dots, slashes or semicolons.
    "/notes/%c0%ae%c0%ae/secret", "/notes/..%c0%af", "/notes/%e0%80%ae", "/notes/%f0%80%80%ae", "/notes/%ed%a0%80",
    "/notes/%ff", "/notes/%c3", "/notes/%EF%BC%8E%EF%BC%8E/secret", "/notes/..%EF%BC%8Fsecret",
    "/notes/..%E2%88%95secret",
    "/notes/..%EF%BC%BCsecret", "/notes/%E2%80%A5/secret", "/notes/..%CD%BE/secret", "/notes/..%E2%84%80",
    "/notes/%C2%85",
    "/notes/%E2%80%8B", "/notes/%C2%A0",
  ]) func `refuse a path that a server may read as another one, and say so`(path: String) throws {
    let failure = try failure("https://api.example" + path)
    #expect(failure?.code == .notPermitted)
    // A path outside the lease as written needs no other message.
    let words = "servers may interpret the path differently, and the lease is limited to a path"
    #expect(failure == .notPermittedByLease || failure?.message == words)
  }

  @Test func `compare paths by decoded segments`() throws {
    let places = ["https://api.example/%C3%A9t%C3%A9/a%20b/"]
    for path in ["/%c3%a9t%C3%a9/a%20b", "/%C3%A9t%C3%A9/a%20b/1"] {
      #expect(try failure("https://api.example" + path, places: places) == nil)
    }
    for path in ["/%C3%A9t%C3%A9/a%20bc", "/%C3%A9t%C3%A9", "/", "/a%20b/%C3%A9t%C3%A9/a%20b"] {
      #expect(try failure("https://api.example" + path, places: places) == .notPermittedByLease)
    }
  }

  @Test(arguments: ["/notes/..%3b/secret", "/notes/..;/secret", "//secret", "/%c0%ae"])
  func `leave every path to a lease of the whole origin`(path: String) throws {
    #expect(try failure("https://api.example" + path, places: ["https://api.example"]) == nil)
  }

  @Test(arguments: [
    "/notes\\..\\secret", "/notes/\u{FF0E}\u{FF0E}/secret", "/notes/\u{0}", "/notes/a b", "/notes/%u002e",
  ])
  func `get no path that is none`(path: String) throws {
    #expect(throws: Failure.self) { try failure("https://api.example" + path) }
  }

  // MARK: Header fields

  @Test(arguments: [
    "Accept: text/html", "If-Match: \"1\"", "If-None-Match: *", "Depth: 1", "Range: bytes=0-9", "If-Range: \"1\"",
    "Content-Type: text/plain", "X-GitHub-Api-Version: 2022-11-28", "Mcp-Session-Id: 1", "Prefer: return=minimal",
    "Idempotency-Key: a\tb", "git-protocol: version=2", "Last-Event-ID: 7", "traceparent: 00-1-2-01", "tracestate: a=b",
    "X-Stainless-Lang: js", "anthropic-version: 2023-06-01", "OpenAI-Beta: realtime=v1", "X-Allowed: 1",
  ]) func `pass header fields that say what is wanted`(header: String) throws {
    let passed = try passed(headers: [header], methods: ["GET"], allowing: ["x-aLLowed"])
    #expect(passed.fields.map(\.line) == [header] && passed.dropped == 0)
  }

  @Test func `leave out and count all others, but not the coding of the answer and the program's name`() throws {
    let passed = try passed(headers: [
      "Origin: https://a.example", "Referer: https://a.example/", "X-Request-Id: 1", "User-Agent: x", "Accept: */*",
      "Access-Control-Request-Method: PUT", "X-Note: caf\u{E9}", "Accept-Encoding: gzip",
    ])
    #expect(passed.fields.map(\.line) == ["Accept: */*"] && passed.dropped == 5)
  }

  @Test(arguments: [
    "Cookie", "Origin", "referer", "Authorization", "Host", "TE", "Connection", "Proxy-Authorization", "Upgrade",
    "Content-Length", "Transfer-Encoding", "X-HTTP-Method-Override", "X-Original-URL", "X-Rewrite-URL",
    "X-Forwarded-Host",
    "Forwarded", "Destination", "DPoP", "Set-Cookie", "Accept-Encoding", "X_Note", "X Note", "X-Note:", "",
    "X-Caf\u{E9}",
    String(repeating: "x", count: 65),
  ]) func `cannot be told to pass what routes, overrides or belongs to the connection`(name: String) {
    #expect(!LeaseRules.mayAllow(name))
    #expect(LeaseRules.mayAllow("X-Note") && LeaseRules.mayAllow("user-agent"))
  }

  @Test func `pass a destination at the same origin, with a method that is named`() throws {
    let (url, places) = ("https://api.example/a", ["https://api.example"])
    for value in ["/b", "https://api.example/b"] {
      let passed = try passed(
        url, "MOVE", headers: ["Destination: \(value)", "Overwrite: F"], places: places, methods: ["MOVE"])
      #expect(passed.fields.count == 2)
    }
    for value in ["//b.example/b", "https://b.example/b", "http://api.example/b", "https://api.example:444/b"] {
      #expect(
        try failure(url, "MOVE", headers: ["Destination: \(value)"], places: places, methods: ["MOVE"])?.code
          == .notPermitted)
    }
  }

  @Test(arguments: [
    // Another resource.
    "Destination", "destination", "If", "Overwrite", "Lock-Token", "Apply-To-Redirect-Ref", "X-Original-URL",
    "X-Rewrite-URL", "X-Original-URI", "X-Request-URI", "X-Forwarded-URI", "X-Forwarded-Prefix", "X-Forwarded-Path",
    "X-Script-Name", "X-Matched-Path", "X-Envoy-Original-Path", "X-Middleware-Rewrite", "X-Accel-Mapping",
    "X-Sendfile-Type", "X-HTTP-DestinationURL",
    // Another host, or another sender.
    "Forwarded", "X-Forwarded-Host", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Host",
    "X-Original-Host", "X-Real-IP", "Client-IP", "True-Client-IP", "CF-Connecting-IP", "X-Originating-IP", "Via",
    "Alt-Used", "Max-Forwards", "X-Proxy-URL",
    // Another method.
    "X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "X-HTTP-Method", "X-Method", "Method-Override",
    // Another user.
    "Cookie", "Sudo", "Impersonate-User", "Remote-User", "X-Remote-User", "X-Forwarded-User", "X-WebAuth-User",
  ]) func `refuse a header field that routes, overrides or addresses, and name it`(name: String) throws {
    for places in [["https://api.example/notes"], ["https://api.example"]] {
      let failure = try failure(headers: ["Accept: */*", name + ": x"], places: places)
      #expect(failure?.code == .notPermitted)
      #expect(
        failure?.message
          == "a lease does not send the header \(name), which can change the target or effect of a request")
    }
  }

  // RFC 3875 section 4.1.18.
  @Test(arguments: ["X_Original_URL", "X_HTTP_Method-Override", "Content_Length", "X.Forwarded.For", "Accept_", "X~A"])
  func `refuse a header name that CGI reads as another one, and name it`(name: String) throws {
    let failure = try failure(headers: [name + ": x"], places: ["https://api.example"])
    #expect(failure?.code == .notPermitted)
    #expect(
      failure?.message == "a lease does not send the header \(name): servers may interpret its name differently")
  }

  @Test(arguments: ["a\u{85}X-Original-URL: /", "caf\u{E9}", "\u{140A}Destination: /", "a\u{2028}b"])
  func `refuse a header value past ASCII, and name the field`(value: String) throws {
    let failure = try failure(headers: ["Prefer: " + value])
    #expect(failure?.code == .notPermitted)
    #expect(failure?.message == "a lease does not send the header Prefer with non-ASCII characters")
  }

  // RFC 9110 sections 5.5, 7.2, 7.6.1, 8.6, 10.1.1 and 11.6.2.
  @Test(arguments: [
    "Host: a", "Content-Length: 0", "Transfer-Encoding: chunked", "Connection: X-A", "Keep-Alive: 1", "TE: trailers",
    "Trailer: X", "Upgrade: h2c", "HTTP2-Settings: x", "Expect: 100-continue", "Authorization: Basic x", "DPoP: x",
    "Proxy-Authorization: x", "Proxy-Connection: close", "X-A: a\rb", "X-A: a\nb", "X-A: a\0b", "X-A: \u{7F}", "X A: b",
    ":authority: a", "X-A : b",
  ]) func `get no field of the connection, of the message's end or of the credentials`(header: String) throws {
    #expect(throws: Failure.self) { try failure(headers: [header], places: ["https://api.example"]) }
  }

  // MARK: Methods

  @Test(arguments: [
    "COPY", "MOVE", "move", "BIND", "UNBIND", "REBIND", "LINK", "UNLINK", "SEARCH", "REPORT", "MERGE", "UPDATE",
    "LABEL",
    "VERSION-CONTROL", "BASELINE-CONTROL", "CHECKOUT", "MKREDIRECTREF", "UPDATEREDIRECTREF", "BMOVE",
  ])
  func `refuse a method that names a second resource, unless it is named and no path is`(method: String) throws {
    let url = "https://api.example/notes/1"
    for (places, methods) in [
      (["https://api.example/notes"], []), (["https://api.example/notes"], [method]), (["https://api.example"], []),
    ] {
      #expect(
        try failure(url, method, places: places, methods: methods)?.message
          == "\(method) names a second resource, so it is allowed only if the lease allows the method and has no path")
    }
    #expect(try failure(url, method, places: ["https://api.example"], methods: [method]) == nil)
  }

  @Test(arguments: ["DELETE", "OPTIONS", "PROPFIND", "QUERY", "PURGE", "MKCOL"])
  func `permit other methods`(method: String) throws {
    #expect(try failure("https://api.example/notes", method) == nil)
  }

  @Test(arguments: ["CONNECT", "TRACE", "TRACK", "track", "PRI"])
  func `get no method that is never sent`(method: String) throws {
    #expect(throws: Failure.self) { try failure("https://api.example/", method, places: ["https://api.example"]) }
  }

  @Test(arguments: ["_method=DELETE", "$httpMethod=DELETE", "rest_route=/wp/v2/users", "a=%00;//..%2f", ""])
  func `leave the query free`(query: String) throws {
    #expect(try failure("https://api.example/notes?" + query, methods: ["GET"]) == nil)
  }

  @Test(arguments: ["a\u{1}", "a\r\n", "a\0", "a\u{7F}"])
  func `get no query with control characters`(query: String) throws {
    #expect(throws: Failure.self) { try failure("https://api.example/notes?" + query) }
  }
}
