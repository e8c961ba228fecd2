import Platform
import TestSupport

/// A CONNECT tunnel of a proxy (RFC 9110 section 9.3.6).
enum Tunnel {
  /// Responds to the first request of a conversation, and forwards bytes in both directions.
  static func serve(_ conversation: Conversation, to port: UInt16) throws {
    _ = try conversation.readRequest()
    let server = Far(try UnixSocket.connectLoopback(port: port))
    try conversation.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
    try Threads.start(name: "test-tunnel") {
      while let bytes = try? server.read(), !bytes.isEmpty, (try? conversation.write(bytes)) != nil {}
    }
    while let bytes = try conversation.readBytes() { try server.write(bytes) }
  }

  private final class Far: Sendable {
    private let socket: FileDescriptor

    init(_ socket: consuming FileDescriptor) { self.socket = socket }

    func read() throws(SystemError) -> [UInt8] {
      var bytes: [UInt8] = []
      _ = try socket.read(into: &bytes, upTo: 65_536)
      return bytes
    }

    func write(_ bytes: [UInt8]) throws(SystemError) { try socket.writeAll(bytes.span) }
  }
}
