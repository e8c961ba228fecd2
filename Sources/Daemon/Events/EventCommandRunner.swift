internal import Platform
internal import Sessions
internal import Wire

/// Runs the commands configured for events, a few at once, with time limits. Never blocks.
final class EventCommandRunner {
  static let maximumRunning = 4
  static let maximumQueued = 64
  /// The time between SIGTERM and SIGKILL.
  private static let graceTime = Duration.seconds(2)

  struct QueuedCommand: Sendable {
    /// The command's position in the settings, starting at 1.
    var position: Int
    var command: EventCommand
    var account: AccountName?
    /// The event as a JSON line, for standard input.
    var input: [UInt8]

    /// Starts the command in its own session, with only these variables. Discards its output. Blocking.
    func start(environment: [String]) throws(SystemError) -> EventCommandRunner.StartedCommand {
      let pipe = try Pipe()
      // A pipe holds more than the longest event, so the write does not wait.
      try pipe.writing.setNonBlocking(true)
      try pipe.writing.writeAll(input.span)
      let inputNumber = pipe.reading.raw
      let process = try Spawn.start(
        Spawn.Request(
          executable: command.arguments[0], arguments: command.arguments, environment: environment, newSession: true,
          inherits: [(parent: inputNumber, child: 0)], nullStandardStreams: true, directory: "/"))
      do throws(SystemError) {
        return StartedCommand(process: process, endDescriptor: SharedDescriptor(try Spawn.processDescriptor(process)))
      } catch {
        // A command that cannot be watched must not run.
        try? Spawn.killGroup(process, Signals.SIGKILL)
        _ = try? Spawn.wait(process)
        throw error
      }
    }
  }

  struct StartedCommand: Sendable {
    let process: Int32
    /// Readable when the process has ended.
    let endDescriptor: SharedDescriptor
  }

  private struct RunningCommand {
    let queuedCommand: QueuedCommand
    let process: Int32
    let endDescriptor: SharedDescriptor
    /// When to send SIGTERM, or SIGKILL after SIGTERM.
    var deadline: Instant
    /// Whether SIGTERM was sent.
    var wasTerminated = false
  }

  private let poller: Poller
  /// Killed commands whose end could not be watched.
  private var unwatched: [Int32] = []
  /// By the command's key in the poller.
  private var running: [UInt64: RunningCommand] = [:]
  /// The number of commands that workers are starting.
  private var starting = 0
  private var waiting: [QueuedCommand] = []
  private var droppedCount = 0
  private var lastKey: UInt64 = 0
  /// When the runner closes. Nil before shutdown.
  private var end: Instant?
  private var isClosed = false

  init() throws(SystemError) { poller = try Poller() }

  /// Readable when a command has ended.
  var raw: Int32 { poller.raw }

  var isIdle: Bool { running.isEmpty && starting == 0 && waiting.isEmpty && unwatched.isEmpty }

  /// Queues a command, unless too many are queued or the runner is closed.
  func add(_ queuedCommand: QueuedCommand) {
    if !isClosed, waiting.count < Self.maximumQueued { waiting.append(queuedCommand) } else { droppedCount += 1 }
  }

  /// Returns the next command to start. Nil if none is queued or too many are running.
  func takeNext() -> QueuedCommand? {
    guard running.count + starting < Self.maximumRunning, !waiting.isEmpty else { return nil }
    starting += 1
    return waiting.removeFirst()
  }

  func takeDroppedCount() -> Int {
    defer { droppedCount = 0 }
    return droppedCount
  }

  /// Handles a start by a worker. Returns the problem if it failed.
  func handleStart(_ queuedCommand: QueuedCommand, _ outcome: Result<StartedCommand, SystemError>, now: Instant)
    -> LogEvent
    .CommandProblem?
  {
    starting -= 1
    switch outcome {
    case .failure(let error): return .notStarted(errno: Int(error.errno))
    case .success(let started):
      lastKey += 1
      do {
        try poller.add(started.endDescriptor.descriptor.raw, interest: .read, key: lastKey)
        running[lastKey] = RunningCommand(
          queuedCommand: queuedCommand, process: started.process, endDescriptor: started.endDescriptor,
          deadline: min(now.advanced(by: .seconds(queuedCommand.command.timeoutSeconds)), end ?? .distantFuture))
        return nil
      } catch {
        // A command without a watch must not run. Its end is not awaited (invariant: the loop never blocks).
        Self.signal(started.process, Signals.SIGKILL)
        unwatched.append(started.process)
        unwatchedDue = now.advanced(by: Self.unwatchedInterval)
        return .notStarted(errno: Int(error.errno))
      }
    }
  }

  private static let unwatchedInterval = Duration.milliseconds(200)
  /// When to reap ``unwatched`` next.
  private var unwatchedDue = Instant.distantFuture

  private func reapUnwatched(_ now: Instant) {
    unwatched.removeAll { process in
      do { return try Spawn.tryWait(process) != nil } catch { return true }
    }
    unwatchedDue = unwatched.isEmpty ? .distantFuture : now.advanced(by: Self.unwatchedInterval)
  }

  /// Calls `report` for each command that failed.
  func reapEnded(_ report: (QueuedCommand, LogEvent.CommandProblem) -> Void) {
    guard let events = try? poller.wait(timeoutMilliseconds: 0) else { return }
    for event in events {
      guard let ended = running[event.key] else { continue }
      // Kills the rest of the group. The process ID is valid until the wait below.
      if ended.wasTerminated { Self.signal(ended.process, Signals.SIGKILL) }
      let status: ProcessStatus?
      do { status = try Spawn.tryWait(ended.process) } catch { status = .exited(0) }
      guard let status else { continue }
      try? poller.remove(ended.endDescriptor.descriptor.raw)
      running[event.key] = nil
      if let problem = Self.problem(status, ended.wasTerminated) { report(ended.queuedCommand, problem) }
    }
  }

  private static func problem(_ status: ProcessStatus, _ wasTerminated: Bool) -> LogEvent.CommandProblem? {
    if wasTerminated { return .timedOut }
    switch status {
    case .exited(0): return nil
    case .exited(let status): return .exited(Int(status))
    case .signalled(let signal): return .signalled(Int(signal))
    }
  }

  var nextDeadline: Instant? {
    (running.values.map(\.deadline) + (unwatched.isEmpty ? [] : [unwatchedDue])).min()
  }

  /// Sends SIGTERM to overdue commands, then SIGKILL.
  func endOverdue(_ now: Instant) {
    if let end, end <= now {
      isClosed = true
      waiting = []
    }
    if unwatchedDue <= now { reapUnwatched(now) }
    for (key, entry) in running where entry.deadline <= now {
      Self.signal(entry.process, entry.wasTerminated ? Signals.SIGKILL : Signals.SIGTERM)
      running[key]?.wasTerminated = true
      running[key]?.deadline = now.advanced(by: Self.graceTime)
    }
  }

  /// Schedules the close for `end`. Commands still running get SIGTERM then, and SIGKILL by the returned time.
  func close(at end: Instant) -> Instant {
    self.end = end
    for (key, entry) in running { running[key]?.deadline = min(entry.deadline, end) }
    return end.advanced(by: Self.graceTime)
  }

  func killAll() {
    for entry in running.values { Self.signal(entry.process, Signals.SIGKILL) }
  }

  private static func signal(_ process: Int32, _ signal: Int32) { try? Spawn.killGroup(process, signal) }
}
