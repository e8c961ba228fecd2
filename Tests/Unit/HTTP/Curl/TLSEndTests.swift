import Crypto
import HTTP
import OAuth
import Platform
import TestSupport
import Testing

// RFC 9112 section 9.8, RFC 8446 section 6.1.
@Suite(.enabled(if: Spawn.search("python3") != nil)) struct `The end of a TLS connection` {
  /// Accepts everything immediately.
  private final class Receiver: ResourceReceiver {
    private let bytes = Monitor<[UInt8]>([])
    private let always: EventCounter

    init() throws { always = try EventCounter() }

    var descriptor: Int32 { always.raw }
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func begin(_ head: ResourceHead) -> Bool { true }

    func take(_ taken: Span<UInt8>) -> Int? {
      bytes.withLock { bytes in for index in taken.indices { bytes.append(taken[index]) } }
      return taken.count
    }
  }

  private let server: EndingTLSServer

  init() throws { server = try EndingTLSServer() }

  /// - Returns: The content, if it counts as complete.
  private func fetch(_ answer: String, isSaid: Bool, method: String = "GET") throws -> String {
    let receiver = try Receiver()
    let request = ResourceRequest(
      method: try #require(ResourceMethod(method)),
      endpoint: try Endpoint(server.url(answer, isSaid: isSaid), allowHTTPLoopback: false), fields: [],
      transport: server.transport, stallSeconds: 20, cancellation: Cancellation())
    _ = try client().exchange(request, authorization: [], content: nil, receiver: receiver)
    return receiver.text
  }

  static let whole = [
    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome", "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nsome",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\n\r\n",
  ]

  @Test(arguments: whole, [true, false])
  func `says nothing about content that shows its end`(answer: String, isSaid: Bool) throws {
    #expect(try fetch(answer, isSaid: isSaid) == "some")
  }

  static let open = ["HTTP/1.1 200 OK\r\n\r\nsome", "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nsome"]

  @Test(arguments: open) func `ends other content when the server says so`(answer: String) throws {
    #expect(try fetch(answer, isSaid: true) == "some")
    #expect(throws: answered(.receive)) { try fetch(answer, isSaid: false) }
  }

  @Test(arguments: whole) func `does not help content that is too short`(answer: String) throws {
    for isSaid in [true, false] {
      #expect(throws: answered(.receive)) { try fetch(String(answer.dropLast(8)), isSaid: isSaid) }
    }
  }

  @Test func `does not matter where there is no content`() throws {
    #expect(try fetch("HTTP/1.1 204 No Content\r\n\r\n", isSaid: false) == "")
    #expect(try fetch("HTTP/1.1 200 OK\r\n\r\n", isSaid: false, method: "HEAD") == "")
    #expect(throws: answered(.receive)) { try fetch("HTTP/1.1 200 OK\r\n\r\n", isSaid: false) }
  }

  private func spend(_ answer: String, isSaid: Bool, proxy: String? = nil) throws -> HTTPResponse {
    var transport = server.transport
    transport.proxy = proxy.map { Transport.Proxy(url: $0) }
    var request = try HTTPTests.post(server.url(answer, isSaid: isSaid), transport: transport)
    request.spends = true
    return try client().send(request)
  }

  @Test func `does not matter to the answer of what spends something, but an empty one does not show its end`() throws {
    for isSaid in [true, false] {
      let response = try spend("HTTP/1.1 200 OK\r\n\r\n{}", isSaid: isSaid)
      #expect(response.body.text == "{}" && response.defect == nil)
    }
    let empty = "HTTP/1.1 400 Bad Request\r\n\r\n"
    #expect(try spend(empty, isSaid: true).status == 400)
    #expect(throws: answered(.receive)) { try spend(empty, isSaid: false) }
  }

  @Test func `comes through a proxy too`() throws {
    let port = try #require(UInt16(server.port))
    let proxy = try LoopbackServer { try Tunnel.serve($0, to: port) }
    let response = try spend("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", isSaid: true, proxy: proxy.url(""))
    #expect(response.status == 200 && response.body.text == "{}" && response.defect == nil)
    #expect(response.headers["X-Proxy"] == nil)
    #expect(proxy.requests.map(\.line) == ["CONNECT 127.0.0.1:\(port) HTTP/1.1"])
  }

  private func post(_ answer: String, isSaid: Bool) throws -> HTTPResponse {
    try client().send(HTTPTests.post(server.url(answer, isSaid: isSaid), transport: server.transport))
  }

  @Test func `does not matter to what shows by itself that it is whole, but an empty answer does not`() throws {
    #expect(try post("HTTP/1.1 200 OK\r\n\r\n{}", isSaid: false).body.text == "{}")
    // For a refresh token this would mean that it has expired.
    let empty = "HTTP/1.1 400 Bad Request\r\n\r\n"
    #expect(try post(empty, isSaid: true).status == 400)
    #expect(throws: answered(.receive)) { try post(empty, isSaid: false) }
    #expect(try post("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", isSaid: false).status == 400)
  }
}
