import Encoding
import Platform

/// The issuer on a port of 127.0.0.1: accepts connections and gives each a thread, so that a client that is slow, or is
/// made to wait, holds up no other.
final class IssuerServer: Sendable {
  /// Further connections are turned away with 503.
  static let connectionLimit = 256

  private static let listenerKey: UInt64 = 1

  let port: UInt16
  let issuer: Monitor<DevelopmentIssuer>
  private let documents: ClientDocuments
  private let limits: IssuerConnection.Limits
  private let stopSignal: EventCounter
  private let listener: FileDescriptor
  private let openCount = Monitor(0)
  /// Takes a line for each request.
  private let log: (@Sendable (String) -> Void)?

  /// Starts to listen; connections wait until ``serve(untilReadable:)``.
  ///
  /// - Parameters:
  ///   - clientKeys: Of one more client, which signs.
  ///   - platformKeys: Of the platform whose assertions are taken.
  ///   - authorities: Trusted for what clients publish, in PEM form.
  init(
    _ settings: IssuerSettings, clientSecret: String, clientKeys: JSON? = nil, platformKeys: JSON? = nil,
    authorities: [UInt8]? = nil,
    clock: any TimeSource = SystemTime(),
    limits: IssuerConnection.Limits = IssuerConnection.Limits(), log: (@Sendable (String) -> Void)? = nil
  ) throws {
    listener = try UnixSocket.listenLoopback(port: UInt16(clamping: settings.number("--port")))
    port = try UnixSocket.localPort(listener)
    stopSignal = try EventCounter()
    issuer = Monitor(try DevelopmentIssuer(settings, port: port, clientSecret, clientKeys, platformKeys, clock))
    documents = try ClientDocuments(authorities: authorities)
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
      if (try? acceptOne()) == nil { Threads.sleep(for: .milliseconds(50)) }
    }
    stop()
    _ = openCount.wait(.seconds(2)) { $0 == 0 ? true : nil }
  }

  private func acceptOne() throws {
    let socket = SharedDescriptor(try UnixSocket.accept(listener))
    issuer.withLock { $0.count(.connections) }
    guard openCount.withLock({ $0 }) < Self.connectionLimit else {
      _ = try socket.descriptor.write(serialized(.text("Too many connections.", status: 503), keepsAlive: false).span)
      return
    }
    try Threads.start(name: "connection") { [self] in
      openCount.update { $0 += 1 }
      try? serve(try IssuerConnection(socket, limits, stop: stopSignal.raw))
      openCount.update { $0 -= 1 }
    }
  }

  /// Serves until the connection ends, which is told by an error, too.
  private func serve(_ connection: IssuerConnection) throws {
    var keepsAlive = true
    while keepsAlive {
      do {
        let request = try connection.readRequest()
        let start = Instant.now
        let answer = answer(request, connection)
        keepsAlive = request.keepsAlive && answer.delivery == .whole
        // Before the answer goes out, so that its reader finds the line.
        note(request, answer, took: start.duration(to: .now))
        try connection.write(serialized(answer, keepsAlive: keepsAlive, withContent: request.method != "HEAD"))
        let chunk = IssuerAnswer.chunk([UInt8](repeating: UInt8(ascii: "x"), count: 16_384))
        let end = Instant.now.advanced(by: .seconds(30))
        while answer.delivery == .endless, Instant.now < end { try connection.write(chunk) }
      } catch let refusal as Refusal {
        keepsAlive = false
        try connection.write(serialized(refusal.answer, keepsAlive: false))
      }
    }
  }

  /// Answers after the waits that settings ask for; not at all when the client is gone before their end.
  private func answer(_ request: IssuerRequest, _ connection: IssuerConnection) -> IssuerAnswer {
    var waited = 0
    while let wait = issuer.withLock({ $0.wait(before: request, waited: waited) }) {
      guard (try? connection.pause(.milliseconds(wait))) != nil else {
        return IssuerAnswer(status: 500, delivery: .drop)
      }
      waited += wait
    }
    let document = issuer.withLock { $0.documentWanted(for: request) }.map(documents.fetch)
    return issuer.withLock { $0.answer(request, document) }
  }

  private func serialized(_ answer: IssuerAnswer, keepsAlive: Bool, withContent: Bool = true) -> [UInt8] {
    answer.serialized(date: issuer.withLock { $0.wall }, keepsAlive: keepsAlive, withContent: withContent)
  }

  /// Writes the log's line for a request: never a query, a header field or content, so never a token or a code.
  private func note(_ request: IssuerRequest, _ answer: IssuerAnswer, took: Duration) {
    guard let log else { return }
    let status = answer.delivery == .whole ? "\(answer.status)" : "cut"
    let tenths = took.saturatingNanoseconds / 100_000
    let time = Timestamp.rfc3339(issuer.withLock { $0.wall })
    log("\(time) \(request.method) \(request.path) \(status) \(tenths / 10).\(tenths % 10) ms\n")
  }
}
