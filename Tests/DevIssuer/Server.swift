import Crypto
import Platform
import Synchronization

/// The issuer on a port of 127.0.0.1: accepts connections and gives each a thread.
final class Server: Sendable {
  /// Further connections are turned away with 503.
  static let connectionLimit = 256

  private static let listenerKey: UInt64 = 1
  private static let stopKey: UInt64 = 2
  private static let otherKey: UInt64 = 3

  let port: UInt16
  let issuer: AuthorizationServer
  private let listener: FileDescriptor
  private let stopSignal: EventCounter
  private let endSignal: EventCounter
  private let openCount = Atomic<Int>(0)
  private let limits: ConnectionLimits
  private let log: RequestLog?

  /// Starts to listen; connections wait until ``serve(untilReadable:)``.
  init(
    options: Options, clientSecret: String, clock: any TimeSource = SystemTime(),
    limits: ConnectionLimits = ConnectionLimits(), log: RequestLog? = nil
  ) throws(StartError) {
    do throws(SystemError) {
      listener = try UnixSocket.listenLoopback(port: options.port)
      port = try UnixSocket.localPort(listener)
      stopSignal = try EventCounter()
      endSignal = try EventCounter()
    } catch {
      throw .system(error)
    }
    do throws(CryptoError) {
      issuer = try AuthorizationServer(options: options, port: port, clientSecret: clientSecret, clock: clock)
    } catch {
      throw .crypto(error)
    }
    self.limits = limits
    self.log = log
  }

  /// Ends ``serve(untilReadable:)`` and all connections. From any thread, more than once.
  func stop() {
    stopSignal.signal()
  }

  /// Accepts connections until ``stop()`` or until a further descriptor becomes readable, then
  /// waits a little for the connections to end.
  func serve(untilReadable other: Int32? = nil) throws(SystemError) {
    let poller = try Poller()
    try poller.add(listener.raw, interest: .read, key: Self.listenerKey)
    try poller.add(stopSignal.raw, interest: .read, key: Self.stopKey)
    if let other { try poller.add(other, interest: .read, key: Self.otherKey) }
    while true {
      let events = try poller.wait(timeoutMilliseconds: -1)
      if events.contains(where: { $0.key != Self.listenerKey }) { break }
      if try !acceptOne() { try rest(poller) }
    }
    stop()
    try awaitConnections()
  }

  /// False when the system lacks the means to take the connection that waits.
  private func acceptOne() throws(SystemError) -> Bool {
    let socket: FileDescriptor
    do throws(SystemError) {
      socket = try UnixSocket.accept(listener)
    } catch {
      // The client may be gone already, which is no shortage.
      return error.isAgain || error.name == "ECONNABORTED" || error.name == "EINTR"
    }
    issuer.count(.connections)
    guard openCount.load(ordering: .relaxed) < Self.connectionLimit else {
      let answer = Response.text("Too many connections.", status: 503)
      _ = try? socket.write(answer.serialized(date: issuer.wallSeconds(), keepsAlive: false).span)
      return true
    }
    return start(socket)
  }

  private func start(_ socket: consuming FileDescriptor) -> Bool {
    guard
      let connection = try? Connection.over(
        socket, stop: stopSignal.raw, issuer: issuer, limits: limits, log: log)
    else { return false }
    let handover = Handover(connection)
    openCount.add(1, ordering: .relaxed)
    do throws(SystemError) {
      try Threads.start(name: "connection") { [self] in
        handover.serve()
        openCount.subtract(1, ordering: .relaxed)
        endSignal.signal()
      }
      return true
    } catch {
      openCount.subtract(1, ordering: .relaxed)
      return false
    }
  }

  /// Leaves the connections that wait alone for a moment, until some other has ended.
  private func rest(_ poller: borrowing Poller) throws(SystemError) {
    try poller.modify(listener.raw, interest: .none, key: Self.listenerKey)
    _ = try poller.wait(timeoutMilliseconds: 50)
    try poller.modify(listener.raw, interest: .read, key: Self.listenerKey)
  }

  private func awaitConnections() throws(SystemError) {
    let deadline = Instant.now.advanced(by: .seconds(2))
    let poller = try Poller()
    try poller.add(endSignal.raw, interest: .read, key: 0)
    while openCount.load(ordering: .relaxed) > 0, Instant.now < deadline {
      _ = try poller.wait(until: deadline)
      endSignal.drain()
    }
  }
}
