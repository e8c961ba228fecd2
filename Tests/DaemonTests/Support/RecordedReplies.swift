import Crypto
import Encoding
import Platform
import TestSupport
import Wire

@testable import Daemon

/// A loop that keeps what was sent to whom, by the number of the ticket's connection, and runs timers when the test says.
final class RecordedReplies: ReplySink {
  /// How often each request was answered.
  private(set) var answers: [Int: Int] = [:]
  /// Answers with a secret.
  private(set) var lines: [Int: String] = [:]
  private(set) var results: [Int: JSONObject] = [:]
  private(set) var failures: [Int: Failure] = [:]
  /// Requests that went on after they were held.
  private(set) var admitted: [Int: RequestEnvelope] = [:]
  private(set) var events: [Int: [Event]] = [:]
  private(set) var deadlines: [Int: Instant] = [:]
  /// What is done when a watched descriptor is ready, in the order in which they were watched.
  private(set) var watched: [() -> Void] = []
  /// These descriptors.
  private(set) var descriptors: [Int32] = []
  /// The terms of those that came by a lent socket; the connection of the first has the number 1.
  private(set) var admissions: [any Admission] = []
  /// What the peers of lent sockets were told at the end of their terms.
  private(set) var endings: [Failure] = []
  /// How many bytes each peer has not read.
  var unreadBytes = 0
  /// No descriptor can be watched any more.
  var isFull = false
  /// What is done when the peer reads on, by the number of the ticket's connection.
  private(set) var streams: [Int: () -> Void] = [:]
  /// What is done while an event is sent, as by a peer that reads at once.
  var whileSending: () -> Void = {}
  /// Called with the number of a request when it is answered, as the next request of a connection begins then.
  var whenAnswered: (Int) -> Void = { _ in }
  var mostAtOneServer: Int?
  private var timers = Timers<() -> Void>()
  private let time: ManualTime

  init(_ time: ManualTime) { self.time = time }

  var now: Instant { time.now() }

  var nextDue: Instant? { timers.nextDue }

  /// Runs the timers whose time has come.
  func runDue() {
    while let act = timers.popDue(now) { act() }
  }

  func send(_ reply: Reply, to ticket: Ticket) {
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

  func send(_ line: SharedSecret, to ticket: Ticket) {
    answers[Int(ticket.connection), default: 0] += 1
    lines[Int(ticket.connection)] = line.text
    whenAnswered(Int(ticket.connection))
  }

  func schedule(at due: Instant, _ act: @escaping () -> Void) { timers.schedule(act, at: due) }
  func watch(
    _ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void
  ) throws(SystemError) -> UInt64 {
    // As the kernel says beyond its limit, ENOSPC.
    if isFull { throw SystemError(errno: 28, operation: "epoll_ctl") }
    watched.append(serve)
    descriptors.append(descriptor)
    return 1
  }
  func unwatch(_ key: UInt64) {}
  func admit(_ descriptor: consuming FileDescriptor, under admission: any Admission) throws(SystemError) -> UInt64 {
    admissions.append(admission)
    return UInt64(admissions.count)
  }
  func goOn(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor]) {
    admitted[Int(ticket.connection)] = envelope
  }
  func stream(to ticket: Ticket, _ act: @escaping () -> Void) { streams[Int(ticket.connection)] = act }
  func unread(by ticket: Ticket) -> Int { unreadBytes }
  func dropPeers(of admission: any Admission, saying failure: Failure) { endings.append(failure) }
  func setDeadline(_ deadline: Instant, of ticket: Ticket) { deadlines[Int(ticket.connection)] = deadline }
}

extension Ticket {
  /// The ticket of the test's request of this number.
  static func number(_ number: Int) -> Ticket { Ticket(connection: UInt64(number), serial: 1) }
}

extension SharedSecret {
  var text: String {
    bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }
}
