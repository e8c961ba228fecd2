internal import AgentSocket
internal import Platform
internal import Wire

/// Handles signals during a sign-in, and hides keyboard input, which would otherwise disturb the countdown.
///
/// Restores the terminal on destruction, and while the command is suspended.
struct SignInSignals: ~Copyable {
  private let received: [Int32]
  private let receiver: Signals.SignalReceiver
  private var typing: HiddenTyping?

  /// Signals that end the wait.
  private static let endings = [Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT, Signals.SIGHUP]

  init() throws(Failure) {
    // Signals that the parent ignores, such as SIGHUP under nohup(1), stay ignored.
    received = (Self.endings + [Signals.SIGTSTP, Signals.SIGCONT]).filter { !Signals.isIgnored($0) }
    do {
      receiver = try Signals.SignalReceiver(received)
    } catch {
      throw Failure(error, doing: "cannot receive signals")
    }
  }

  /// The descriptor to poll for reading.
  var raw: Int32 { receiver.raw }

  /// Stops showing typed characters.
  mutating func hideTyping() {
    typing = try? HiddenTyping()
    typing?.hide()
  }

  /// Restores the terminal.
  mutating func showTyping() { typing = nil }

  /// Stops showing typed characters, and makes them readable one by one.
  mutating func takeTyping() throws(SystemError) {
    // First, because each restores the state that it found.
    typing = nil
    typing = try HiddenTyping(byCharacter: true)
    typing?.hide()
  }

  /// Handles the received signals. Returns the one that ends the wait, if any.
  mutating func handle(_ reporter: inout LoginReporter) -> Int32? {
    while let signal = receiver.next() {
      switch signal {
      case Signals.SIGTSTP: suspend(&reporter)
      // Another program may have changed the terminal meanwhile.
      case Signals.SIGCONT: goOn(&reporter)
      default: return signal
      }
    }
    return nil
  }

  private mutating func suspend(_ reporter: inout LoginReporter) {
    typing?.show()
    reporter.suspend()
    // Stops the process until it receives SIGCONT.
    Signals.raise(Signals.SIGTSTP)
    Signals.block(received)
    goOn(&reporter)
  }

  private mutating func goOn(_ reporter: inout LoginReporter) {
    typing?.hide()
    reporter.goOn()
  }
}
