import Crypto
import Encoding
import Platform
import TestSupport
import Wire

@testable import Daemon

/// A loop that records sent replies, by the number of the ticket's connection, and runs timers when the test requests
/// it.
final class RecordedReplies: ReplySink {
  /// How often each request was answered.
  private(set) var answers: [Int: Int] = [:]
  /// Responses that contain a secret.
  private(set) var lines: [Int: String] = [:]
  private(set) var results: [Int: JSONObject] = [:]
  private(set) var failures: [Int: Failure] = [:]
  /// Requests that continued after they were deferred.
  private(set) var admitted: [Int: RequestEnvelope] = [:]
  private(set) var events: [Int: [Event]] = [:]
  private(set) var deadlines: [Int: Instant] = [:]
  /// The handlers of watched descriptors, in order.
  private(set) var watched: [() -> Void] = []
  /// These descriptors.
  private(set) var descriptors: [Int32] = []
  /// The access rules of connections accepted at leases' sockets; the first connection has the number 1.
  private(set) var admissions: [any Admission] = []
  /// The failures sent to the peers of leases when these ended.
  private(set) var endings: [Failure] = []
  /// How many bytes each peer has not read.
  var unreadBytes = 0
  /// Whether no further descriptor can be watched.
  var isFull = false
  /// The handlers of streams, by the number of the ticket's connection.
  private(set) var streams: [Int: () -> Void] = [:]
  /// Called while an event is sent, to simulate a peer that reads at once.
  var whileSending: () -> Void = {}
  /// Called with the number of a request when it is answered, because the connection's next request begins then.
  var whenAnswered: (Int) -> Void = { _ in }
  var mostAtOneServer: Int?
  private var timers = Timers<() -> Void>()
  private let time: ManualTime

  init(_ time: ManualTime) { self.time = time }

  var now: Instant { time.now() }

  var nextDue: Instant? { timers.nextDue }

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
    // Like the kernel beyond its limit, ENOSPC.
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
  /// The ticket of the test's request with this number.
  static func number(_ number: Int) -> Ticket { Ticket(connection: UInt64(number), serial: 1) }
}

extension SharedSecret {
  var text: String {
    bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }
}
