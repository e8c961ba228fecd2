internal import Platform

/// A command that runs beside this process as if it ran in its place: the terminal, the shell and a process that sends a
/// signal to this process meet the command.
///
/// Both are in one process group. So what is typed comes to both, and only the command acts on it; a signal that
/// another process sends to this one is passed on; and when the command stops or goes on, so does this process, which is what the
/// shell looks at.
struct SupervisedCommand: ~Copyable {
  let process: Int32
  private let receiver: Signals.SignalReceiver

  /// Signals that are passed on when they were sent to this process alone.
  private static let passedOn = [
    Signals.SIGHUP, Signals.SIGINT, Signals.SIGQUIT, Signals.SIGTERM, Signals.SIGUSR1, Signals.SIGUSR2,
    Signals.SIGALRM, Signals.SIGCONT, Signals.SIGTSTP,
  ]

  init(_ program: String, _ arguments: [[UInt8]], _ environment: [[UInt8]]) throws(SystemError) {
    Signals.enableChildSignals()
    // Signals that the parent ignores, such as SIGHUP under nohup(1), both ignore.
    let receiver = try Signals.SignalReceiver(
      Self.passedOn.filter { !Signals.isIgnored($0) } + [Signals.SIGCHLD])
    process = try Spawn.startBeside(executable: program, arguments: arguments, environment: environment)
    self.receiver = receiver
  }

  /// The number to poll for reading.
  var raw: Int32 { receiver.raw }

  /// Handles the signals that have come.
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

  /// The command has ended only when it was waited for, so the number is its own.
  borrowing func send(_ signal: Int32) { try? Spawn.kill(process, signal) }

  private borrowing func stop(by signal: Int32) {
    Signals.stop(by: signal)
    // A process that continues this one means the command.
    send(Signals.SIGCONT)
  }
}
