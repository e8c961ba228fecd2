internal import Platform
internal import Wire

/// Handles signals during a sign-in, and hides typed text. Restores the terminal at the end and during suspension.
struct SignInSignals: ~Copyable {
  private let handledSignals: [Int32]
  private let receiver: Signals.SignalReceiver
  /// Restores the terminal when released.
  private var typing: EchoSuppression?

  private static let cancelSignals = [Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT, Signals.SIGHUP]

  init() throws(Failure) {
    // Keep ignoring what the parent ignores, as under nohup(1).
    handledSignals = (Self.cancelSignals + [Signals.SIGTSTP, Signals.SIGCONT]).filter { !Signals.isIgnored($0) }
    do {
      receiver = try Signals.SignalReceiver(handledSignals)
    } catch {
      throw Failure(error, doing: "cannot receive signals")
    }
  }

  var raw: Int32 { receiver.raw }

  mutating func hideTyping() {
    typing = try? EchoSuppression()
    typing?.disableEcho()
  }

  mutating func showTyping() { typing = nil }

  mutating func readTypingByCharacter() throws(SystemError) {
    // Restore the terminal first, to save its original state.
    typing = nil
    typing = try EchoSuppression(byCharacter: true)
    typing?.disableEcho()
  }

  /// Handles received signals; returns one that cancels the sign-in, if any.
  mutating func handle(_ reporter: inout LoginReporter) -> Int32? {
    while let signal = receiver.next() {
      switch signal {
      case Signals.SIGTSTP: suspend(&reporter)
      // Another program may have changed the terminal.
      case Signals.SIGCONT: resume(&reporter)
      default: return signal
      }
    }
    return nil
  }

  private mutating func suspend(_ reporter: inout LoginReporter) {
    typing?.restoreEcho()
    reporter.suspend()
    Signals.raise(Signals.SIGTSTP)
    Signals.block(handledSignals)
    resume(&reporter)
  }

  private mutating func resume(_ reporter: inout LoginReporter) {
    typing?.disableEcho()
    reporter.resumeCountdown()
  }
}
