internal import Platform

/// A child process that appears to the terminal, the shell and signal senders as if it had replaced this process. Both
/// are in one group and receive the terminal's signals; only the command reacts. Signals to this process alone are
/// forwarded. When the command stops, so does this process.
struct SupervisedCommand: ~Copyable {
  let process: Int32
  private let receiver: Signals.SignalReceiver

  private static let forwardedSignals = [
    Signals.SIGHUP, Signals.SIGINT, Signals.SIGQUIT, Signals.SIGTERM, Signals.SIGUSR1, Signals.SIGUSR2,
    Signals.SIGALRM, Signals.SIGCONT, Signals.SIGTSTP,
  ]

  init(_ program: String, _ arguments: [[UInt8]], _ environment: [[UInt8]]) throws(SystemError) {
    Signals.enableChildSignals()
    // Signals that the parent ignores stay ignored, as under nohup(1).
    let receiver = try Signals.SignalReceiver(
      Self.forwardedSignals.filter { !Signals.isIgnored($0) } + [Signals.SIGCHLD])
    process = try Spawn.startInProcessGroup(executable: program, arguments: arguments, environment: environment)
    self.receiver = receiver
  }

  /// Readable when a signal has arrived.
  var raw: Int32 { receiver.raw }

  /// Forwards pending signals. Returns the command's status if it has ended.
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

  /// Sends a signal to the command. Invalid after ``handleSignals()`` returned a status.
  borrowing func send(_ signal: Int32) { try? Spawn.kill(process, signal) }

  /// Stops this process until SIGCONT, then continues the command.
  private borrowing func stop(by signal: Int32) {
    Signals.stop(by: signal)
    send(Signals.SIGCONT)
  }
}
