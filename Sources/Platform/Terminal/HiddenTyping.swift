internal import CPlatform

/// Turns off the echo of this process's terminal, until the value ends. Typed input is neither read nor lost.
///
/// A background process does not change the terminal.
package struct HiddenTyping: ~Copyable {
  private let terminal: FileDescriptor
  private let byCharacter: Bool
  /// The terminal flags that this value has changed.
  private var hidden: Int32 = 0

  /// - Parameter byCharacter: Each character can be read as it is typed, so that a line may be longer than the 4,095
  ///   bytes of a terminal's line buffer. Unread input is discarded at both changes.
  /// - Throws: `ENXIO` if this process has no terminal.
  package init(byCharacter: Bool = false) throws(SystemError) {
    terminal = try Terminal.openControlling()
    self.byCharacter = byCharacter
  }

  /// Turns the echo off, unless it is off already.
  package mutating func hide() {
    guard isForeground else { return }
    let more = agent_terminal_hide_typing(terminal.raw, byCharacter ? 1 : 0)
    if more > 0 { hidden |= more }
  }

  /// Turns the echo on again, if this value turned it off.
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
