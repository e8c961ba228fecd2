import OAuth
import Testing

// RFC 8252 section 7.3.
@Suite struct `A redirect URI` {
  private func issuer(_ text: String) throws -> Issuer { try Issuer(text, allowHTTPLoopback: true) }

  @Test func `of no registration has any port and a path of the issuer's own`() throws {
    let uri = RedirectURI(
      standardFor: try issuer("https://id.example.org:8443/realms/x"), responsesNameIssuer: false)
    #expect(uri.text == "http://127.0.0.1/id.example.org:8443/realms/x")
    #expect(uri.text(port: 49_152) == "http://127.0.0.1:49152/id.example.org:8443/realms/x")
    #expect(uri.loopbackHost == .ipv4 && uri.port == nil)
    let other = RedirectURI(standardFor: try issuer("http://[::1]:8080"), responsesNameIssuer: false).at(.ipv6)
    #expect(other.text(port: 1) == "http://[::1]:1/%5B::1%5D:8080")
    #expect(other.at(.ipv4, port: 2).text(port: 1) == "http://127.0.0.1:2/%5B::1%5D:8080")
  }

  // RFC 8252 section 8.10, RFC 9700 section 4.4.2.
  @Test func `differs from issuer to issuer`() throws {
    let issuers = [
      "https://a.example", "https://a.example/", "https://a.example/b", "https://a.example:444", "https://b",
    ]
    let paths = try issuers.map { RedirectURI(standardFor: try issuer($0), responsesNameIssuer: false).path }
    #expect(Set(paths).count == issuers.count)
  }

  // RFC 9207: the response itself identifies the issuer.
  @Test func `is one that people can register where each answer names its issuer`() throws {
    for text in ["https://a.example", "https://b.example/x"] {
      let uri = RedirectURI(standardFor: try issuer(text), responsesNameIssuer: true)
      #expect(uri.text == "http://127.0.0.1/callback")
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1:8400/cb", RedirectURI.Host.ipv4, 8400, "/cb"), ("http://[::1]:8400", .ipv6, 8400, ""),
    ("http://localhost:8400/", .localhost, 8400, "/"), ("HTTP://LocalHost:2/A%20b", .localhost, 2, "/A%20b"),
  ])
  func `that is registered is used byte for byte`(text: String, host: RedirectURI.Host, port: UInt16, path: String)
    throws
  {
    let uri = try RedirectURI(text)
    #expect(uri.text(port: 9) == text)
    #expect(uri.loopbackHost == host && uri.port == port && uri.path == path)
  }

  @Test func `without a port stands for any`() throws {
    #expect(try RedirectURI("http://localhost/cb").text(port: 9) == "http://localhost:9/cb")
    #expect(try RedirectURI("http://[::1]/").text(port: 9) == "http://[::1]:9/")
  }

  @Test func `elsewhere is for pasting only`() throws {
    let uri = try RedirectURI("https://app.example/cb")
    #expect(uri.loopbackHost == nil && uri.text(port: 9) == "https://app.example/cb")
  }

  @Test(arguments: [
    "http://192.0.2.1/cb", "http://127.0.0.2/cb", "http://localhost.example/cb", "http://0.0.0.0:80/",
    "ftp://127.0.0.1/",
    "com.example:/cb",
  ])
  func `over plain http leads to this machine`(text: String) {
    #expect(throws: OAuthError.self) { try RedirectURI(text) }
  }

  @Test(arguments: [
    "http://127.0.0.1:8400/cb?a=b", "http://127.0.0.1:8400/cb#x", "http://127.0.0.1:0/cb", "http://u@127.0.0.1/", "",
    "http://127.0.0.1:8400/a b",
  ])
  func `has no query, no fragment and a real port`(text: String) {
    #expect(throws: OAuthError(.invalidURL, .redirectURI)) { try RedirectURI(text) }
  }
}
