import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing

@Suite struct `Redirects` {
  @Test(arguments: [301, 302, 303, 307, 308]) func `are followed by a GET on the same origin`(status: Int) throws {
    let server = try LoopbackServer { conversation in
      while let request = try conversation.readRequest() {
        if request.line == "GET /end HTTP/1.1" {
          try conversation.respond(body: "end")
        } else {
          try conversation.respond(status, headers: ["Location: /end"], body: "moved")
        }
      }
    }
    let response = try client().send(get(server.url("/start"), followsRedirects: true))
    #expect(response.status == 200)
    #expect(response.body.text == "end")
    #expect(server.requests.map(\.line) == ["GET /start HTTP/1.1", "GET /end HTTP/1.1"])
    #expect(server.connections == 1)
  }

  @Test func `three are followed and the fourth is refused`() throws {
    let server = try LoopbackServer { conversation in
      while let request = try conversation.readRequest() {
        let step = request.line.utf8.count { $0 == UInt8(ascii: "x") }
        let isEnd = request.line.contains("/last") && step == 3
        try conversation.respond(
          isEnd ? 200 : 302, headers: isEnd ? [] : ["Location: \(path(after: request.line))x"], body: "")
      }
    }
    #expect(try client().send(get(server.url("/last"), followsRedirects: true)).status == 200)
    #expect(server.requests.count == 4)
    #expect(throws: answered(.redirect)) { try client().send(get(server.url("/more"), followsRedirects: true)) }
    #expect(server.requests.count == 8)
  }

  private func path(after line: String) -> String { "/" + line.dropFirst("GET /".count).prefix { $0 != " " } }

  @Test func `to another port are refused`() throws {
    let other = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let target = other.url()
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(302, headers: ["Location: \(target)"]) }
    }
    var failure = answered(.redirect)
    failure.redirectOrigin = String(target.dropLast())
    #expect(throws: failure) { try client().send(get(server.url(), followsRedirects: true)) }
    #expect(other.connections == 0)
  }

  @Test(arguments: [
    "https://127.0.0.1/", "//other.example/", "http://localhost/", "file:///etc/passwd", "gopher://127.0.0.1/",
    "http://user:password@127.0.0.1/", "/fragment#x", "http://[::1]/", "http://127.0.0.1:99999/",
  ])
  func `to anywhere else are refused`(location: String) throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(302, headers: ["Location: \(location)"]) }
    }
    let failure = #expect(throws: HTTPFailure.self) {
      try client().send(get(server.url(), followsRedirects: true))
    }
    #expect(failure?.code == .redirect)
    // Scheme, host and port: the rest may contain anything.
    #expect(failure?.redirectOrigin?.contains("password") != true)
    #expect(server.requests.count == 1)
  }

  // RFC 9110 section 10.2.2.
  @Test func `to two places are refused`() throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(302, headers: ["Location: /a", "Location: /b"]) }
    }
    #expect(throws: answered(.redirect)) { try client().send(get(server.url(), followsRedirects: true)) }
    #expect(server.requests.count == 1)
  }

  // RFC 9700 section 4.12: a 307 would send the form, with its secrets, again.
  @Test(arguments: [302, 307, 308]) func `of a POST are answers`(status: Int) throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(status, headers: ["Location: /again"]) }
    }
    var request = try post(server.url())
    request.followsRedirects = true
    #expect(try client().send(request).status == status)
    #expect(server.requests.count == 1)
  }

  @Test func `of a GET that follows none are answers`() throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(302, headers: ["Location: /again"]) }
    }
    #expect(try client().send(get(server.url())).status == 302)
    #expect(server.requests.count == 1)
  }
}
