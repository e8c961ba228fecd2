import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing
import Vocabulary

@Suite struct `Proxies` {
  private func transport(_ url: String, exclusions: String = "", credentials: String? = nil) throws -> Transport {
    var transport = Transport()
    transport.proxy = .init(
      url: url, exclusions: exclusions, credentials: try credentials.map { SharedSecret(try secret($0)) })
    return transport
  }

  @Test func `a proxy sees the host and its own credentials only`() throws {
    let proxy = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond(407, headers: ["Proxy-Authenticate: Basic realm=\"x\""])
    }
    #expect(throws: HTTPFailure(.proxy, .proxyAuthentication)) {
      var request = try post("https://as.example/token", transport: transport(proxy.url(""), credentials: "user:pass"))
      request.authorization = try secret("Bearer abc")
      _ = try client().send(request)
    }
    let request = try #require(proxy.requests.first)
    #expect(proxy.requests.count == 1)
    #expect(request.line == "CONNECT as.example:443 HTTP/1.1")
    #expect(request.values("Proxy-Authorization") == ["Basic dXNlcjpwYXNz"])
    #expect(request.values("Authorization") == [])
    #expect(request.body == "")
  }

  @Test func `a proxy that closes the connection is a failure of the proxy`() throws {
    let proxy = try LoopbackServer { _ = try $0.readRequest() }
    #expect(throws: HTTPFailure(.proxy)) {
      try client().send(get("https://as.example/", transport: transport(proxy.url(""))))
    }
  }

  @Test func `a proxy that nobody runs is a failure of the proxy`() throws {
    let port = try LoopbackServer.unusedPort()
    #expect(throws: HTTPFailure(.proxy, .refused)) {
      try client().send(get("https://as.example/", transport: transport("http://127.0.0.1:\(port)")))
    }
  }

  @Test func `a proxy of unknown name is a failure of the proxy`() throws {
    #expect(throws: HTTPFailure(.proxy, .hostNotFound)) {
      try client().send(get("https://as.example/", transport: transport("http://proxy.invalid:3128")))
    }
  }

  @Test(arguments: ["as.invalid", ".invalid", "other.example, AS.INVALID", "*", "as.invalid.", "invalid."])
  func `a host on the list of exclusions is reached directly`(exclusions: String) throws {
    let proxy = try LoopbackServer { _ = try $0.readRequest() }
    #expect(throws: HTTPFailure(.resolve, .hostNotFound)) {
      try client().send(get("https://as.invalid/", transport: transport(proxy.url(""), exclusions: exclusions)))
    }
    #expect(proxy.connections == 0)
  }

  @Test(arguments: ["", "s.example", "as.example.org", "xas.example"])
  func `a host not on the list of exclusions is not`(exclusions: String) throws {
    let proxy = try LoopbackServer { _ = try $0.readRequest() }
    #expect(throws: HTTPFailure(.proxy)) {
      try client().send(get("https://as.example/", transport: transport(proxy.url(""), exclusions: exclusions)))
    }
    #expect(proxy.connections == 1)
  }

  @Test(arguments: [
    "", "proxy:3128", "socks4://127.0.0.1:1080", "http://user:pass@127.0.0.1:1", "http://127.0.0.1:1/x",
  ])
  func `a malformed proxy is refused`(url: String) throws {
    #expect(throws: HTTPFailure(.setup)) { try client().send(get("https://as.example/", transport: transport(url))) }
  }

  // Plain http stays on this machine.
  @Test func `plain http goes through no proxy`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let proxy = try LoopbackServer { _ = try $0.readRequest() }
    var transport = try transport(proxy.url(""))
    transport.allowHTTPLoopback = true
    #expect(try client().send(get(server.url(), transport: transport)).status == 200)
    #expect(proxy.connections == 0)
  }

  @Test func `a request goes through a tunnel that the proxy makes`() throws {
    let server = try TLSServer()
    let port = server.port
    let proxy = try LoopbackServer { try Tunnel.serve($0, to: port) }
    var transport = try transport(proxy.url(""))
    transport.certificateAuthorities = try CertificateAuthorities(pem: server.authority.pem)
    let response = try client().send(get(server.url, transport: transport))
    #expect(response.status == 200)
    #expect(response.headers["X-Proxy"] == nil)
    #expect(proxy.requests.map(\.line) == ["CONNECT 127.0.0.1:\(port) HTTP/1.1"])
  }
}
