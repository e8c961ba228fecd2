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
  private var connection: KeptConnection
  /// The file has changed since ``takeChange()`` was last called.
  private var hasChanged = false
  /// Whether the file was there when something was last heard of it.
  private var isThere = true
  /// Variables were handed over, and the file is asked for once more.
  private var isHandingOver = false

  /// As ``KeptConnection/nextAttempt``.
  var nextAttempt: Instant? { connection.nextAttempt }
  var console: Console { client.console }

  /// - Parameter connection: One on which ``begin(_:_:_:)`` was answered.
  init(
    _ client: DaemonClient, account: String, _ kind: TokenKind, path: String, _ connection: consuming DaemonConnection
  ) {
    self.client = client
    (self.account, self.kind) = (account, kind)
    self.path = path
    self.connection = KeptConnection(client, connection)
  }

  /// Asks for a file, and waits until it is there.
  static func begin(
    _ request: TokenFileRequest, _ client: DaemonClient, _ connection: inout DaemonConnection
  ) throws(Failure) -> Event.TokenFile {
    try send(request, client, connection)
    let (request, deadline) = (Request.tokenFile(request), client.deadline(of: .tokenFile(request)))
    let patience = Patience(request, client.console)
    return try client.event(over: &connection, before: deadline, waiting: patience.wait) { event in
      if case .tokenFile(let file) = event { file } else { nil }
    }
  }

  /// The request has no deadline of its own: it ends with the command.
  private static func send(
    _ request: TokenFileRequest, _ client: DaemonClient, _ connection: borrowing DaemonConnection
  ) throws(Failure) {
    try connection.send(envelope(request, client))
  }

  private static func envelope(_ request: TokenFileRequest, _ client: DaemonClient) -> RequestEnvelope {
    _ = client.logRequest(.tokenFile(request))
    var envelope = client.envelope(.tokenFile(request))
    envelope.timeoutSeconds = nil
    return envelope
  }

  borrowing func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    try connection.watch(poller, key: key)
  }

  /// Whether the file has changed; asking makes it no news.
  mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// Takes in what the daemon says.
  mutating func read() {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() { try take(reply) }
    } catch {
      disconnect(error)
    }
  }

  private mutating func take(_ reply: Reply) throws(Failure) {
    switch reply {
    case .event(.tokenFile(let file)): take(file)
    case .event(let event): console.tell(event)
    case .failure(let failure):
      guard !isHandingOver, let variables = try connection.variables(lackedBy: failure) else { throw failure }
      isHandingOver = true
      try connection.send(client.envelope(variables.request), passing: variables.values)
    case .result: if isHandingOver { try connection.send(Self.envelope(request, client)) }
    }
  }

  private mutating func take(_ file: Event.TokenFile) {
    hasChanged = true
    connection.succeeded()
    isHandingOver = false
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

  private mutating func disconnect(_ failure: Failure) {
    connection.disconnect()
    isHandingOver = false
    if isThere {
      hasChanged = true
      console.note("the token file is gone until a daemon writes it again: \(failure.text)")
    }
    isThere = false
  }

  var isAttemptDue: Bool { connection.isAttemptDue }

  /// Asks for the file again.
  mutating func attempt(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    try connection.attempt(poller, key: key) { [client, request] (next) throws(Failure) in
      try Self.send(request, client, next)
    }
  }

  /// Asks for the file by its old name.
  private var request: TokenFileRequest {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    return TokenFileRequest(account: account, name: name, kind: kind)
  }

  /// The command has ended. The file goes with the connection; here it is seen to that it is gone already.
  consuming func finish() {
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let directory = try? PrivateDirectory(opening: String(path[..<slash]), create: false)
    {
      try? directory.removeFile(String(path[path.utf8.index(after: slash)...]), isDurable: false)
    }
    connection.finish()
  }
}
