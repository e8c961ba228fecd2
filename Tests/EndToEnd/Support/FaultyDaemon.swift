import Platform
import TestSupport
import Testing

/// A tree's daemon, run in the foreground, whose calls can fail.
final class FaultyDaemon: Sendable {
  struct Step: Sendable, CustomStringConvertible {
    let number: Int
    let function: String
    let path: String

    var description: String { "\(number) \(function) \(path)" }
  }

  private let tree: AgentTree
  private let roots: [String]
  private let isWatched: Bool
  private let process = Monitor<RunningProcess?>(nil)
  private let serial = Monitor(0)

  /// - Parameters:
  ///   - roots: The directories in which calls are counted; nil for those of the vault and settings.
  ///   - isWatched: Whether the daemon can watch files.
  init(_ tree: AgentTree, at roots: [String]? = nil, isWatched: Bool = true) throws {
    self.tree = tree
    self.isWatched = isWatched
    self.roots = roots ?? [tree.path("state/agent"), tree.path("config/agent")]
    try start()
  }

  /// Also restarts an ended daemon.
  func start() throws {
    // A client that found no daemon may have started another one.
    for number in try tree.daemons() {
      let stray = try OtherProcess(number)
      try stray.signal(Signals.SIGKILL)
      try #require(stray.ends(within: .testLimit))
    }
    var environment = [
      "LD_PRELOAD": try #require(FaultLibrary.shared).path, "AGENT_FAULTS_ORDER": tree.path("order"),
      "AGENT_FAULTS_LOG": tree.path("steps"),
      "AGENT_FAULTS_ROOTS": roots.joined(separator: ":"),
    ]
    if !isWatched { environment["AGENT_FAULTS_UNWATCHED"] = "1" }
    let started = try RunningProcess(
      executable: Programs.path("agentd"), arguments: ["--foreground"], environment: tree.environment(environment))
    let deadline = Instant.now.advanced(by: .testLimit)
    while !started.errorText.contains("the daemon started") {
      try #require(
        Instant.now < deadline,
        "\(started.errorText), beside it \((try? tree.daemons()) ?? []); \(((try? steps()) ?? []).suffix(3))")
      Threads.sleep(for: .milliseconds(1))
    }
    process.withLock { $0 = started }
  }

  func kill() throws {
    guard let running = process.withLock({ $0 }) else { return }
    _ = try running.terminate(Signals.SIGKILL)
  }

  func restart() throws {
    try kill()
    try start()
  }

  func waitForEnd() throws { _ = try process.withLock { $0 }?.wait() }

  /// Counts calls from 1 again. The call with the number `step` has the fault, or none if 0.
  func order(_ step: Int = 0, _ fault: Fault? = nil) throws {
    let number = serial.update { (serial: inout Int) -> Int in
      serial += 1
      return serial
    }
    if fault != nil { try tree.directory.write("steps", "") }
    try tree.directory.open().replaceFile(
      "order", with: Array("\(number) \(step) \(fault?.description ?? "none")\n".utf8).span)
  }

  /// The calls since the last order, or those before it.
  func steps(ofLast isLast: Bool = true) throws -> [Step] {
    try lines(ofLast: isLast).compactMap { words in
      guard words.count >= 4, let number = Int(words[1]) else { return nil }
      return Step(number: number, function: String(words[2]), path: String(words[3]))
    }
  }

  /// Whether the fault of the order before the last has occurred. Only another order reveals this, since a daemon
  /// works on after its response.
  func wasHit() throws -> Bool { try lines(ofLast: false).contains { $0.last == "hit" } }

  /// Blocks all calls of a function until `body` returns. Calls `body` when one of them is blocked.
  ///
  /// - Parameters:
  ///   - step: The number of the first blocked call.
  ///   - begin: Starts the work that is then blocked.
  func holding<Work>(
    _ function: String, from step: Int = 1, _ begin: () throws -> Work, _ body: (Work) throws -> Void
  ) throws -> Work {
    try order(step, .hold(function))
    defer { try? order() }
    let work = try begin()
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !lines(ofLast: true).contains(where: { $0.last == "hit" }) {
      try #require(Instant.now < deadline, "no \(function) waits: \((try? steps()) ?? [])")
      Threads.sleep(for: .milliseconds(1))
    }
    try body(work)
    return work
  }

  private func lines(ofLast isLast: Bool) throws -> [[Substring]] {
    let serial = "\(serial.withLock { isLast ? $0 : $0 - 1 })"
    return try tree.directory.readText("steps").split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.first.map { $0 == serial } ?? false }
  }
}
