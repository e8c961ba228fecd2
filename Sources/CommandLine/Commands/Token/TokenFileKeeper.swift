internal import Encoding
internal import Platform
internal import Wire

/// Keeps a token file up to date, and requests it again after a disconnect.
struct TokenFileKeeper: ~Copyable {
  private let client: DaemonClient
  private let account: String
  private let kind: TokenKind
  private let path: String
  private(set) var connection: PersistentConnection
  private var hasChanged = false
  private var fileExists = true
  /// Whether missing environment variables were sent; the request is then repeated.
  private var hasSentVariables = false

  var console: Console { client.console }

  /// The connection must be from ``begin(_:_:_:)``.
  init(
    _ client: DaemonClient, account: String, _ kind: TokenKind, path: String, _ connection: consuming DaemonConnection
  ) {
    self.client = client
    (self.account, self.kind) = (account, kind)
    self.path = path
    self.connection = PersistentConnection(client, connection)
  }

  /// Requests a file and waits until it exists.
  static func begin(
    _ request: TokenFileRequest, _ client: DaemonClient, _ connection: inout DaemonConnection
  ) throws(Failure) -> Event.TokenFile {
    try connection.send(envelope(request, client))
    let (request, deadline) = (Request.tokenFile(request), client.deadline(of: .tokenFile(request)))
    let daemonWait = DaemonWait(request, client.console)
    return try client.waitForEvent(over: &connection, before: deadline, waiting: daemonWait.wait) { event in
      if case .tokenFile(let file) = event { file } else { nil }
    }
  }

  private static func envelope(_ request: TokenFileRequest, _ client: DaemonClient) -> RequestEnvelope {
    _ = client.logRequest(.tokenFile(request))
    var envelope = client.envelope(.tokenFile(request))
    envelope.timeoutSeconds = nil
    return envelope
  }

  /// Whether the file changed since the previous call.
  mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  mutating func read() {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() { try handle(reply) }
    } catch {
      disconnect(error)
    }
  }

  private mutating func handle(_ reply: Reply) throws(Failure) {
    switch reply {
    case .event(.tokenFile(let file)): handle(file)
    case .event(let event): console.report(event)
    case .failure(let failure):
      guard !hasSentVariables, let variables = try connection.variables(neededAfter: failure) else { throw failure }
      hasSentVariables = true
      try connection.send(client.envelope(variables.request), passing: variables.values)
    case .result: if hasSentVariables { try connection.send(Self.envelope(request, client)) }
    }
  }

  private mutating func handle(_ file: Event.TokenFile) {
    hasChanged = true
    connection.recordSuccess()
    hasSentVariables = false
    let wasThere = fileExists
    fileExists = file.removal == nil
    if let code = file.removal {
      console.note(
        code == .locked
          ? Phrase("token file removed until you unlock \(file.account): \(code.rawValue)")
          : Phrase("token file removed until you sign in to \(file.account): \(code.rawValue)"))
    } else if !wasThere {
      console.note("token file restored")
    }
    if !file.path.hasSameBytes(as: path) {
      console.note("the token file has moved to \(file.path), which the command does not know")
    }
  }

  private mutating func disconnect(_ failure: Failure) {
    connection.disconnect()
    hasSentVariables = false
    if fileExists {
      hasChanged = true
      console.note("token file removed until a daemon writes it again: \(failure.text)")
    }
    fileExists = false
  }

  mutating func reconnectIfDue(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard connection.isAttemptDue else { return }
    try connection.reconnect(poller, key: key) { [client, request] (next) throws(Failure) in
      try next.send(Self.envelope(request, client))
    }
  }

  private var request: TokenFileRequest {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    return TokenFileRequest(account: account, name: name, kind: kind)
  }

  /// Removes the file, because the command has ended.
  deinit {
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let directory = try? PrivateDirectory(opening: String(path[..<slash]), create: false)
    {
      try? directory.removeFile(String(path[path.utf8.index(after: slash)...]), isDurable: false)
    }
  }
}
