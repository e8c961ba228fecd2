import OAuth
import Wire
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary

@testable import Daemon

/// Fair shares: work that waits keeps only work of its own share waiting.
@Suite struct `The daemon's work` {
  private let inbox: Inbox
  private let jobs: Jobs
  /// Opened to end all waits.
  private let gate = Monitor(false)
  private let begun = Monitor(0)

  init() throws {
    inbox = try Inbox()
    // The minimum number of threads.
    jobs = try Jobs(inbox, maximumDescriptors: 0)
  }

  private func handle(until isDone: () -> Bool) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while !isDone() {
      for act in inbox.takeAll() { act() }
      try #require(Instant.now < deadline)
      Threads.sleep(for: .milliseconds(1))
    }
  }

  private func hang(
    as share: WaitShare, at server: String? = nil, _ ended: Ended, _ cancellation: Cancellation = Cancellation()
  ) {
    jobs.runWaiting(as: share, at: server, cancellation) { [gate, begun] () throws(SessionError) in
      begun.update { $0 += 1 }
      while gate.wait(.milliseconds(5), for: { $0 ? true : nil }) == nil {
        if cancellation.isCancelled { throw .cancelled }
      }
    } then: { outcome in
      switch outcome {
      case .success: ended.count += 1
      case .failure(let error): ended.errors.append(error)
      }
    }
  }

  private final class Ended {
    var count = 0
    var errors: [SessionError] = []
  }

  @Test func `on this machine waits for none that waits for others`() throws {
    let ended = Ended()
    for number in 0..<16 { hang(as: .request(UInt64(number)), ended) }
    var isDone = false
    jobs.run({ true }) { isDone = $0.get() }
    try handle { isDone }
    #expect(ended.count == 0)
    gate.update { $0 = true }
    try handle { ended.count == 16 }
  }

  @Test func `on this machine has 16 threads, and waits its turn beyond them`() throws {
    let ended = Ended()
    for _ in 0..<20 {
      jobs.run({ [gate, begun] in
        begun.update { $0 += 1 }
        _ = gate.wait(.testLimit) { $0 ? true : nil }
      }) { _ in ended.count += 1 }
    }
    try handle { begun.withLock { $0 } == 16 }
    // The threads of later work begin after all of theirs.
    for number in 0..<16 { hang(as: .request(UInt64(number)), ended) }
    try handle { begun.withLock { $0 } >= 16 + 16 }
    #expect(begun.withLock { $0 } == 16 + 16 && jobs.localJobCount == 20)
    gate.update { $0 = true }
    try handle { ended.count == 20 + 16 }
  }

  @Test func `is refused at once when no thread is left for it`() throws {
    let (ended, other) = (Ended(), Ended())
    for number in 0..<16 { hang(as: .request(UInt64(number)), ended) }
    hang(as: .request(99), other)
    try handle { !other.errors.isEmpty }
    #expect(other.errors == [.tooBusy(underWay: 16)])
    #expect(ended.count == 0 && ended.errors.isEmpty)
    gate.update { $0 = true }
    try handle { ended.count == 16 }
    #expect(jobs.waitCount == 0)
  }

  @Test func `of one share has its part of the threads, one after the other`() throws {
    let (ended, other) = (Ended(), Ended())
    let account = try AccountName("work")
    for _ in 0..<30 { hang(as: .refresh(account), ended) }
    for _ in 0..<30 { hang(as: .questions(account), ended) }
    hang(as: .refresh(try AccountName("other")), other)
    try handle { begun.withLock { $0 } == 1 + 4 + 1 }
    #expect(jobs.waitCount == 61)
    gate.update { $0 = true }
    try handle { ended.count == 60 && other.count == 1 }
  }

  @Test func `for one server leaves half of the threads to others`() throws {
    let (ended, other) = (Ended(), Ended())
    for number in 0..<20 { hang(as: .refresh(try AccountName("a\(number)")), at: "https://silent.example", ended) }
    for number in 0..<8 { hang(as: .refresh(try AccountName("b\(number)")), at: "https://other.example", other) }
    try handle { begun.withLock { $0 } == 8 + 8 }
    #expect(jobs.waitCount == 28)
    gate.update { $0 = true }
    try handle { ended.count == 20 && other.count == 8 }
    #expect(ended.errors.isEmpty && other.errors.isEmpty)
  }

  @Test func `for one service, or for a sign-in that is over, leaves the account's other work alone`() throws {
    let (ended, other) = (Ended(), Ended())
    let account = try AccountName("work")
    let service = try Endpoint("https://sts.example/", allowHTTPLoopback: false)
    for _ in 0..<9 { hang(as: .roles(account, service), ended) }
    for _ in 0..<2 {
      hang(as: .roles(account, try Endpoint("https://other.example/", allowHTTPLoopback: false)), other)
    }
    for _ in 0..<2 { hang(as: .exchanges(account), other) }
    for _ in 0..<2 { hang(as: .questions(account), other) }
    for _ in 0..<2 { hang(as: .cleanup(account), other) }
    for _ in 0..<2 { hang(as: .cleanup(try AccountName("other")), other) }
    try handle { begun.withLock { $0 } == 4 + 10 }
    gate.update { $0 = true }
    try handle { ended.count == 9 && other.count == 10 }
  }

  @Test func `that was given up before it began is not begun`() throws {
    let ended = Ended()
    let cancellation = Cancellation()
    cancellation.cancel()
    hang(as: .request(1), ended, cancellation)
    try handle { ended.count + ended.errors.count == 1 }
    #expect(ended.errors == [.cancelled] && begun.withLock { $0 } == 0)
  }

  @Test func `that spends something is not ended, and what has not begun does not begin`() throws {
    let (spending, others) = (Ended(), Ended())
    let cancellation = Cancellation()
    #expect(cancellation.beginSpending())
    hang(as: .signIn(1), spending, cancellation)
    let account = try AccountName("work")
    for _ in 0..<3 { hang(as: .refresh(account), others) }
    try handle { begun.withLock { $0 } == 2 }
    jobs.endWaits()
    try handle { others.errors.count == 3 }
    let error = SessionError.stopping(isPermanent: false)
    #expect(others.errors == [error, error, error])
    #expect(begun.withLock { $0 } == 2)
    #expect(spending.errors.isEmpty)
    #expect(jobs.isSpending)
    // Later work has no recipient.
    hang(as: .signIn(2), others)
    try handle { others.errors.count == 4 }
    #expect(spending.errors.isEmpty)
    gate.update { $0 = true }
    try handle { spending.count == 1 }
  }
}
