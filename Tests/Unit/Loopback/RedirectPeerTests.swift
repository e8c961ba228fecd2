import Platform
import Testing
import Vocabulary

@testable import Loopback

@Suite struct `A connection of a browser` {
  // Requests may contain a code.
  @Test func `is wiped of what came as soon as it is answered`() throws {
    let socket = try RedirectSocket(port: 0, ipv6: false)
    let browser = SharedDescriptor(try UnixSocket.connectLoopback(port: socket.port))
    let peer = try #require(RedirectPeer(try UnixSocket.accept(socket.descriptor), at: socket, now: .now))
    let host = "127.0.0.1:\(socket.port)"
    let request = Array("GET /cb?code=c-1 HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
    try browser.descriptor.writeAll(request.span)
    let target = LoopbackTarget(hosts: [host], path: "/cb")
    #expect(peer.read(for: [(target, nil)]) == .redirect(query: 8..<16, targets: [0]))
    peer.setResponse(LoopbackPage.received.response())
    let head = try #require(Mirror(reflecting: peer).descendant("head") as? RequestHead)
    let storage = try #require(Mirror(reflecting: head).descendant("storage") as? [UInt8])
    #expect(head.count == 0 && storage.allSatisfy { $0 == 0 })
  }
}
