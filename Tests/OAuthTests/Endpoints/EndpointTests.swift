import OAuth
import Testing
import Vocabulary

@Suite struct `Endpoints` {
  @Test(arguments: ["https://as.example/token", "HTTPS://as.example:8443/token?tenant=1", "https://[::1]/"])
  func `an https URL is kept exactly as written`(text: String) throws {
    #expect(try Endpoint(text, allowHTTPLoopback: false).text == text)
  }

  // RFC 6749 section 3.1 and 3.2.
  @Test(arguments: ["http://as.example/token", "http://127.0.0.1:8080/", "ftp://as.example/", "http://localhost/"])
  func `anything but https is insecure`(text: String) {
    let error = #expect(throws: OAuthError.self) { try Endpoint(text, allowHTTPLoopback: false) }
    #expect(error?.code == .insecureURL && error?.subject == .url)
    let advice = [
      "http://127.0.0.1:8080/": nil,
      "http://localhost/": "use 127.0.0.1 instead of localhost, and --allow-http-loopback",
    ]
    #expect(error?.advice?.english == advice[text] ?? "use https")
  }

  @Test(arguments: ["http://127.0.0.1:8080/token", "http://[::1]:1/"])
  func `plain http to a loopback literal needs an opt-in`(text: String) throws {
    #expect(try Endpoint(text, allowHTTPLoopback: true).text == text)
  }

  @Test(arguments: [
    "http://localhost:8080/", "http://127.0.0.1.evil.example/", "http://127.0.0.2/", "http://as.example/",
  ])
  func `the opt-in covers loopback literals only`(text: String) {
    let error = #expect(throws: OAuthError.self) { try Endpoint(text, allowHTTPLoopback: true) }
    #expect(error?.code == .insecureURL)
    let isLocalhost = text == "http://localhost:8080/"
    #expect(error?.advice == (isLocalhost ? "use 127.0.0.1 instead of localhost" : "use https"))
  }

  // RFC 6749 section 3.1: no fragment.
  @Test(arguments: ["https://as.example/token#x", "https://as.example/#", "https://u:p@as.example/", "as.example", ""])
  func `a fragment, a user name or no URL at all is refused`(text: String) {
    #expect(throws: OAuthError(.invalidURL, .url)) { try Endpoint(text, allowHTTPLoopback: false) }
  }
}
