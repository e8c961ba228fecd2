internal import Platform
internal import Wire

/// Waits for all sockets of this process on one thread, outside Swift's pool.
final class SocketWaits: Sendable {
  /// How a wait ended: `late` if its deadline passed.
  private enum Outcome: Sendable { case readable, late, cancelled, failed(SystemError) }

  private struct Wait: Sendable {
    let descriptor: Int32
    let deadline: Instant
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State: Sendable {
    var waits: [UInt64: Wait] = [:]
    /// The latest poller key. 0 is the key of ``SocketWaits/alarm``.
    var lastKey: UInt64 = 0
    /// When the thread wakes at the latest.
    var wakesAt = Instant.distantFuture
  }

  private static let sharedInstance = Monitor<SocketWaits?>(nil)

  private let state = Monitor(State())
  private let poller: Poller
  /// Wakes the thread for an earlier deadline.
  private let alarm: EventCounter

  private init() throws(SystemError) {
    poller = try Poller()
    alarm = try EventCounter()
    try poller.add(alarm.raw, interest: .read, key: 0)
  }

  private static func shared() throws(SystemError) -> SocketWaits {
    try sharedInstance.withLock { (instance) throws(SystemError) in
      if let instance { return instance }
      let waits = try start()
      instance = waits
      return waits
    }
  }

  /// Creates an instance with its thread, which runs until the process ends.
  static func start() throws(SystemError) -> SocketWaits {
    let waits = try SocketWaits()
    try Threads.start(name: "agent-client") { waits.run() }
    return waits
  }

  /// Waits until a descriptor is readable or its peer disconnects. The descriptor must stay open meanwhile. Throws
  /// `timeout` or `cancelled`.
  static func wait(for descriptor: Int32, before deadline: Instant) async throws(Failure) {
    let waits: SocketWaits
    do { waits = try shared() } catch { throw waitFailure(error) }
    try await waits.wait(for: descriptor, before: deadline)
  }

  /// Waits on this instance's thread, like ``wait(for:before:)``.
  func wait(for descriptor: Int32, before deadline: Instant) async throws(Failure) {
    switch await outcome(of: descriptor, deadline) {
    case .readable: return
    case .late: throw .noAnswerInTime
    case .cancelled: throw Failure(.cancelled, verbatim: "the task was cancelled")
    case .failed(let error): throw Self.waitFailure(error)
    }
  }

  private static func waitFailure(_ error: SystemError) -> Failure {
    Failure(.storage, verbatim: "cannot wait for the daemon's answer: \(error.message)")
  }

  private func outcome(of descriptor: Int32, _ deadline: Instant) async -> Outcome {
    let key = state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(key, Wait(descriptor: descriptor, deadline: deadline, continuation: continuation))
        // The task may have been cancelled before.
        if Task.isCancelled { finish(key, .cancelled) }
      }
    } onCancel: {
      finish(key, .cancelled)
    }
  }

  /// Adds a wait, and wakes the thread for an earlier deadline.
  private func add(_ key: UInt64, _ wait: Wait) {
    let (problem, isSooner) = state.withLock { state -> (SystemError?, Bool) in
      // Under the lock, so that the wait's end finds the descriptor in the poller.
      do throws(SystemError) { try poller.add(wait.descriptor, interest: .read, key: key) } catch {
        return (error, false)
      }
      state.waits[key] = wait
      return (nil, wait.deadline < state.wakesAt)
    }
    if let problem { wait.continuation.resume(returning: .failed(problem)) }
    if isSooner { alarm.signal() }
  }

  /// Ends a wait, unless already ended, and resumes its task.
  private func finish(_ key: UInt64, _ outcome: Outcome) {
    let ended = state.withLock { state -> Wait? in
      guard let wait = state.waits.removeValue(forKey: key) else { return nil }
      try? poller.remove(wait.descriptor)
      return wait
    }
    ended?.continuation.resume(returning: outcome)
  }

  /// The thread's loop: ends waits for readable sockets and passed deadlines.
  private func run() -> Never {
    while true {
      let (deadline, late) = state.withLock { state in
        state.wakesAt = state.waits.values.map(\.deadline).min() ?? .distantFuture
        let now = Instant.now
        return (state.wakesAt, state.waits.filter { $0.value.deadline <= now }.map(\.key))
      }
      let events: [Poller.Event]
      do { events = try poller.wait(until: deadline == .distantFuture ? nil : deadline) } catch {
        preconditionFailure("epoll_wait: \(error.message)")
      }
      for event in events {
        if event.key == 0 { alarm.drain() } else { finish(event.key, .readable) }
      }
      // The process may have been stopped past the deadline, so all that is readable is handled first.
      if events.count < Poller.maximumEvents { for key in late { finish(key, .late) } }
    }
  }
}
