import Encoding
import Platform

/// The issuer on a port of 127.0.0.1: accepts connections and gives each a thread.
final class IssuerServer: Sendable {
  /// Further connections are turned away with 503.
  static let connectionLimit = 256

  private static let listenerKey: UInt64 = 1

  let port: UInt16
  let issuer: Monitor<DevelopmentIssuer>
  let limits: IssuerConnection.Limits
  let stopSignal: EventCounter
  private let listener: FileDescriptor
  private let openCount = Monitor(0)
  /// Takes a line for each request.
  private let log: (@Sendable (String) -> Void)?

  /// Starts to listen; connections wait until ``serve(untilReadable:)``.
  init(
    _ settings: IssuerSettings, clientSecret: String, clock: any TimeSource = SystemTime(),
    limits: IssuerConnection.Limits = IssuerConnection.Limits(), log: (@Sendable (String) -> Void)? = nil
  ) throws {
    listener = try UnixSocket.listenLoopback(port: settings.port)
    port = try UnixSocket.localPort(listener)
    stopSignal = try EventCounter()
    issuer = Monitor(try DevelopmentIssuer(settings, port: port, clientSecret: clientSecret, clock: clock))
    self.limits = limits
    self.log = log
  }

  /// Ends ``serve(untilReadable:)`` and all connections. From any thread, more than once.
  func stop() { stopSignal.signal() }

  /// Accepts connections until ``stop()`` or until a further descriptor becomes readable, then waits up to two seconds
  /// for the connections to end.
  func serve(untilReadable other: Int32? = nil) throws {
    let poller = try Poller()
    try poller.add(listener.raw, interest: .read, key: Self.listenerKey)
    for descriptor in [stopSignal.raw, other].compactMap(\.self) {
      try poller.add(descriptor, interest: .read, key: 2)
    }
    while try poller.wait().allSatisfy({ $0.key == Self.listenerKey }) {
      // The system may lack the means to take the connection that waits: not asked again at once.
      if try !acceptOne() { Threads.sleep(for: .milliseconds(50)) }
    }
    stop()
    _ = openCount.wait(.seconds(2)) { $0 == 0 ? true : nil }
  }

  /// False when there is no descriptor or thread for the connection that waits.
  private func acceptOne() throws -> Bool {
    let socket: SharedDescriptor
    do throws(SystemError) {
      socket = SharedDescriptor(try UnixSocket.accept(listener))
    } catch {
      // The client may be gone already, which is no shortage.
      return error.isAgain || error.name == "ECONNABORTED" || error.name == "EINTR"
    }
    issuer.withLock { $0.count(.connections) }
    guard openCount.withLock({ $0 }) < Self.connectionLimit else {
      _ = try? socket.descriptor.write(serialized(.text("Too many connections.", status: 503), keepsAlive: false).span)
      return true
    }
    openCount.withLock { $0 += 1 }
    do throws(SystemError) {
      try Threads.start(name: "connection") { [self] in
        (try? IssuerConnection(socket, self))?.serve()
        openCount.update { $0 -= 1 }
      }
      return true
    } catch {
      openCount.withLock { $0 -= 1 }
      return false
    }
  }

  /// Answers after the waits that settings ask for; not at all when a wait ends early.
  ///
  /// - Parameter pause: Waits, and returns whether the client is still there.
  func answer(_ request: IssuerRequest, pause: (Duration) -> Bool) -> IssuerAnswer {
    var waited = 0
    while let wait = issuer.withLock({ $0.wait(before: request, waited: waited) }) {
      guard pause(.milliseconds(wait)) else { return .dropped }
      waited += wait
    }
    return issuer.withLock { $0.answer(request) }
  }

  func serialized(_ answer: IssuerAnswer, keepsAlive: Bool, withContent: Bool = true) -> [UInt8] {
    answer.serialized(date: issuer.withLock { $0.wall }, keepsAlive: keepsAlive, withContent: withContent)
  }

  /// Writes the log's line for a request: never a query, a header field or content, so never a token or a code.
  func note(_ request: IssuerRequest, _ answer: IssuerAnswer, took: Duration) {
    guard let log else { return }
    let status = answer.delivery == .whole ? "\(answer.status)" : "cut"
    let tenths = took.saturatingNanoseconds / 100_000
    let time = "\(Timestamp.rfc3339(issuer.withLock { $0.wall })) "
    log(time + "\(request.method) \(request.path) \(status) \(tenths / 10).\(tenths % 10) ms\n")
  }
}
