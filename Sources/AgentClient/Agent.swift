internal import Encoding
internal import Platform
internal import Wire

/// The user's agent: the daemon that stores the sessions and contacts the servers.
///
/// ```swift
/// let agent = Agent()
/// let token = try await agent.token(for: "work", TokenOptions(minimumValidity: .seconds(60)))
/// ```
///
/// Any number of tasks may share one value. No call blocks a thread of Swift's shared pool. Cancelling a task ends its
/// call with the code `cancelled`.
///
/// Stores no tokens, claims or names, only an idle connection, which the agent closes after a minute. The next call
/// then reconnects.
public final class Agent: SessionContainer {
  /// The path passed to the initializer; nil for the socket that the command `agent` uses.
  let socketPath: String?
  private let startsDaemon: Bool
  /// The path of `agent`, if specified.
  let programPath: String?
  private let idleConnection = Monitor<DaemonConnection?>(nil)

  /// How long to wait beyond the timeout, which the agent enforces.
  private static let grace = Duration.seconds(5)

  /// Creates a client, without connecting yet.
  ///
  /// The daemon must be a process of this user. Calls start it at the default socket if necessary, but not at one
  /// specified here or by `AGENT_SOCKET`, which may belong to an ended lease; use ``start()`` there.
  ///
  /// - Parameters:
  ///   - path: The socket's absolute path, of any length, in a directory closed to other users. The default is
  ///     `AGENT_SOCKET`, otherwise the socket in the runtime directory.
  ///   - startsDaemon: Whether calls start a missing daemon at the default socket.
  ///   - program: The absolute path of `agent`. The default is next to this program, otherwise in `PATH`.
  public init(socket path: String? = nil, startsDaemon: Bool = true, program: String? = nil) {
    socketPath = path
    self.startsDaemon = startsDaemon
    programPath = program
  }

  // MARK: Accounts

  /// Returns all accounts, signed in or not. Contacts no server.
  public func accounts() async throws(AgentError) -> [Account] {
    (try await ask(.state(.list))["accounts"]?.array ?? []).compactMap { Account($0) }
  }

  /// Makes an account the active one.
  public func use(_ account: String) async throws(AgentError) { _ = try await ask(.state(.use(account: account))) }

  /// Whether a user or the client itself is signed in, by default to the active account. Needs no token and contacts no
  /// server.
  ///
  /// Also true if the session is locked or its server unreachable; false if the account does not exist. The server may
  /// have ended the session meanwhile. Throws if the vault is unreadable.
  public func isSignedIn(_ account: String? = nil) async throws(AgentError) -> Bool {
    let accounts = try await accounts()
    let known = accounts.first { known in account.map { $0 == known.name } ?? known.isActive }
    guard let known else { return false }
    switch known.state {
    case .active, .stale, .refreshing, .offline, .locked: return true
    case .signedOut, .expired, .notKept: return false
    // A sign-in may be in progress despite a valid session.
    case .signingIn, .unreadable, nil:
      if let problem = known.problem { throw problem }
      return try await identity(of: known.name) != nil
    }
  }

  /// Returns the signed-in user, by default of the active account, according to the verified ID Token. Needs no token
  /// and contacts no server.
  ///
  /// - Returns: Nil if the account does not exist or has no session, or the server issued no ID Token.
  /// - Throws: ``AgentError/Remedy/unlock`` if the session is locked; another error if its state is unknown.
  public func currentUser(_ account: String? = nil) async throws(AgentError) -> User? {
    try await identity(of: account).flatMap { User($0) }
  }

  private static let noSessionCodes: [FailureCode] = [.noAccount, .signedOut, .sessionExpired]

  /// The response to `whoami` from the verified ID Token; nil without a session.
  private func identity(of account: String?) async throws(AgentError) -> JSONObject? {
    do throws(AgentError) {
      return try await ask(.state(.whoami(account: account, verified: true)))
    } catch {
      if Self.noSessionCodes.contains(where: { $0.rawValue == error.code }) { return nil }
      throw error
    }
  }

  /// Returns the installation that the sessions belong to; nil before the first sign-in. Throws if the vault is
  /// unreadable.
  public func installation() async throws(AgentError) -> InstallationID? {
    let vault = try await ask(.state(.status(account: nil)))["vault"]
    if let problem = vault?["problem"].flatMap({ Failure(json: $0) }) { throw AgentError(problem) }
    return vault?["installation"]?.string.flatMap { InstallationID($0) }
  }

  /// Ends a session, by default the active account's: deletes its tokens, and revokes them if the server supports that.
  /// The account remains.
  public func signOut(_ account: String? = nil) async throws(AgentError) { try await signOut(account, locally: false) }

  /// Ends a session, by default the active account's. If `isLocal`, deletes the tokens without revoking them. The
  /// account remains.
  public func signOut(_ account: String?, locally isLocal: Bool) async throws(AgentError) {
    _ = try await ask(.logout(LogoutRequest(account: account, skipsRevocation: isLocal)))
  }

  // MARK: Tokens

  /// Returns a valid access token, by default of the active account, renewing it first if necessary.
  ///
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended.
  public func token(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) async throws(AgentError) -> AccessToken {
    try await requestToken(.token(options.request(for: account)), options.timeoutSeconds)
  }

  /// Returns a valid access token bound to a key, with a DPoP proof for one HTTP request (RFC 9449, section 7.1).
  ///
  /// The proof is in ``AccessToken/proof``. The session has no claims.
  ///
  /// - Parameters:
  ///   - method: The HTTP method, case-sensitive.
  ///   - url: The request's https URL. The account must list its origin.
  ///   - nonce: The resource's latest nonce (RFC 9449, section 9); nil if it sent none.
  ///   - account: The default is the account that lists the origin, never the active one.
  /// - Throws: ``AgentError/Remedy/fixConfiguration`` with the code `origin_not_allowed`, or `missing_value` if the
  ///   account's tokens are not bound to a key.
  public func tokenWithProof(
    method: String, url: String, nonce: String? = nil, for account: String? = nil
  ) async throws(AgentError) -> AccessToken {
    let request = ProofRequest(account: account, method: method, url: url, nonce: nonce, wantsAccessToken: true)
    return try await requestToken(.proof(request), WireProtocol.defaultTimeoutSeconds)
  }

  /// Returns a valid ID Token, by default of the active account. Renews the session first if the ID Token has expired.
  /// ``TokenOptions/minimumValidity`` applies to the access token.
  ///
  /// - Throws: ``AgentError/Remedy/signIn`` with the code `interaction_required` if the ID Token has expired and the
  ///   server issues no new one; ``AgentError/Remedy/fixConfiguration`` with the code `missing_value` if the session
  ///   has none.
  public func idToken(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) async throws(AgentError) -> IDToken {
    var request = options.request(for: account)
    request.extras.wantsIDToken = true
    return try await converse(.token(request), options.timeoutSeconds) { (line) throws(Failure) in
      if case .event? = try? Reply(parsing: line) { return nil }
      return try IDToken(in: line)
    }
  }

  private func requestToken(_ request: Request, _ timeoutSeconds: Int) async throws(AgentError) -> AccessToken {
    try await converse(request, timeoutSeconds) { (line) throws(Failure) in
      if case .event? = try? Reply(parsing: line) { return nil }
      return try AccessToken(in: line)
    }
  }

  // MARK: Long requests

  /// Returns the events of one account, or of all if nil, that occur after this call returns.
  public func events(of account: String? = nil) async throws(AgentError) -> AgentEvents {
    let replies = try await openStream(RequestEnvelope(.events(EventsRequest(account: account, follows: true))))
    return try await AgentEvents(beginningOf: replies)
  }

  /// Begins a sign-in, a sequence of steps for the user.
  public func signIn(_ options: SignInOptions = SignInOptions()) async throws(AgentError) -> SignIn {
    let seconds = options.timeoutSeconds
    let envelope = RequestEnvelope(.login(options.request), timeoutSeconds: seconds)
    return SignIn(try await openStream(envelope, before: .now.advanced(by: .seconds(seconds) + Self.grace)), self)
  }

  /// Sends an HTTP request with an account's token, which stays in the agent. Returns when the response's head arrives.
  ///
  /// The agent adds DPoP proofs if necessary. If the resource rejects the token, it renews the token and retries once.
  ///
  /// - Throws: ``AgentError/Remedy/fixConfiguration`` with the code `origin_not_allowed` if no account, or not the
  ///   specified one, lists the URL's origin. No HTTP status is an error.
  public func request(_ request: ResourceRequest) async throws(AgentError) -> ResourceResponse {
    let envelope = RequestEnvelope(.call(request.callRequest), timeoutSeconds: request.timeoutSeconds)
    return try await ResourceResponse(headOf: try await openStream(envelope), sending: UnsentBody(request.partsOfBody))
  }

  // MARK: - The connection

  /// Sends a request and returns its result. Ignores events.
  func ask(_ request: Request) async throws(AgentError) -> JSONObject {
    try await converse(request, WireProtocol.defaultTimeoutSeconds) { (line) throws(Failure) in
      switch try Reply(parsing: line) {
      case .result(let result): return result
      case .failure(let failure): throw failure
      case .event: return nil
      }
    }
  }

  /// Sends a request, and passes each response line to `body` until it returns a result. Reconnects once if the agent
  /// closed the idle connection without processing the request.
  private func converse<Result: ~Copyable>(
    _ request: Request, _ timeoutSeconds: Int, _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) async throws(AgentError) -> Result {
    do throws(Failure) {
      let envelope = RequestEnvelope(request, timeoutSeconds: timeoutSeconds)
      if let connection = idleConnection.withLock({ $0.take() }) {
        if try sendIfOpen(envelope, over: connection) {
          do throws(Failure) { return try await waitForAnswer(to: envelope, over: connection, body) } catch {
            guard error.code == .daemonUnavailable, request.has(.repeatable) else { throw error }
          }
        }
      }
      return try await waitForAnswer(to: envelope, over: try await connect(sending: envelope), body)
    } catch {
      throw AgentError(error)
    }
  }

  /// Sends a request on the idle connection; false if the agent had closed it without receiving the request.
  private func sendIfOpen(
    _ request: RequestEnvelope, over connection: borrowing DaemonConnection
  ) throws(Failure) -> Bool {
    do throws(Failure) { try connection.sendWhole(request) } catch {
      guard error.code == .daemonUnavailable else { throw error }
      return false
    }
    return true
  }

  private func waitForAnswer<Result: ~Copyable>(
    to request: RequestEnvelope, over connection: consuming DaemonConnection,
    _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) async throws(Failure) -> Result {
    var connection = connection
    let deadline = Instant.now.advanced(by: .seconds(request.timeoutSeconds ?? 0) + Self.grace)
    do throws(Failure) {
      while true {
        if let result = try await connection.nextLine(before: deadline, body) {
          keepIdle(connection)
          return result
        }
      }
    } catch {
      if let variables = try CallerVariables(neededAfter: error, over: connection) {
        // The daemon keeps the variables for this connection, so do not reuse it.
        try await connection.sendVariables(variables, before: deadline)
        try connection.sendWhole(request)
        while true {
          if let result = try await connection.nextLine(before: deadline, body) { return result }
        }
      }
      // After other failures there may be unread data, so drop the connection.
      if ![.daemonUnavailable, .daemonStopped, .timeout, .internalError, .cancelled].contains(error.code) {
        keepIdle(connection)
      }
      throw error
    }
  }

  private func keepIdle(_ connection: consuming DaemonConnection) {
    // Of two idle connections, one is closed.
    var connection = Optional(connection)
    idleConnection.withLock { swap(&$0, &connection) }
  }

  /// Begins a long request on its own connection.
  private func openStream(
    _ request: RequestEnvelope, before deadline: Instant = .distantFuture
  ) async throws(AgentError) -> ReplyStream {
    do throws(Failure) {
      return ReplyStream(of: request, over: try await connect(sending: request), before: deadline)
    } catch {
      throw AgentError(error)
    }
  }

  /// Connects and sends a request at once: the daemon closes idle connections and this task may be delayed.
  private func connect(sending request: RequestEnvelope) async throws(Failure) -> DaemonConnection {
    let found = Monitor<DaemonConnection?>(nil)
    try await OwnThread.run { [self] () throws(Failure) in
      var connection = try connectIfRunning()
      if connection == nil, try mayStartDaemon() {
        try startDaemon()
        connection = try connectIfRunning()
      }
      switch connection {
      case .some(let opened): try opened.sendWhole(request)
      case .none: return
      }
      found.withLock { swap(&$0, &connection) }
    }
    guard let connection = found.withLock({ $0.take() }) else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return connection
  }

  /// Whether calls may start the daemon: at the default socket, unless disabled.
  private func mayStartDaemon() throws(Failure) -> Bool {
    guard startsDaemon, socketPath == nil else { return false }
    return try SocketLocation.fromEnvironment() == nil
  }

  /// Connects to the daemon; nil if it is not running. May block while it does not accept.
  func connectIfRunning() throws(Failure) -> DaemonConnection? {
    guard let socketPath else { return try SocketLocation.connectToDaemon() }
    guard let location = SocketLocation(path: socketPath) else {
      throw Failure(.invalidRequest, "the path of the socket is not absolute")
    }
    return try location.connect()
  }
}
