internal import CPlatform

/// The terminal that this process belongs to while nothing of what is typed there is shown, not even the end of a
/// line. What is typed is shown again when the last owner of this lets go.
package final class SilentTerminal: Sendable {
  package let descriptor: FileDescriptor

  /// - Throws: `ENXIO` when there is no terminal.
  package init() throws(SystemError) {
    let terminal = try Terminal.openControlling()
    try SystemCall.checked(agent_terminal_silence(terminal.raw), "tcsetattr")
    descriptor = terminal
  }

  deinit { _ = agent_terminal_set_echo(descriptor.raw, 1) }
}
