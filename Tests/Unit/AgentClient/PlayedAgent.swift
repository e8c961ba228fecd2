import Platform
import TestSupport

/// Handles connections in order: for each text of a connection, reads a line and sends the text. An empty text waits
/// until the client closes.
final class PlayedAgent: Sendable {
  private let directory: TemporaryDirectory
  private let listener: SharedDescriptor
  /// The received lines, with `closed` for a connection closed by the other end.
  private let received: AsyncStream<String>
  private let all = Monitor<[String]>([])
  private let ends = Monitor(0)

  init(_ connections: [[String]], backlog: Int = 8) throws {
    directory = try TemporaryDirectory()
    let listener = SharedDescriptor(
      try UnixSocket.listen(in: try directory.open(), name: "agent.sock", backlog: backlog))
    self.listener = listener
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    received = stream
    Signals.ignoreFailingWrites()
    try Threads.start(name: "agent") { [all, ends] in
      defer { continuation.finish() }
      for answers in connections {
        func serve() -> Bool {
          guard (try? listener.descriptor.waitUntilReadable(timeout: .testLimit)) == true,
            let socket = try? UnixSocket.accept(listener.descriptor), (try? socket.setNonBlocking(false)) != nil
          else { return false }
          for answer in answers {
            guard let line = Self.line(from: socket) else { break }
            all.withLock { $0.append(line) }
            continuation.yield(line)
            if !answer.isEmpty { try? socket.writeAll(Array((answer + "\n").utf8).span) }
          }
          if answers.last == "" {
            while let line = Self.line(from: socket) { all.withLock { $0.append(line) } }
            continuation.yield("closed")
          }
          try? UnixSocket.shutDown(socket)
          return true
        }
        guard serve() else { return }
        ends.update { $0 += 1 }
      }
    }
  }

  func awaitEnds(_ count: Int) { _ = ends.wait(nil) { $0 >= count ? true : nil } }

  private static func line(from socket: borrowing FileDescriptor) -> String? {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      guard let count = try? socket.read(into: &line, upTo: 1), count > 0 else { return nil }
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  var path: String { directory.path("agent.sock") }

  var requests: [String] { all.withLock { $0 } }

  /// Waits for the next line, or the word `closed`.
  func next() async -> String? {
    var iterator = received.makeAsyncIterator()
    return await iterator.next()
  }
}
