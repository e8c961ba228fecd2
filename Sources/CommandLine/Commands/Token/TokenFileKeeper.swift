internal import AgentSocket
internal import Platform
internal import Vocabulary
internal import Wire

/// The connection that a token file lives by. When it breaks the file is gone; it is asked for again, under its old
/// name, since that is all that the command knows.
struct TokenFileKeeper: ~Copyable {
  private let client: DaemonClient
  private let account: String
  private let kind: TokenKind
  private let path: String
  private var connection: DaemonConnection?
  /// The connection's number, as long as there is one.
  private var number: Int32?
  /// The file has changed since ``takeChange()`` was last called.
  private var hasChanged = false
  /// Whether the file was there when something was last heard of it.
  private var isThere = true
  /// False after a person stopped the daemon: it is then not started again from here.
  private var mayStart = true
  private var failures = 0

  /// When the daemon is to be asked again; nil while there is a connection.
  private(set) var nextAttempt: Instant?

  var console: Console { client.console }

  /// - Parameter connection: One on which ``begin(_:_:_:)`` was answered.
  init(
    _ client: DaemonClient, account: String, _ kind: TokenKind, path: String, _ connection: consuming DaemonConnection
  ) {
    self.client = client
    (self.account, self.kind) = (account, kind)
    self.path = path
    number = connection.descriptor
    self.connection = .some(connection)
  }

  /// Asks for a file, and waits until it is there.
  static func begin(
    _ request: TokenFileRequest, _ client: DaemonClient, _ connection: inout DaemonConnection
  ) throws(Failure) -> Event.TokenFile {
    try send(request, client, connection)
    let (request, deadline) = (Request.tokenFile(request), client.deadline(of: .tokenFile(request)))
    return try client.event(over: &connection, before: deadline, waitingFor: request) { event in
      if case .tokenFile(let file) = event { file } else { nil }
    }
  }

  /// The request has no deadline of its own: it ends with the command.
  private static func send(
    _ request: TokenFileRequest, _ client: DaemonClient, _ connection: borrowing DaemonConnection
  ) throws(Failure) {
    _ = client.logRequest(.tokenFile(request))
    var envelope = client.envelope(.tokenFile(request))
    envelope.timeoutSeconds = nil
    try connection.send(envelope)
  }

  borrowing func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    if let number { try poller.add(number, interest: .read, key: key) }
  }

  /// Whether the file has changed; asking makes it no news.
  mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// Takes in what the daemon says.
  mutating func read() {
    guard number != nil else { return }
    do throws(Failure) {
      try connection!.readMore()
      while let reply = try connection!.takeReply() { try take(reply) }
    } catch {
      lose(error)
    }
  }

  private mutating func take(_ reply: Reply) throws(Failure) {
    switch reply {
    case .event(.tokenFile(let file)): take(file)
    case .event(let event): console.tell(event)
    case .failure(let failure):
      mayStart = failure.code != .daemonUnavailable
      throw failure
    case .result: break
    }
  }

  private mutating func take(_ file: Event.TokenFile) {
    hasChanged = true
    (failures, mayStart) = (0, true)
    let wasThere = isThere
    isThere = file.removal == nil
    if let code = file.removal {
      console.note(
        code == .locked
          ? Phrase("the token file is gone until the next unlock to \(file.account): \(code.rawValue)")
          : Phrase("the token file is gone until the next sign-in to \(file.account): \(code.rawValue)"))
    } else if !wasThere {
      console.note("the token file is back")
    }
    if !file.path.utf8.elementsEqual(path.utf8) {
      console.note("the token file is \(file.path) from now on, which the command does not know")
    }
  }

  private mutating func lose(_ failure: Failure) {
    number = nil
    if let connection = connection.take() { connection.finish() }
    if isThere {
      hasChanged = true
      console.note("the token file is gone until a daemon writes it again: \(failure.text)")
    }
    isThere = false
    nextAttempt = Instant.now.advanced(by: pause)
  }

  /// A daemon that is just being restarted is back soon.
  private var pause: Duration {
    failures == 0 ? .milliseconds(50) : .milliseconds(250 << min(failures, 7))
  }

  var isAttemptDue: Bool { nextAttempt.map { $0 <= .now } ?? false }

  /// Asks for the file again.
  mutating func attempt(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    failures += 1
    nextAttempt = nil
    do throws(Failure) {
      guard let next = try reconnect() else { return nextAttempt = Instant.now.advanced(by: pause) }
      let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
      try Self.send(TokenFileRequest(account: account, name: name, kind: kind), client, next)
      number = next.descriptor
      connection = .some(next)
    } catch {
      nextAttempt = Instant.now.advanced(by: pause)
      return
    }
    try watch(poller, key: key)
  }

  private borrowing func reconnect() throws(Failure) -> DaemonConnection? {
    guard mayStart else { return try DaemonLauncher.connect() }
    return .some(try client.connect())
  }

  /// The command has ended. The file goes with the connection; here it is seen to that it is gone already.
  consuming func finish() {
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let directory = try? PrivateDirectory(opening: String(path[..<slash]), create: false)
    {
      try? directory.removeFile(String(path[path.utf8.index(after: slash)...]), isDurable: false)
    }
    if let connection = connection.take() { connection.finish() }
  }
}
