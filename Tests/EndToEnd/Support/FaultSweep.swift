import Platform
import TestSupport
import Testing

/// Repeats an operation, each time with another fault at another step, and checks the result.
struct FaultSweep {
  struct Trial: CustomStringConvertible {
    let step: FaultyDaemon.Step
    let fault: Fault
    let isHit: Bool
    /// The calls before and at the fault, and after it if the daemon continued.
    let trace: [FaultyDaemon.Step]
    let result: ProcessResult

    var description: String { "\(fault) at \(step): \(result.status) \(result.errorText)" }
  }

  /// Counts the results by function and fault.
  struct Tally {
    private(set) var trials = 0
    private(set) var hits = 0
    private(set) var failures = 0
    private(set) var cells: [String: Int] = [:]

    mutating func count(_ trial: Trial) {
      trials += 1
      guard trial.isHit else { return }
      hits += 1
      if !trial.result.succeeded { failures += 1 }
      cells["\(trial.step.function) \(trial.fault)", default: 0] += 1
    }

    func report(_ name: String, steps: Int) {
      let table = cells.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " ")
      print("\(name): \(steps) steps, \(trials) trials, \(hits) hit, \(failures) failed then; \(table)")
    }
  }

  let tree: AgentTree
  let issuer: Issuer
  let daemon: FaultyDaemon

  /// Whether to try all faults at all steps, instead of a few at each step.
  static let isThorough = Environment.value("AGENT_FAULTS") == "all"

  /// Runs `body` with the account `home`, which must not change, and a daemon that can fail.
  static func with(_ body: (FaultSweep) throws -> Void) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree)
        let sweep = FaultSweep(tree: tree, issuer: issuer, daemon: daemon)
        try tree.signIn("home", at: issuer.url)
        try body(sweep)
        try daemon.order()
        try sweep.expectIntact("home", "at the end")
        try daemon.kill()
      }
    }
  }

  /// Runs `operation` with each fault, after `prepare`. Then restarts a daemon that the fault ended, and runs `check`
  /// without faults.
  ///
  /// - Parameters:
  ///   - share: Tries one of this number of steps, unless the run is thorough.
  ///   - isRepeatable: Whether a second run does the same. It is then rehearsed twice, since the daemon reads the
  ///     vault once soon after its start.
  func run(
    _ name: String, share: Int = 1, isRepeatable: Bool = false, prepare: () throws -> Void = {},
    operation: () throws -> ProcessResult,
    check: (Trial) throws -> Void
  ) throws {
    var steps = try rehearse(prepare, operation)
    if isRepeatable {
      let others = try rehearse(prepare, operation)
      if others.count < steps.count { steps = others }
    }
    var tally = Tally()
    for step in steps where Self.isThorough || step.number % share == 0 {
      for fault in Self.faults(at: step) {
        try prepare()
        try daemon.order(step.number, fault)
        let result = try operation()
        try daemon.order()
        let (isHit, trace) = (try daemon.wasHit(), try daemon.steps(ofLast: false))
        if isHit, fault.isKill {
          try daemon.waitForEnd()
          try daemon.start()
        }
        let trial = Trial(step: step, fault: fault, isHit: isHit, trace: trace, result: result)
        tally.count(trial)
        expectRightError(trial)
        try check(trial)
      }
    }
    // The number of reads and writes varies slightly, so the last steps may not be reached.
    #expect(tally.trials > 0 && tally.hits * 4 >= tally.trials * 3)
    tally.report(name, steps: steps.count)
  }

  private func rehearse(
    _ prepare: () throws -> Void, _ operation: () throws -> ProcessResult
  ) throws -> [FaultyDaemon.Step] {
    try prepare()
    try daemon.order()
    let result = try operation()
    try #require(result.succeeded, "\(result.errorText)")
    return try daemon.steps()
  }

  private static func faults(at step: FaultyDaemon.Step) -> [Fault] {
    let all = Fault.all(at: step.function)
    if isThorough || all.isEmpty { return all }
    let kill = step.number.isMultiple(of: 2) ? Fault.killBefore : Fault.killAfter
    let others = all.filter { !$0.isKill }
    let error = others.isEmpty ? [] : [others[step.number % others.count]]
    return error + all.filter { $0.description == kill.description }
  }

  private func expectRightError(_ trial: Trial) {
    guard trial.isHit, !trial.result.succeeded else { return }
    if let message = trial.fault.message {
      let text = trial.result.errorText
      #expect(text.contains(message) || text.contains(trial.fault.inSettings ?? message), "\(trial)")
    } else if trial.result.status == .exited(3) {
      // The client has already started the next daemon and asked it.
      #expect(trial.isBetweenAnswerAndWrite, "\(trial)")
    } else {
      #expect(trial.result.status == .exited(4), "\(trial)")
      #expect(trial.result.errorText.contains("the daemon ended before it answered"), "\(trial)")
    }
  }

  /// Expects that no grant was revoked because the disk was full: no code was exchanged, or the session is stored.
  func expectNoWastedApproval(_ trial: Trial) throws {
    guard [Fault.full, .quota].contains(trial.fault), trial.isHit else { return }
    #expect(!trial.result.errorText.contains("revoked at the server"), "\(trial)")
  }

  func expectRenewed(_ account: String, _ place: String) throws {
    let result = try tree.agent("token", account, "--force-refresh")
    #expect(result.succeeded, "\(account) after \(place): \(result.errorText)")
  }

  /// Expects that the account gets a new token, now and after a restart.
  func expectIntact(_ account: String, _ place: String) throws {
    for _ in 0..<2 {
      try expectRenewed(account, place)
      try daemon.restart()
    }
  }
}

extension FaultSweep.Trial {
  /// Whether the daemon ended after sending the token request and before replacing the vault.
  var isBetweenAnswerAndWrite: Bool {
    let isSent = trace.contains { $0.function == "send" && ($0.number < step.number || fault.description == "after") }
    let isWritten = trace.contains {
      $0.function == "renameat" && ($0.number < step.number || fault.description == "after")
    }
    return isSent && !isWritten
  }
}
