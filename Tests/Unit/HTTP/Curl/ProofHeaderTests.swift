import Crypto
import HTTP
import OAuth
import TestSupport
import Testing

// RFC 9449 section 4.1.
@Suite struct `A proof of possession on its way` {
  @Test func `is one header field, of this request alone`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let client = client()
    var first = try post(server.url())
    first.proof = "eyJ.a.b"
    _ = try client.send(first)
    _ = try client.send(get(server.url()))
    #expect(server.requests.map { $0.values("DPoP") } == [["eyJ.a.b"], []])
  }

  // A server accepts a proof once (section 11.1), so the library must not repeat the request.
  @Test func `is sent once, also when a kept connection turns out to be dead`() throws {
    let server = try LoopbackServer { conversation in
      for _ in 0..<2 {
        _ = try conversation.readRequest()
        try conversation.respond()
      }
      // The third request on this connection is read and not answered.
      _ = try conversation.readRequest()
    }
    let client = client()
    for _ in 0..<2 { _ = try client.send(get(server.url())) }
    #expect(throws: unanswered(.receive)) {
      var request = try get(server.url())
      request.proof = "eyJ.a.b"
      _ = try client.send(request)
    }
    #expect(server.requests.filter { $0.values("DPoP") == ["eyJ.a.b"] }.count == 1)
  }

  @Test(arguments: ["a\r\nX: y", "a\ny", "a\0b"]) func `cannot end its line`(proof: String) throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    #expect(throws: HTTPFailure(.setup)) {
      var request = try get(server.url())
      request.proof = proof
      _ = try client().send(request)
    }
    #expect(server.connections == 0)
  }
}

/// Rejects every response.
private final class NoReceiver: ResourceReceiver {
  var descriptor: Int32 { -1 }
  func begin(_ head: ResourceHead) -> Bool { false }
  func take(_ bytes: Span<UInt8>) -> Int? { nil }
}

@Suite struct `A proof of possession for a resource` {
  private func call(_ client: CurlClient, _ url: String, proof: String?) throws {
    let request = ResourceRequest(
      method: try #require(ResourceMethod("GET")), endpoint: try Endpoint(url, allowHTTPLoopback: true),
      transport: plainTransport(), stallSeconds: 20,
      cancellation: Cancellation())
    let fields = try proof.map { [SecretField("DPoP", SharedSecret(try secret($0)))] } ?? []
    _ = try client.exchange(request, authorization: fields, content: nil, receiver: NoReceiver())
  }

  @Test func `is sent over a connection that outlasted an answer, and never again`() throws {
    let server = try LoopbackServer { conversation in
      for _ in 0..<2 {
        _ = try conversation.readRequest()
        try conversation.respond()
      }
      _ = try conversation.readRequest()
    }
    let client = client()
    for _ in 0..<2 { try call(client, server.url(), proof: nil) }
    #expect(throws: HTTPFailure.self) { try call(client, server.url(), proof: "p") }
    #expect(server.requests.map { $0.values("DPoP") } == [[], [], ["p"]])
    #expect(server.connections == 1)
  }

  @Test func `goes with each request anew`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond() } }
    let client = client()
    for _ in 0..<2 { try call(client, server.url(), proof: nil) }
    #expect(server.connections == 1)
    for number in 0..<2 { try call(client, server.url(), proof: "p\(number)") }
    #expect(server.connections == 1)
    #expect(server.requests.map { $0.values("DPoP") } == [[], [], ["p0"], ["p1"]])
  }
}
