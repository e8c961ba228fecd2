package import Encoding
package import Peers
package import Platform
package import TestSupport
package import Wire

/// A loop that keeps what was sent to whom, by the number of the ticket's connection, and runs timers when the test says.
package final class RecordedReplies: ReplySink {
  /// How often each request was answered.
  package private(set) var answers: [Int: Int] = [:]
  /// Answers with a secret.
  package private(set) var lines: [Int: String] = [:]
  package private(set) var results: [Int: JSONObject] = [:]
  package private(set) var failures: [Int: Failure] = [:]
  /// Requests that went on after they were held.
  package private(set) var admitted: [Int: RequestEnvelope] = [:]
  package private(set) var events: [Int: [Event]] = [:]
  package private(set) var deadlines: [Int: Instant] = [:]
  /// What is done when a watched descriptor is ready, in the order in which they were watched.
  package private(set) var watched: [() -> Void] = []
  /// These descriptors.
  package private(set) var descriptors: [Int32] = []
  /// The keys of those that are still watched.
  package private(set) var watchedKeys: Set<UInt64> = []
  /// The terms of the connections for peers; the first has the number 1.
  package private(set) var admissions: [any Admission] = []
  /// The connections that may be idle, by their numbers.
  package private(set) var channels: [UInt64] = []
  private static let firstChannel: UInt64 = 1000
  /// What the peers of lent sockets were told at the end of their terms.
  package private(set) var endings: [Failure] = []
  /// How many bytes each peer has not read.
  package var unreadBytes = 0
  /// No descriptor can be watched any more.
  package var isFull = false
  /// What is done when the peer reads on, by the number of the ticket's connection.
  package private(set) var streams: [Int: () -> Void] = [:]
  /// What is done while an event is sent, as by a peer that reads at once.
  package var whileSending: () -> Void = {}
  /// Called with the number of a request when it is answered, as the next request of a connection begins then.
  package var whenAnswered: (Int) -> Void = { _ in }
  package var mostAtOneServer: Int?
  private var timers = Timers<() -> Void>()
  private let time: ManualTime

  package init(_ time: ManualTime) { self.time = time }

  package var now: Instant { time.now() }

  package var nextDue: Instant? { timers.nextDue }
  /// How many timers have not run yet.
  package private(set) var timerCount = 0

  /// Runs the timers whose time has come.
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
    // As the kernel says beyond its limit, ENOSPC.
    if isFull { throw SystemError(errno: 28, operation: "epoll_ctl") }
    watched.append(serve)
    descriptors.append(descriptor)
    watchedKeys.insert(UInt64(descriptors.count))
    return UInt64(descriptors.count)
  }
  package func unwatch(_ key: UInt64) { watchedKeys.remove(key) }
  package func admit(
    _ descriptor: consuming FileDescriptor, under admission: any Admission, mayIdle: Bool
  ) throws(SystemError) -> UInt64 {
    if isFull { throw SystemError(errno: 24, operation: "epoll_ctl") }
    if mayIdle {
      channels.append(Self.firstChannel + UInt64(channels.count))
      return Self.firstChannel + UInt64(channels.count) - 1
    }
    admissions.append(admission)
    return UInt64(admissions.count)
  }
  package func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    admitted[Int(ticket.connection)] = envelope
  }
  package func stream(to ticket: Ticket, _ act: @escaping () -> Void) { streams[Int(ticket.connection)] = act }
  package func unread(by ticket: Ticket) -> Int { unreadBytes }
  package func dropPeers(of admission: any Admission, saying failure: Failure) { endings.append(failure) }
  package func setDeadline(_ deadline: Instant, of ticket: Ticket) { deadlines[Int(ticket.connection)] = deadline }
}

extension Ticket {
  /// The ticket of the test's request of this number.
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
