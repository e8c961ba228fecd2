internal import CPlatform
internal import Glibc

package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// In columns; nil if unknown.
  package static func width(_ descriptor: Int32) -> Int? {
    let columns = size(descriptor).ws_col
    return columns > 0 ? Int(columns) : nil
  }

  /// In rows; nil if unknown.
  package static func height(_ descriptor: Int32) -> Int? {
    let rows = size(descriptor).ws_row
    return rows > 0 ? Int(rows) : nil
  }

  /// Zero if unknown.
  private static func size(_ descriptor: Int32) -> winsize {
    var size = winsize()
    return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
  }

  /// Opens this process's controlling terminal. Throws `ENXIO` without one.
  package static func openControlling() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try SystemCall.libc("open") { unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) })
  }

  /// Whether this process is in the foreground and may read from the terminal.
  package static func isForeground(_ terminal: borrowing FileDescriptor) -> Bool {
    agent_terminal_is_foreground(terminal.raw) == 1
  }

  /// Whether standard input, output and error are the same terminal.
  package static var hasAllStandardStreams: Bool {
    var (first, other) = (stat(), stat())
    guard isTerminal(0), unsafe fstat(0, &first) == 0 else { return false }
    return (Int32(1)...2).allSatisfy { number in
      unsafe isTerminal(number) && fstat(number, &other) == 0 && other.st_rdev == first.st_rdev
    }
  }

  /// Runs `body` with the controlling terminal, if any, as standard error, unless that is a terminal already.
  package static func withTerminalAsStandardError<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    guard !isTerminal(2), let terminal = try? openControlling() else { return try body() }
    let before = agent_duplicate(2)
    _ = dup2(terminal.raw, 2)
    defer {
      if before >= 0 {
        _ = dup2(before, 2)
        close(before)
      }
    }
    try body()
  }

  /// Reads typed input: in line mode an entire line, so that no other program gets the rest. Returns the number of
  /// bytes; 0 at the end.
  package static func readTyped(
    on terminal: borrowing FileDescriptor, into line: inout [UInt8]
  ) throws(SystemError) -> Int { try terminal.read(into: &line, upTo: maximumLineBytes) }

  /// The maximum in line mode, including the newline (termios(3)).
  package static let maximumLineBytes = 4096

  package static func discardInput(on terminal: borrowing FileDescriptor) { _ = tcflush(terminal.raw, TCIFLUSH) }

  /// Runs `body` with the terminal in line mode, with echo and editing but without signals.
  package static func withLineMode<Result>(
    on terminal: borrowing FileDescriptor, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let number = terminal.raw
    var before = termios()
    try SystemCall.libc("tcgetattr") { unsafe tcgetattr(number, &before) }
    var lines = before
    lines.c_iflag |= tcflag_t(ICRNL)
    lines.c_oflag |= tcflag_t(OPOST | ONLCR)
    lines.c_lflag |= tcflag_t(ICANON | ECHO | ECHOE | ECHOK)
    lines.c_lflag &= ~tcflag_t(ISIG)
    try SystemCall.libc("tcsetattr") { unsafe tcsetattr(number, TCSADRAIN, &lines) }
    defer { _ = unsafe tcsetattr(number, TCSADRAIN, &before) }
    return try body()
  }

  package static func withoutEcho<Result>(
    on terminal: borrowing FileDescriptor, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let number = terminal.raw
    try SystemCall.checked(agent_terminal_set_echo(number, 0), "tcsetattr")
    defer { _ = agent_terminal_set_echo(number, 1) }
    return try body()
  }
}
