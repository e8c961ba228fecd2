internal import AgentSocket
internal import Platform
internal import Wire

/// The signals of a sign-in that waits, and the keyboard that it keeps still meanwhile: what is typed
/// would stand in the middle of the countdown.
///
/// The keyboard is as it was before when this value goes away, and while the command is suspended.
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
      throw Failure(error, doing: "signals cannot be received")
    }
  }

  /// The number to poll for reading.
  var raw: Int32 { receiver.raw }

  /// From now on what is typed is not shown.
  mutating func hideTyping() {
    typing = try? HiddenTyping()
    typing?.hide()
  }

  /// The keyboard is as it was before.
  mutating func showTyping() { typing = nil }

  /// From now on what is typed is not shown, and can be read character by character.
  mutating func takeTyping() throws(SystemError) {
    // First, since each puts back what it found.
    typing = nil
    typing = try HiddenTyping(byCharacter: true)
    typing?.hide()
  }

  /// Obeys the signals that have come. Returns the one that ends the wait; nil when none does.
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
    // Here the process stands still until it is told to go on.
    Signals.raise(Signals.SIGTSTP)
    Signals.block(received)
    goOn(&reporter)
  }

  private mutating func goOn(_ reporter: inout LoginReporter) {
    typing?.hide()
    reporter.goOn()
  }
}
