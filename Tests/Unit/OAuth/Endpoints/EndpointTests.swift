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
    let isHere = ["http://127.0.0.1:8080/", "http://localhost/"].contains(text)
    #expect(error?.advice == (isHere ? nil : "use https"))
  }

  @Test(arguments: ["http://127.0.0.1:8080/token", "http://[::1]:1/", "http://localhost:8080/", "http://LOCALHOST/"])
  func `plain http to this machine needs an opt-in`(text: String) throws {
    #expect(try Endpoint(text, allowHTTPLoopback: true).text == text)
  }

  @Test(arguments: [
    "http://localhost.example/", "http://a.localhost/", "http://localhost./", "http://127.0.0.1.evil.example/",
    "http://127.0.0.2/", "http://as.example/",
  ])
  func `the opt-in covers this machine only`(text: String) {
    let error = #expect(throws: OAuthError.self) { try Endpoint(text, allowHTTPLoopback: true) }
    #expect(error?.code == .insecureURL)
    #expect(error?.advice == "use https")
  }

  // RFC 6749 section 3.1: no fragment.
  @Test(arguments: ["https://as.example/token#x", "https://as.example/#", "https://u:p@as.example/", "as.example", ""])
  func `a fragment, a user name or no URL at all is refused`(text: String) {
    #expect(throws: OAuthError(.invalidURL, .url)) { try Endpoint(text, allowHTTPLoopback: false) }
  }
}
