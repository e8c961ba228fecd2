internal import Platform

/// A command that runs as a child, but appears to the terminal, the shell and processes that send signals as if it had
/// replaced this process.
///
/// Both are in one process group. So both receive the terminal's signals, and only the command reacts; signals that
/// other processes send to this one are forwarded; and when the command stops or continues, so does this process, which
/// the shell monitors.
struct SupervisedCommand: ~Copyable {
  let process: Int32
  private let receiver: Signals.SignalReceiver

  /// Signals that are forwarded if they were sent only to this process.
  private static let passedOn = [
    Signals.SIGHUP, Signals.SIGINT, Signals.SIGQUIT, Signals.SIGTERM, Signals.SIGUSR1, Signals.SIGUSR2,
    Signals.SIGALRM, Signals.SIGCONT, Signals.SIGTSTP,
  ]

  init(_ program: String, _ arguments: [[UInt8]], _ environment: [[UInt8]]) throws(SystemError) {
    Signals.enableChildSignals()
    // Signals that the parent ignores, such as SIGHUP under nohup(1), are ignored by both.
    let receiver = try Signals.SignalReceiver(
      Self.passedOn.filter { !Signals.isIgnored($0) } + [Signals.SIGCHLD])
    process = try Spawn.startBeside(executable: program, arguments: arguments, environment: environment)
    self.receiver = receiver
  }

  /// The descriptor to poll for reading.
  var raw: Int32 { receiver.raw }

  /// Handles the received signals.
  ///
  /// - Returns: How the command ended, if it did.
  borrowing func handleSignals() throws(SystemError) -> ProcessStatus? {
    while let (signal, isFromKernel) = receiver.nextWithOrigin() {
      if signal != Signals.SIGCHLD, !isFromKernel || signal == Signals.SIGCONT { send(signal) }
    }
    while let change = try Spawn.change(of: process) {
      switch change {
      case .ended(let status): return status
      case .stopped(let signal): stop(by: signal)
      case .continued: break
      }
    }
    return nil
  }

  /// The process ID remains valid until the command was waited for.
  borrowing func send(_ signal: Int32) { try? Spawn.kill(process, signal) }

  private borrowing func stop(by signal: Int32) {
    Signals.stop(by: signal)
    // A process that continues this one intends to continue the command.
    send(Signals.SIGCONT)
  }
}
