internal import CPlatform

/// Keeps the terminal of this process from showing what is typed. It shows it again when the value
/// goes away; what was typed is not read and not lost.
///
/// A process in the background leaves the terminal to the one in the foreground.
package struct HiddenTyping: ~Copyable {
  private let terminal: FileDescriptor
  private var isHidden = false

  /// - Throws: `ENXIO` when this process has no terminal.
  package init() throws(SystemError) {
    terminal = try Terminal.openControlling()
  }

  /// Hides it from now on, unless it is hidden already, by this value or by whoever had the terminal before.
  package mutating func hide() {
    guard isForeground, agent_terminal_shows_typing(terminal.raw) == 1 else { return }
    isHidden = agent_terminal_show_typing(terminal.raw, 0) == 0
  }

  /// Shows it again, if it was hidden by this value.
  package mutating func show() {
    if isHidden, isForeground { _ = agent_terminal_show_typing(terminal.raw, 1) }
    isHidden = false
  }

  private var isForeground: Bool { agent_terminal_is_foreground(terminal.raw) == 1 }

  deinit {
    // A method that changes the value cannot be called here.
    if isHidden, agent_terminal_is_foreground(terminal.raw) == 1 { _ = agent_terminal_show_typing(terminal.raw, 1) }
  }
}
