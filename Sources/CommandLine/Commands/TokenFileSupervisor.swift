internal import Platform
internal import Wire

/// Waits for the command and for what becomes of its token file, whichever comes.
struct TokenFileSupervisor: ~Copyable {
  private let child: SupervisedCommand
  private let renewal: TokenFileRenewal
  private let environment: [[UInt8]]
  /// The program that runs because the file has changed.
  private var informant: Int32?
  /// The file has changed again since that began.
  private var hasMoreToTell = false

  private static let commandKey: UInt64 = 0
  private static let daemonKey: UInt64 = 1

  init(_ child: consuming SupervisedCommand, _ renewal: TokenFileRenewal, _ environment: [[UInt8]]) {
    self.child = child
    self.renewal = renewal
    self.environment = environment
  }

  /// Returns when the command has ended.
  mutating func run(_ keeper: inout TokenFileKeeper) throws(SystemError) -> Platform.ExitStatus {
    let poller = try Poller()
    try poller.add(child.raw, interest: .read, key: Self.commandKey)
    try keeper.watch(poller, key: Self.daemonKey)
    while true {
      let events = try poller.wait(until: keeper.nextAttempt)
      if let status = try child.obey() {
        endInformant()
        return status
      }
      reapInformant(keeper.console)
      if events.contains(where: { $0.key == Self.daemonKey }) { keeper.read() }
      if keeper.isAttemptDue { try keeper.attempt(poller, key: Self.daemonKey) }
      if keeper.takeChange() { inform(keeper.console) }
    }
  }

  /// Tells the command, and whoever else is to be told, that the file has changed.
  private mutating func inform(_ console: Console) {
    if let signal = renewal.signal { child.send(signal) }
    guard let program = renewal.program else { return }
    guard informant == nil else { return hasMoreToTell = true }
    do {
      informant = try Spawn.startBeside(
        executable: program, arguments: [Array(program.utf8)], environment: environment, nullInput: true)
    } catch {
      console.note("\(program) cannot be run: \(error.isNotFound ? "command not found" : error.message)")
    }
  }

  private mutating func reapInformant(_ console: Console) {
    guard let process = informant, (try? Spawn.tryWait(process)) != nil else { return }
    informant = nil
    guard hasMoreToTell else { return }
    hasMoreToTell = false
    inform(console)
  }

  private func endInformant() {
    if let informant { try? Spawn.kill(informant, Signals.SIGTERM) }
  }
}
