import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing
import Vocabulary

// The failure determines whether a refresh token may be used again.
@Suite struct `Broken connections` {
  @Test func `nobody listens`() throws {
    let port = try LoopbackServer.unusedPort()
    #expect(throws: HTTPFailure(.connect, .refused)) { try client().send(post("http://127.0.0.1:\(port)/")) }
  }

  @Test func `an unknown host`() throws {
    #expect(throws: HTTPFailure(.resolve, .hostNotFound)) { try client().send(get("https://host.invalid/")) }
  }

  @Test func `closed before a byte of the answer`() throws {
    let server = try LoopbackServer { _ = try $0.readRequest() }
    #expect(throws: unanswered(.receive)) { try client().send(post(server.url())) }
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["Content-Length: 100\r\n\r\n{\"access_to", "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"a"])
  func `closed inside the body or a chunk of it`(rest: String) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 200 OK\r\n" + rest)
    }
    #expect(throws: answered(.receive)) { try client().send(post(server.url())) }
  }

  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
  private static let firstLine = "HTTP/1.1 200 OK\r\n".utf8.count

  @Test(arguments: firstLine..<answer.utf8.count)
  func `closed after each byte behind the first line`(count: Int) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write(Array(Self.answer.utf8.prefix(count)))
    }
    #expect(throws: answered(.receive)) { try client().send(post(server.url())) }
  }

  @Test(arguments: 1..<firstLine) func `closed inside the first line`(count: Int) throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write(Array(Self.answer.utf8.prefix(count)))
    }
    #expect(throws: unanswered(.receive)) { try client().send(post(server.url())) }
  }

  @Test func `a POST is not sent again when a kept connection breaks`() throws {
    let server = try LoopbackServer {
      for _ in 0..<2 {
        _ = try $0.readRequest()
        try $0.respond()
      }
      _ = try $0.readRequest()
    }
    let client = client()
    // A POST uses only a connection that has outlasted an answer.
    for _ in 0..<2 { _ = try client.send(get(server.url())) }
    #expect(throws: unanswered(.receive)) { try client.send(post(server.url())) }
    #expect(server.requests.count == 3)
    #expect(server.connections == 1)
  }

  // RFC 9110 section 9.2.2: a GET may be repeated.
  @Test func `a GET is sent again when a kept connection breaks`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.respond()
      _ = try $0.readRequest()
    }
    let client = client()
    _ = try client.send(get(server.url()))
    #expect(try client.send(get(server.url())).status == 200)
    #expect(server.requests.count == 3)
    #expect(server.connections == 2)
  }
}

@Suite struct `Limits of time` {
  @Test func `a server that says nothing`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.waitForEnd()
    }
    let request = try post(server.url(), transport: plainTransport(seconds: 1))
    let failure = #expect(throws: HTTPFailure.self) { try client().send(request) }
    let waited = try #require(failure?.waitedSeconds)
    #expect(waited >= 1 && failure == unanswered(.timeout, after: waited))
  }

  @Test func `a server that says little`() throws {
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      while true {
        try $0.write("x")
        Threads.sleep(for: .milliseconds(50))
      }
    }
    let failure = #expect(throws: HTTPFailure.self) {
      try client().send(get(server.url(), transport: plainTransport(seconds: 5)))
    }
    let waited = try #require(failure?.waitedSeconds)
    #expect(waited >= 5 && failure == answered(.timeout, after: waited))
  }

  @Test func `all redirects share one limit`() throws {
    let server = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil {
        Threads.sleep(for: .milliseconds(600))
        try conversation.respond(302, headers: ["Location: /next"])
      }
    }
    let failure = #expect(throws: HTTPFailure.self) {
      try client().send(get(server.url(), transport: plainTransport(seconds: 1), followsRedirects: true))
    }
    #expect(failure?.code == .timeout)
    // With a separate limit for each, all redirects would be followed.
    #expect(server.requests.count <= 2)
  }

  @Test func `a request that is cancelled before it starts makes no connection`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: HTTPFailure(.cancelled)) { try client().send(get(server.url(), cancellation: cancellation)) }
    #expect(server.connections == 0)
  }

  @Test func `another thread ends a request that waits for its answer`() throws {
    let cancellation = Cancellation()
    let server = try LoopbackServer {
      _ = try $0.readRequest()
      cancellation.cancel()
      try $0.waitForEnd()
    }
    #expect(throws: unanswered(.cancelled)) { try client().send(post(server.url(), cancellation: cancellation)) }
  }
}
