import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing

@Suite struct `Connections` {
  private func serve() throws -> LoopbackServer {
    try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
  }

  @Test func `are used again`() throws {
    let server = try serve()
    let client = client()
    for _ in 0..<3 {
      _ = try client.send(post(server.url()))
      _ = try client.send(get(server.url("/other")))
    }
    #expect(server.requests.count == 6)
    #expect(server.connections == 1)
    #expect(client.idleCount == 1)
  }

  @Test func `carry nothing from one request to the next`() throws {
    let server = try serve()
    let client = client()
    var first = try post(server.url(), form: "secret=1")
    first.authorization = try secret("Bearer abc")
    _ = try client.send(first)
    _ = try client.send(get(server.url()))
    let second = try #require(server.requests.last)
    #expect(server.connections == 1)
    #expect(second.values("Authorization") == [])
    #expect(second.values("Content-Length") == [])
    #expect(second.body == "")
  }

  @Test func `of one trust never serve another`() throws {
    let server = try serve()
    let client = client()
    var pinned = plainTransport()
    pinned.pins = ["sha256//" + String(repeating: "A", count: 43) + "="]
    var trusting = plainTransport()
    trusting.certificateAuthorities = try CertificateAuthorities(pem: Array("any".utf8))
    for transport in [plainTransport(), pinned, trusting] {
      _ = try client.send(get(server.url(), transport: transport))
      _ = try client.send(get(server.url(), transport: transport))
    }
    #expect(server.connections == 3)
    #expect(client.idleCount == 3)
  }

  @Test func `that failed are not used again`() throws {
    let server = try LoopbackServer {
      while try $0.readRequest() != nil { try $0.respond(body: String(repeating: "x", count: 100)) }
    }
    let client = client()
    #expect(throws: answered(.tooLarge)) { try client.send(get(server.url(), limit: 10)) }
    #expect(client.idleCount == 0)
    _ = try client.send(get(server.url()))
    #expect(server.connections == 2)
  }

  @Test func `that are idle are closed`() throws {
    let server = try serve()
    let client = client()
    _ = try client.send(get(server.url()))
    client.closeIdle()
    #expect(client.idleCount == 1)
    client.closeIdle(after: .zero)
    #expect(client.idleCount == 0)
    _ = try client.send(get(server.url()))
    #expect(server.connections == 2)
  }

  @Test func `of several threads do not wait for each other`() throws {
    // Both requests must arrive before either gets a response.
    let arrived = Monitor(0)
    let server = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil {
        arrived.update { $0 += 1 }
        _ = arrived.wait(.testLimit) { $0 >= 2 ? true : nil }
        try conversation.respond()
      }
    }
    let client = client()
    let url = server.url()
    let statuses = WorkQueue<Int>()
    for _ in 0..<2 {
      try Threads.start(name: "test-client") {
        statuses.push((try? client.send(get(url)).status) ?? 0)
      }
    }
    #expect([statuses.pop(wait: .testLimit), statuses.pop(wait: .testLimit)] == [200, 200])
    #expect(client.idleCount == 2)
  }
}
