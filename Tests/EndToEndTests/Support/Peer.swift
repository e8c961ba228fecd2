import Platform
import TestSupport
import Testing

/// A program of this user that speaks to the daemon's socket directly, as it likes.
final class Peer: Sendable {
  private let socket: FileDescriptor

  init(_ path: String) throws {
    let socket = try UnixSocket.connect(path: path)
    try UnixSocket.setTimeouts(socket, seconds: 20)
    self.socket = socket
  }

  /// Sends bytes as they are; false when the daemon has hung up.
  func send(_ bytes: [UInt8]) throws -> Bool {
    do {
      try socket.writeAll(bytes.span)
      return true
    } catch  where error.isDisconnected {
      return false
    }
  }

  /// Sends a line with a descriptor.
  func send(_ line: String, passing descriptor: borrowing FileDescriptor) throws {
    let bytes = Array(line.utf8)
    let sent = try UnixSocket.send(bytes.span, passing: descriptor.raw, over: socket)
    try socket.writeAll(bytes.span.extracting(sent...))
  }

  /// Whether the daemon has sent something, or hung up.
  var hasAnswer: Bool { get throws { try socket.waitUntilReadable(timeout: .zero) } }

  /// Sends a line and returns the next one.
  func ask(_ line: String) throws -> String {
    _ = try send(Array((line + "\n").utf8))
    return try #require(try readLine(), "the daemon hung up")
  }

  /// The next line without its line feed; nil at the end.
  func readLine() throws -> String? {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      guard try readByte(into: &bytes) else { return nil }
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// False at the end, and when the daemon has hung up on bytes that it did not want.
  private func readByte(into bytes: inout [UInt8]) throws -> Bool {
    do {
      return try socket.read(into: &bytes, upTo: 1) > 0
    } catch {
      guard error.isDisconnected else { throw error }
      return false
    }
  }
}
