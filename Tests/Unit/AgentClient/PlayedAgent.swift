import Platform
import TestSupport

/// A socket that handles connections one by one: for each text of a connection it reads a line and responds with the
/// text, then closes it. After an empty text it waits until the other end closes.
final class PlayedAgent: Sendable {
  private let directory: TemporaryDirectory
  private let listener: SharedDescriptor
  /// The lines received, and `closed` for a connection that the other end has closed.
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

  /// Waits until this many connections have ended.
  func awaitEnds(_ count: Int) { _ = ends.wait(nil) { $0 >= count ? true : nil } }

  private static func line(from socket: borrowing FileDescriptor) -> String? {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      guard let count = try? socket.read(into: &line, upTo: 1), count > 0 else { return nil }
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  var path: String { directory.path("agent.sock") }

  /// The lines received so far.
  var requests: [String] { all.withLock { $0 } }

  /// Waits for the next line, or the word `closed`.
  func next() async -> String? {
    var iterator = received.makeAsyncIterator()
    return await iterator.next()
  }
}
