package import Platform

/// The server's end of a connection.
package final class Conversation: Sendable {
  /// The number of the connection, from 1 for each server.
  package let number: Int
  private let socket: FileDescriptor
  private let buffer = Monitor<[UInt8]>([])
  private let record: @Sendable (ReceivedRequest) -> Void

  package init(
    _ socket: consuming FileDescriptor, number: Int, record: @escaping @Sendable (ReceivedRequest) -> Void
  ) throws(SystemError) {
    try socket.setNonBlocking(false)
    self.socket = socket
    self.number = number
    self.record = record
  }

  // The client may have closed the connection.
  deinit { try? UnixSocket.shutDown(socket) }

  /// The next request, including its body; nil if the client has closed the connection.
  package func readRequest() throws -> ReceivedRequest? {
    guard let head = try take({ bytes in Self.headEnd(bytes) }) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    var request = ReceivedRequest(line: lines.first ?? "", headers: Array(lines.dropFirst()), body: "")
    let length = request.values("Content-Length").first.flatMap { Int($0) } ?? 0
    guard let body = try take({ bytes in bytes.count >= length ? length : nil }) else { return nil }
    request.body = String(decoding: body, as: UTF8.self)
    record(request)
    return request
  }

  /// The next bytes; nil if the client has closed the connection.
  package func readBytes() throws -> [UInt8]? { try take { $0.isEmpty ? nil : $0.count } }

  package func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }

  package func write(_ bytes: [UInt8]) throws(SystemError) { try socket.writeAll(bytes.span) }

  /// Sends a response. Adds its length unless `headers` has one.
  package func respond(_ status: Int = 200, headers: [String] = [], body: String = "{}") throws(SystemError) {
    let length = headers.contains { $0.hasPrefix("Content-Length:") } ? [] : ["Content-Length: \(body.utf8.count)"]
    let fields = ["HTTP/1.1 \(status) Status"] + length + headers
    try write(fields.joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  package func waitForEnd() throws {
    _ = try take { _ in nil }
  }

  /// Waits until `count` returns a number for the received bytes, and returns that many.
  private func take(_ count: ([UInt8]) -> Int?) throws -> [UInt8]? {
    while true {
      let bytes = buffer.withLock { $0 }
      if let count = count(bytes) {
        buffer.withLock { $0.removeFirst(count) }
        return Array(bytes.prefix(count))
      }
      var piece: [UInt8] = []
      if try socket.read(into: &piece, upTo: 65_536) == 0 { return nil }
      buffer.withLock { $0 += piece }
    }
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { Array(bytes[($0 - 4)..<$0]) == [13, 10, 13, 10] }
  }
}
