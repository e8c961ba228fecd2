import OAuth
import Testing

@Suite struct `Issuers` {
  // RFC 8414 section 5, OpenID Connect Discovery 1.0 section 4.1.
  @Test func `an issuer with a path has three places for its metadata`() throws {
    let issuer = try Issuer("https://h.example/t1", allowHTTPLoopback: false)
    #expect(
      issuer.metadataLocations.map(\.text) == [
        "https://h.example/t1/.well-known/openid-configuration",
        "https://h.example/.well-known/oauth-authorization-server/t1",
        "https://h.example/.well-known/openid-configuration/t1",
      ])
  }

  @Test(arguments: ["https://h.example:8443", "https://h.example:8443/"])
  func `an issuer without a path has two, and a terminal slash is dropped`(text: String) throws {
    let issuer = try Issuer(text, allowHTTPLoopback: false)
    #expect(issuer.text == text)
    #expect(
      issuer.metadataLocations.map(\.text) == [
        "https://h.example:8443/.well-known/openid-configuration",
        "https://h.example:8443/.well-known/oauth-authorization-server",
      ])
  }

  @Test func `one terminal slash of a path is dropped`() throws {
    let issuer = try Issuer("https://h.example/o/app/", allowHTTPLoopback: false)
    #expect(
      issuer.metadataLocations.map(\.text) == [
        "https://h.example/o/app/.well-known/openid-configuration",
        "https://h.example/.well-known/oauth-authorization-server/o/app",
        "https://h.example/.well-known/openid-configuration/o/app",
      ])
  }

  @Test func `a loopback issuer has loopback places`() throws {
    let issuer = try Issuer("http://127.0.0.1:9000", allowHTTPLoopback: true)
    #expect(issuer.metadataLocations.first?.text == "http://127.0.0.1:9000/.well-known/openid-configuration")
    #expect(throws: OAuthError(.insecureURL, .issuer)) {
      try Issuer("http://127.0.0.1:9000", allowHTTPLoopback: false)
    }
  }

  // RFC 8414 section 2.
  @Test(arguments: ["https://h.example?x", "https://h.example/?", "https://h.example/#f", "h.example", "https:///x"])
  func `a query, a fragment or a missing host is refused`(text: String) {
    #expect(throws: OAuthError(.invalidIssuer, .issuer)) { try Issuer(text, allowHTTPLoopback: false) }
  }

  @Test(arguments: ["http://h.example", "ftp://h.example", "http://127.0.0.1:9000"])
  func `an issuer that is not https is refused`(text: String) {
    let error = #expect(throws: OAuthError.self) { try Issuer(text, allowHTTPLoopback: false) }
    #expect(error?.code == .insecureURL)
  }

  @Test func `an issuer that leaves no room for the well-known path is refused`() throws {
    let fits = "https://h.example/" + String(repeating: "a", count: 1900 - 18)
    #expect(try Issuer(fits, allowHTTPLoopback: false).metadataLocations.count == 3)
    #expect(throws: OAuthError(.invalidIssuer, .issuer)) { try Issuer(fits + "a", allowHTTPLoopback: false) }
  }

  // RFC 8414 section 3.3.
  @Test(arguments: ["https://H.example/t", "https://h.example/t/", "https://h.example:443/t"])
  func `comparison is byte by byte`(other: String) throws {
    let issuer = try Issuer("https://h.example/t", allowHTTPLoopback: false)
    #expect(issuer.isSame(as: "https://h.example/t"))
    #expect(!issuer.isSame(as: other))
  }
}
