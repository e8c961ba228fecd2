internal import CPlatform

/// Keeps the terminal of this process from showing what is typed. It shows it again when the value
/// goes away; what was typed is not read and not lost.
///
/// A process in the background leaves the terminal to the one in the foreground.
package struct HiddenTyping: ~Copyable {
  private let terminal: FileDescriptor
  private let byCharacter: Bool
  /// What the terminal did before, in bits of its own.
  private var hidden: Int32 = 0

  /// - Parameter byCharacter: Each character can be read as it is typed, so that a line may be longer than the 4,095
  ///   bytes that a terminal keeps. What was typed and not read is lost then, before and afterwards.
  /// - Throws: `ENXIO` when this process has no terminal.
  package init(byCharacter: Bool = false) throws(SystemError) {
    terminal = try Terminal.openControlling()
    self.byCharacter = byCharacter
  }

  /// Hides it from now on, unless it is hidden already, by this value or by whoever had the terminal before.
  package mutating func hide() {
    guard isForeground else { return }
    let more = agent_terminal_hide_typing(terminal.raw, byCharacter ? 1 : 0)
    if more > 0 { hidden |= more }
  }

  /// Shows it again, if it was hidden by this value.
  package mutating func show() {
    if hidden != 0, isForeground { _ = agent_terminal_show_typing(terminal.raw, hidden) }
    hidden = 0
  }

  private var isForeground: Bool { agent_terminal_is_foreground(terminal.raw) == 1 }

  deinit {
    // A method that changes the value cannot be called here.
    if hidden != 0, agent_terminal_is_foreground(terminal.raw) == 1 {
      _ = agent_terminal_show_typing(terminal.raw, hidden)
    }
  }
}
