import Platform
import TestSupport
import Testing

/// A client that sends arbitrary data to the daemon's socket.
final class Peer: Sendable {
  private let socket: FileDescriptor
  /// The received bytes, and the length of the lines that were already returned.
  private let unread = Monitor<(bytes: [UInt8], taken: Int)>(([], 0))

  init(_ path: String) throws {
    let socket = try UnixSocket.connect(path: path)
    self.socket = socket
  }

  // The daemon may have closed the connection.
  deinit { try? UnixSocket.shutDown(socket) }

  /// Returns false if the daemon has disconnected.
  func send(_ bytes: [UInt8]) throws -> Bool {
    do {
      try socket.writeAll(bytes.span)
      return true
    } catch  where error.isDisconnected {
      return false
    }
  }

  func send(_ line: String, passing descriptor: borrowing FileDescriptor) throws {
    let bytes = Array(line.utf8)
    let sent = try UnixSocket.send(bytes.span, passing: descriptor.raw, over: socket)
    try socket.writeAll(bytes.span.extracting(sent...))
  }

  /// Also true if the daemon has disconnected.
  var hasAnswer: Bool {
    get throws { try !unread.withLock { $0.bytes.isEmpty } || socket.waitUntilReadable(timeout: .zero) }
  }

  func ask(_ line: String) throws -> String {
    _ = try send(Array((line + "\n").utf8))
    return try #require(try readLine(), "the daemon hung up")
  }

  /// The next line without its line feed, or nil at the end. For one thread at a time.
  func readLine() throws -> String? {
    while true {
      let line = unread.withLock { (unread: inout (bytes: [UInt8], taken: Int)) -> String? in
        guard let end = unread.bytes[unread.taken...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: unread.bytes[unread.taken..<end], as: UTF8.self)
        unread.taken = end + 1
        if unread.taken == unread.bytes.count { unread = ([], 0) }
        return line
      }
      if let line { return line }
      guard try readMore() else { return nil }
    }
  }

  /// Returns false once the daemon has disconnected.
  private func readMore() throws -> Bool {
    do {
      var more: [UInt8] = []
      guard try socket.read(into: &more, upTo: 1 << 20) > 0 else { return false }
      let came = more
      unread.withLock { $0.bytes += came }
      return true
    } catch {
      guard error.isDisconnected else { throw error }
      return false
    }
  }
}
