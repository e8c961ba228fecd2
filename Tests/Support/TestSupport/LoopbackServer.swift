import Platform

/// A server on 127.0.0.1 whose responses are sent by the test.
package final class LoopbackServer: Sendable {
  package let port: UInt16
  private let core: Core

  /// - Parameter serve: Called for each connection, on a thread of its own. The connection is closed when it returns or
  ///   throws.
  package init(_ serve: @escaping @Sendable (Conversation) throws -> Void) throws {
    // Some tests have clients that disconnect early.
    Signals.ignoreFailingWrites()
    let core = try Core()
    self.core = core
    port = try UnixSocket.localPort(core.listener)
    try Threads.start(name: "test-server") {
      while core.waitForConnection() {
        guard let conversation = try? core.accept() else { continue }
        try? Threads.start(name: "test-connection") { try? serve(conversation) }
      }
    }
  }

  deinit { core.stop.signal() }

  /// A port without a listener, which the kernel and other tests do not use.
  package static func unusedPort() throws -> UInt16 {
    while true {
      let port = UInt16.random(in: 10_000..<20_000)
      guard given.update({ $0.insert(port).inserted }),
        let socket = try? UnixSocket.listenLoopback(port: port)
      else { continue }
      try UnixSocket.shutDown(socket)
      return port
    }
  }

  private static let given = Monitor<Set<UInt16>>([])

  package var connections: Int { core.log.withLock { $0.connections } }
  package var requests: [ReceivedRequest] { core.log.withLock { $0.requests } }

  /// Returns false after the test's time limit.
  package func waitForRequests(_ count: Int) -> Bool {
    core.log.wait(.testLimit) { $0.requests.count >= count ? true : nil } ?? false
  }

  package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// The state shared with the accepting thread, which must not keep the server alive.
private final class Core: Sendable {
  struct Log: Sendable {
    var connections = 0
    var requests: [ReceivedRequest] = []
  }

  let listener: FileDescriptor
  let stop: EventCounter
  let log = Monitor(Log())
  private let poller: Poller

  init() throws(SystemError) {
    listener = try UnixSocket.listenLoopback(port: 0)
    stop = try EventCounter()
    poller = try Poller()
    try poller.add(listener.raw, interest: .read, key: 0)
    try poller.add(stop.raw, interest: .read, key: 1)
  }

  /// Returns false once the server has stopped.
  func waitForConnection() -> Bool {
    guard let events = try? poller.wait(until: nil) else { return false }
    return !events.contains { $0.key == 1 }
  }

  func accept() throws(SystemError) -> Conversation {
    let socket = try UnixSocket.accept(listener)
    let log = self.log
    let number = log.update { log in
      log.connections += 1
      return log.connections
    }
    return try Conversation(socket, number: number) { request in log.update { $0.requests.append(request) } }
  }
}
