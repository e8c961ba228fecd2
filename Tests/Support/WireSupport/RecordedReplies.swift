package import Encoding
package import Platform
package import TestSupport
package import Wire

/// Records what is sent. Dictionaries are by the number of the ticket's connection. The test runs the timers.
package final class RecordedReplies: RequestLoop {
  /// How often each request was answered.
  package private(set) var answers: [Int: Int] = [:]
  /// The responses with secrets.
  package private(set) var lines: [Int: String] = [:]
  package private(set) var results: [Int: JSONObject] = [:]
  package private(set) var failures: [Int: Failure] = [:]
  /// The requests that continued after a wait.
  package private(set) var admitted: [Int: RequestEnvelope] = [:]
  package private(set) var events: [Int: [Event]] = [:]
  package private(set) var deadlines: [Int: Instant] = [:]
  /// The handlers of watched descriptors, in the order of ``watch(_:for:_:)`` calls.
  package private(set) var watched: [() -> Void] = []
  /// The watched descriptors, in the same order.
  package private(set) var descriptors: [Int32] = []
  /// The keys of descriptors that are still watched.
  package private(set) var watchedKeys: Set<UInt64> = []
  /// The access rules of connections that peers opened. The first has number 1.
  package private(set) var connectionRules: [any ConnectionRules] = []
  /// The numbers of connections that may be idle.
  package private(set) var channels: [UInt64] = []
  private static let firstChannel: UInt64 = 1000
  /// The failures sent to peers when their access ended.
  package private(set) var endings: [Failure] = []
  /// The number of bytes that each peer has not read.
  package var unreadBytes = 0
  /// Whether watching another descriptor fails.
  package var isFull = false
  /// The handlers for a peer that continues to read.
  package private(set) var streams: [Int: () -> Void] = [:]
  /// Called while an event is sent, like for a peer that reads it immediately.
  package var whileSending: () -> Void = {}
  /// Called with the number of a request when it is answered. The connection's next request then begins.
  package var whenAnswered: (Int) -> Void = { _ in }
  package var maximumPerServer: Int?
  private var timers = Timers<() -> Void>()
  private let time: ManualTime

  package init(_ time: ManualTime) { self.time = time }

  package var now: Instant { time.now() }

  package var nextDue: Instant? { timers.nextDue }
  /// The number of timers that have not run.
  package private(set) var timerCount = 0

  package func runDue() {
    while let act = timers.popDue(now) {
      timerCount -= 1
      act()
    }
  }

  package func send(_ reply: Reply, to ticket: Ticket) {
    let number = Int(ticket.connection)
    switch reply {
    case .event(let event):
      events[number, default: []].append(event)
      whileSending()
      return
    case .result(let result): results[number] = result
    case .failure(let failure): failures[number] = failure
    }
    answers[number, default: 0] += 1
    whenAnswered(number)
  }

  package func send(_ line: any SecretLine, to ticket: Ticket) {
    answers[Int(ticket.connection), default: 0] += 1
    lines[Int(ticket.connection)] = line.text
    whenAnswered(Int(ticket.connection))
  }

  package func schedule(at due: Instant, _ act: @escaping () -> Void) {
    timerCount += 1
    timers.schedule(act, at: due)
  }
  package func watch(
    _ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void
  ) throws(SystemError) -> UInt64 {
    // The kernel's error at its limit, ENOSPC.
    if isFull { throw SystemError(errno: 28, operation: "epoll_ctl") }
    watched.append(serve)
    descriptors.append(descriptor)
    watchedKeys.insert(UInt64(descriptors.count))
    return UInt64(descriptors.count)
  }
  package func unwatch(_ key: UInt64) { watchedKeys.remove(key) }
  package func admit(
    _ descriptor: consuming FileDescriptor, under rules: any ConnectionRules, mayIdle: Bool
  ) throws(SystemError) -> UInt64 {
    if isFull { throw SystemError(errno: 24, operation: "epoll_ctl") }
    if mayIdle {
      channels.append(Self.firstChannel + UInt64(channels.count))
      return Self.firstChannel + UInt64(channels.count) - 1
    }
    connectionRules.append(rules)
    return UInt64(connectionRules.count)
  }
  package func resume(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    admitted[Int(ticket.connection)] = envelope
  }
  package func whenRead(by ticket: Ticket, _ act: @escaping () -> Void) { streams[Int(ticket.connection)] = act }
  package func unreadBytes(by ticket: Ticket) -> Int { unreadBytes }
  package func dropPeers(of rules: any ConnectionRules, with failure: Failure) { endings.append(failure) }
  package func setDeadline(_ deadline: Instant, of ticket: Ticket) { deadlines[Int(ticket.connection)] = deadline }
}

extension Ticket {
  /// The ticket of the test's request with this number.
  package static func number(_ number: Int) -> Ticket { Ticket(connection: UInt64(number), serial: 1) }
}

extension SecretLine {
  package var text: String {
    let empty: [UInt8] = []
    guard let file = try? FileDescriptor.inMemory(empty.span), (try? write(from: 0, to: file)) == count else {
      return ""
    }
    var bytes = [UInt8](repeating: 0, count: count)
    var space = bytes.mutableSpan
    _ = try? file.read(into: &space, at: 0)
    return String(decoding: bytes, as: UTF8.self)
  }
}
