internal import CPlatform
internal import Glibc

package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The number of columns; nil if it is unknown or not a terminal.
  package static func width(_ descriptor: Int32) -> Int? {
    let columns = agent_terminal_columns(descriptor)
    return columns > 0 ? Int(columns) : nil
  }

  /// The number of rows; nil if it is unknown or not a terminal.
  package static func height(_ descriptor: Int32) -> Int? {
    let rows = agent_terminal_rows(descriptor)
    return rows > 0 ? Int(rows) : nil
  }

  /// Opens the controlling terminal of this process for reading and writing, independent of the standard streams.
  ///
  /// - Throws: `ENXIO` if there is none.
  package static func openControlling() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.library("open") { unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) })
  }

  /// Discards unread input, if possible.
  package static func discardTyped(on terminal: borrowing FileDescriptor) { _ = tcflush(terminal.raw, TCIFLUSH) }

  /// Runs `body` with the terminal's echo disabled, and restores it afterwards, even if `body` throws.
  package static func withoutEcho<Result>(
    on terminal: borrowing FileDescriptor, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let number = terminal.raw
    try SystemCall.checked(agent_terminal_set_echo(number, 0), "tcsetattr")
    defer { _ = agent_terminal_set_echo(number, 1) }
    return try body()
  }
}
