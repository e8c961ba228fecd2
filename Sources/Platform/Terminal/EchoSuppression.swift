internal import CPlatform

/// Can disable the echo of this process's terminal, and restores it when destroyed. Does nothing in a background
/// process.
package struct EchoSuppression: ~Copyable {
  private let terminal: FileDescriptor
  private let byCharacter: Bool
  /// The cleared terminal flags.
  private var hidden: Int32 = 0

  /// - Parameter byCharacter: Whether to make each character readable when typed, so that a line may exceed the
  ///   terminal's 4,095 bytes. Disabling and restoring the echo then discard unread input.
  /// - Throws: `ENXIO` without a terminal.
  package init(byCharacter: Bool = false) throws(SystemError) {
    terminal = try Terminal.openControlling()
    self.byCharacter = byCharacter
  }

  package mutating func disableEcho() {
    guard isForeground else { return }
    let more = agent_terminal_hide_typing(terminal.raw, byCharacter ? 1 : 0)
    if more > 0 { hidden |= more }
  }

  package mutating func restoreEcho() {
    if hidden != 0, isForeground { _ = agent_terminal_show_typing(terminal.raw, hidden) }
    hidden = 0
  }

  private var isForeground: Bool { agent_terminal_is_foreground(terminal.raw) == 1 }

  deinit {
    // Mutating methods cannot be called here.
    if hidden != 0, agent_terminal_is_foreground(terminal.raw) == 1 {
      _ = agent_terminal_show_typing(terminal.raw, hidden)
    }
  }
}
