internal import Platform
internal import Wire

/// What a request waits for, shown on the terminal after a second.
enum DaemonWait {
  /// Nothing is shown, with `--json` or `--quiet`.
  case silent
  /// The authorization server.
  case forServer
  /// The resource's server.
  case forResource
  /// The daemon's own work.
  case forDaemon

  init(_ request: Request, _ console: Console) {
    if console.usesJSON || console.isQuiet {
      self = .silent
      return
    }
    self =
      switch request.source {
      case .authorizationServer: .forServer
      case .resource: .forResource
      case .daemon: .forDaemon
      }
  }

  /// The line in several lengths, longest first.
  var wordings: [String] {
    let wordings: [Phrase] =
      switch self {
      case .silent: []
      case .forServer:
        [Phrase("waiting for the authorization server…"), Phrase("waiting for the server…"), Phrase("waiting…")]
      case .forResource: [Phrase("waiting for the server…"), Phrase("waiting…")]
      case .forDaemon: [Phrase("waiting for the daemon…"), Phrase("waiting…")]
      }
    return wordings.map { $0.localized() }
  }

  /// Before the line is shown.
  static let delay = Duration.seconds(1)

  /// False after the deadline.
  func wait(for socket: borrowing FileDescriptor, before deadline: Instant) throws(SystemError) -> Bool {
    let left = Instant.now.duration(to: deadline)
    if try socket.waitUntilReadable(timeout: min(left, Self.delay)) { return true }
    guard left > Self.delay else { return false }
    guard self != .silent, let terminal = OutputTerminal.current, terminal.canRewriteLines else {
      return try socket.waitUntilReadable(timeout: Instant.now.duration(to: deadline))
    }
    return try wait(for: socket, before: deadline, shownOn: terminal)
  }

  private func wait(
    for socket: borrowing FileDescriptor, before deadline: Instant, shownOn terminal: OutputTerminal
  ) throws(SystemError) -> Bool {
    var line = StatusLine(terminal)
    let signals = [Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT].filter { !Signals.isIgnored($0) }
    defer { Signals.unblockAll() }
    let receiver = try Signals.SignalReceiver(signals)
    defer { line.erase() }
    while true {
      line.show(wordings)
      let moment = min(deadline, Instant.now.advanced(by: .seconds(1)))
      if try Self.waitOnce(socket, receiver, until: moment, &line) { return true }
      if Instant.now >= deadline { return false }
    }
  }

  /// Returns whether there is input. A signal ends the process.
  private static func waitOnce(
    _ socket: borrowing FileDescriptor, _ signals: borrowing Signals.SignalReceiver, until moment: Instant,
    _ line: inout StatusLine
  ) throws(SystemError) -> Bool {
    let poller = try Poller()
    try poller.add(socket.raw, interest: .read, key: 0)
    try poller.add(signals.raw, interest: .read, key: 1)
    let events = try poller.wait(until: moment)
    if let signal = signals.next() {
      line.erase()
      Signals.raise(signal)
    }
    return events.contains { $0.key == 0 }
  }
}
