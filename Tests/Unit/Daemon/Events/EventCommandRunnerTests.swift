import Platform
import Sessions
import TestSupport
import Testing
import Wire

@testable import Daemon

@Suite struct `The desk of the commands for events` {
  private let desk: EventCommandRunner
  private let begin = Instant(nanoseconds: 1_000_000_000_000)

  init() throws { desk = try EventCommandRunner() }

  /// Runs a command that only one signal ends, for up to a minute.
  private func start(
    _ line: String = "trap '' TERM; while :; do sleep 1; done"
  ) throws -> EventCommandRunner.QueuedCommand {
    let text = #"{"version":2,"on":[{"run":["/bin/sh","-c","\#(line)"],"timeout":60}]}"#
    let command = try #require(try Settings(parsing: Array(text.utf8)).commands.first)
    desk.add(EventCommandRunner.QueuedCommand(position: 1, command: command, account: nil, input: Array("{}\n".utf8)))
    let order = try #require(desk.takeNext())
    let process = try order.start(environment: [])
    #expect(desk.handleStart(order, .success(process), now: begin) == nil)
    return order
  }

  // The loop never blocks.
  @Test func `waits for no command that it cannot watch, and is idle when that has ended`() throws {
    let (order, process) = try {
      let text = #"{"version":2,"on":[{"run":["/bin/sleep","60"]}]}"#
      let command = try #require(try Settings(parsing: Array(text.utf8)).commands.first)
      desk.add(EventCommandRunner.QueuedCommand(position: 1, command: command, account: nil, input: []))
      let order = try #require(desk.takeNext())
      return (order, try order.start(environment: []).process)
    }()
    // A poller does not accept a regular file.
    let file = SharedDescriptor(try FileDescriptor(opening: "/etc/passwd", for: .reading))
    let started = EventCommandRunner.StartedCommand(process: process, endDescriptor: file)
    // A traced process ends when its tracer permits: it is stopped here until the group receives the signal.
    let problem = desk.handleStart(order, .success(started), now: begin)
    guard case .notStarted = problem else {
      Issue.record("another problem: \(String(describing: problem))")
      return
    }
    #expect(!desk.isIdle)
    let deadline = Instant.now.advanced(by: .testLimit)
    while !desk.isIdle {
      try #require(Instant.now < deadline)
      desk.endOverdue(try #require(desk.nextDeadline))
      Threads.sleep(for: .milliseconds(5))
    }
    #expect(desk.nextDeadline == nil)
  }

  /// Returns the problems of the commands.
  private func awaitIdle() throws -> [LogEvent.CommandProblem] {
    let deadline = Instant.now.advanced(by: .testLimit)
    var problems: [LogEvent.CommandProblem] = []
    while !desk.isIdle {
      try #require(Instant.now < deadline)
      desk.reapEnded { _, problem in problems.append(problem) }
      Threads.sleep(for: .milliseconds(5))
    }
    return problems
  }

  @Test func `ends what runs when the daemon does, at last without asking, and begins nothing more`() throws {
    let order = try start()
    #expect(desk.nextDeadline == begin.advanced(by: .seconds(60)))
    let end = begin.advanced(by: .seconds(5))
    let over = desk.close(at: end)
    #expect(over == begin.advanced(by: .seconds(7)))
    #expect(desk.nextDeadline == end)
    desk.endOverdue(end)
    #expect(desk.nextDeadline == over)
    desk.add(order)
    #expect(desk.takeNext() == nil)
    #expect(desk.takeDroppedCount() == 1)
    desk.endOverdue(over)
    #expect(try awaitIdle() == [.timedOut])
  }

  @Test func `gives what is started while the daemon ends no more time`() throws {
    let over = desk.close(at: begin.advanced(by: .seconds(5)))
    _ = try start()
    #expect(desk.nextDeadline == begin.advanced(by: .seconds(5)))
    desk.endOverdue(over)
    desk.killAll()
    #expect(try awaitIdle() == [.timedOut])
  }

  /// Runs the script `rest` with a helper that ignores SIGTERM. The pipe closes when the helper ends.
  private func startWithHelper(_ place: TemporaryDirectory, _ rest: String) throws -> SharedDescriptor {
    let path = place.path("pipe")
    try #require(try ProcessRunner.shell("mkfifo -m 600 '\(path)'").succeeded)
    // The helper ends when the directory is removed.
    let helper = "(trap '' TERM; exec 9>'\(path)'; while test -e '\(path)'; do sleep 0.1; done)"
    _ = try start("\(helper) & \(rest)")
    return SharedDescriptor(try FileDescriptor.opening(path, for: .reading, within: .testLimit))
  }

  @Test func `ends with a command whose time is over what that has begun`() throws {
    let place = try TemporaryDirectory()
    defer { withExtendedLifetime(place) {} }
    let pipe = try startWithHelper(place, "wait")
    desk.endOverdue(begin.advanced(by: .seconds(60)))
    #expect(try awaitIdle() == [.timedOut])
    #expect(try pipe.descriptor.waitUntilReadable(timeout: .testLimit), "the helper goes on")
  }

  @Test func `lets what a command has begun go on where that ended in time`() throws {
    let place = try TemporaryDirectory()
    defer { withExtendedLifetime(place) {} }
    let pipe = try startWithHelper(place, "true")
    #expect(try awaitIdle() == [])
    #expect(try !pipe.descriptor.waitUntilReadable(timeout: .milliseconds(200)), "the helper was ended")
  }
}
