internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// This user's agent: the daemon that keeps the sessions, and asks the servers.
///
/// ```swift
/// let agent = Agent()
/// let token = try await agent.token(for: "work", TokenOptions(minimumValidity: .seconds(60)))
/// ```
///
/// Any number of tasks may use one value. No call blocks a thread of Swift's shared pool, and the cancellation of a task ends
/// its call with the code `cancelled`. A call takes well under a millisecond for a cached token, as long as the authorization
/// server takes for a new one.
///
/// It holds no token, no claim and no name: only an open connection for the next call, which the agent closes after a minute
/// without a request. If the agent was restarted meanwhile, the next call connects again.
public final class Agent: SessionContainer {
  /// Nil means where the command `agent` finds it.
  let socketPath: String?
  private let startsDaemon: Bool
  let programPath: String?
  private let idle = Monitor<DaemonConnection?>(nil)

  /// The wait for the answer after the request's deadline: the agent reports a missed deadline itself, with the reason.
  private static let grace = Duration.seconds(5)

  /// The agent at the place where the command `agent` finds it, or at a socket. This does not connect yet.
  ///
  /// The process at the other end must be this user's. At the usual place the daemon is started when a call finds none. At a
  /// place that is named, here or by `AGENT_SOCKET`, only ``start()`` starts one: it may be the socket of a lease that has
  /// ended.
  ///
  /// - Parameters:
  ///   - path: The socket: absolute, of any length, in a directory that is closed to other users. Nil means the one that
  ///     `AGENT_SOCKET` names, else the one in the runtime directory.
  ///   - startsDaemon: Whether a call starts the daemon when none runs at the usual place.
  ///   - program: The absolute path of the program `agent`, which starts the daemon. Nil means the one beside this program's
  ///     own file, else the first one on the `PATH`.
  public init(socket path: String? = nil, startsDaemon: Bool = true, program: String? = nil) {
    socketPath = path
    self.startsDaemon = startsDaemon
    programPath = program
  }

  // MARK: Accounts

  /// All accounts, whether signed in or not. No server is asked.
  public func accounts() async throws(AgentError) -> [Account] {
    (try await ask(.state(.list))["accounts"]?.array ?? []).compactMap { Account($0) }
  }

  /// Makes an account the active one, which a call without an account uses.
  public func use(_ account: String) async throws(AgentError) { _ = try await ask(.state(.use(account: account))) }

  /// Whether a person, or a client of its own, is signed in, without a token and without a request to any server.
  ///
  /// A session that is locked counts, and one whose server cannot be reached. It may have been ended at the server meanwhile.
  ///
  /// - Parameter account: nil means the active one.
  /// - Returns: False also if there is no such account.
  /// - Throws: Also the problem of the vault, if it cannot be read.
  public func isSignedIn(_ account: String? = nil) async throws(AgentError) -> Bool {
    let accounts = try await accounts()
    let known = accounts.first { known in account.map { $0 == known.name } ?? known.isActive }
    guard let known else { return false }
    switch known.state {
    case .active, .stale, .refreshing, .offline, .locked: return true
    case .signedOut, .expired: return false
    // A sign-in may be under way for an account whose session is still good.
    case .signingIn, .unreadable, nil: return try await identity(of: known.name) != nil
    }
  }

  /// The person who is signed in, by the verified ID Token, without a token and without a request to any server.
  ///
  /// - Parameter account: nil means the active one.
  /// - Returns: Nil if the account has no session, or the server gave no ID Token.
  /// - Throws: ``AgentError/Remedy/unlock`` if the session is locked.
  public func currentUser(_ account: String? = nil) async throws(AgentError) -> User? {
    try await identity(of: account).flatMap { User($0) }
  }

  /// The identity of the user who is signed in; nil without a session.
  private func identity(of account: String?) async throws(AgentError) -> JSONObject? {
    do throws(AgentError) {
      return try await ask(.state(.whoami(account: account, verified: true)))
    } catch {
      if error.remedy == .signIn, error.code != FailureCode.otherMachine.rawValue { return nil }
      throw error
    }
  }

  /// The installation of the sessions; nil before its first sign-in.
  public func installation() async throws(AgentError) -> InstallationID? {
    try await ask(.state(.status(account: nil)))["vault"]?["installation"]?.string.flatMap { InstallationID($0) }
  }

  /// Ends a session: its tokens are revoked if the server supports that, and removed. The account stays.
  ///
  /// - Parameter account: nil means the active one.
  public func signOut(_ account: String? = nil) async throws(AgentError) { try await signOut(account, locally: false) }

  /// Ends a session.
  ///
  /// - Parameters:
  ///   - account: nil means the active one.
  ///   - isLocal: Whether the tokens are only removed, and not revoked at the server.
  public func signOut(_ account: String?, locally isLocal: Bool) async throws(AgentError) {
    _ = try await ask(.logout(LogoutRequest(account: account, local: isLocal)))
  }

  // MARK: Tokens

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameters:
  ///   - account: nil means the active one.
  ///   - options: The token's lifetime, scope and resources.
  /// - Throws: ``AgentError/Remedy/signIn`` when there is no session or it has ended; the other remedies as they are
  ///   described there.
  public func token(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) async throws(AgentError) -> AccessToken {
    try await token(in: .token(options.request(for: account)), options.timeoutSeconds)
  }

  /// A valid access token that is bound to a key, with a DPoP proof for one HTTP request (RFC 9449, section 7.1).
  ///
  /// The proof is in ``AccessToken/proof``. The claims of the token's session are left out.
  ///
  /// - Parameters:
  ///   - method: The method of the HTTP request; case matters.
  ///   - url: Its https URL. The account must list the origin as one that may get its token.
  ///   - nonce: The last nonce of the resource (RFC 9449, section 9), if it sent one.
  ///   - account: nil means the one that lists the origin, never the active one.
  /// - Throws: ``AgentError/Remedy/fixConfiguration`` with the code `origin_not_allowed`, or with `missing_value` if the
  ///   account's tokens are not bound to a key.
  public func tokenWithProof(
    method: String, url: String, nonce: String? = nil, for account: String? = nil
  ) async throws(AgentError) -> AccessToken {
    let request = ProofRequest(account: account, method: method, url: url, nonce: nonce, accessToken: true)
    return try await token(in: .proof(request), WireProtocol.defaultTimeoutSeconds)
  }

  private func token(in request: Request, _ timeoutSeconds: Int) async throws(AgentError) -> AccessToken {
    try await converse(request, timeoutSeconds) { (line) throws(Failure) in
      if case .event? = try? Reply(parsing: line) { return nil }
      return try AccessToken(in: line)
    }
  }

  // MARK: Long requests

  /// Begins to follow the events of sessions and accounts. Every event after this returns is received.
  ///
  /// - Parameter account: Only events of this account; nil means all.
  public func events(of account: String? = nil) async throws(AgentError) -> AgentEvents {
    let replies = try await stream(RequestEnvelope(.events(EventsRequest(account: account, follow: true))))
    return try await AgentEvents(beginningOf: replies)
  }

  /// Begins a sign-in. Its steps say what the person has to do; see ``SignIn``.
  public func signIn(_ options: SignInOptions = SignInOptions()) async throws(AgentError) -> SignIn {
    let seconds = options.timeoutSeconds
    let envelope = RequestEnvelope(.login(options.request), timeoutSeconds: seconds)
    return SignIn(try await stream(envelope, before: .now.advanced(by: .seconds(seconds) + Self.grace)), self)
  }

  /// Sends an HTTP request with an account's token, which stays in the agent, and returns when the head of the answer is
  /// there. A rejected token is renewed once, and the request sent once more. DPoP proofs are made as they are needed.
  ///
  /// - Throws: ``AgentError/Remedy/fixConfiguration`` with the code `origin_not_allowed` if no account, or not the named one,
  ///   lists the origin of the URL. An answer of the resource, whatever its status, is no error.
  public func request(_ request: ResourceRequest) async throws(AgentError) -> ResourceResponse {
    let envelope = RequestEnvelope(.call(request.call), timeoutSeconds: request.timeoutSeconds)
    return try await ResourceResponse(headOf: try await stream(envelope), sending: UnsentBody(request.partsOfBody))
  }
}

// MARK: - The connection

extension Agent {
  func ask(_ request: Request) async throws(AgentError) -> JSONObject {
    try await converse(request, WireProtocol.defaultTimeoutSeconds) { (line) throws(Failure) in
      switch try Reply(parsing: line) {
      case .result(let result): return result
      case .failure(let failure): throw failure
      case .event: return nil
      }
    }
  }

  /// Sends a request and passes each line of its answer to `body`, until it returns a result.
  ///
  /// If the agent has closed the kept connection meanwhile, the call connects once more: the request was not answered then.
  private func converse<Result: ~Copyable>(
    _ request: Request, _ timeoutSeconds: Int, _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) async throws(AgentError) -> Result {
    do throws(Failure) {
      let envelope = RequestEnvelope(request, timeoutSeconds: timeoutSeconds)
      if let connection = idle.withLock({ $0.take() }) {
        if try isTaken(envelope, over: connection) {
          do throws(Failure) { return try await answer(to: envelope, over: connection, body) } catch {
            guard error.code == .daemonUnavailable, request.has(.repeatable) else { throw error }
          }
        }
      }
      return try await answer(to: envelope, over: try await connect(sending: envelope), body)
    } catch {
      throw AgentError(error)
    }
  }

  /// Sends a request over a kept connection.
  ///
  /// - Returns: False if the agent has closed it. The request has not come to the agent then.
  private func isTaken(
    _ request: RequestEnvelope, over connection: borrowing DaemonConnection
  ) throws(Failure) -> Bool {
    do throws(Failure) { try connection.sendWhole(request) } catch {
      guard error.code == .daemonUnavailable else { throw error }
      return false
    }
    return true
  }

  /// Waits for the answer to a request that was sent.
  private func answer<Result: ~Copyable>(
    to request: RequestEnvelope, over connection: consuming DaemonConnection,
    _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) async throws(Failure) -> Result {
    var connection = connection
    let deadline = Instant.now.advanced(by: .seconds(request.timeoutSeconds ?? 0) + Self.grace)
    do throws(Failure) {
      while true {
        if let result = try await connection.nextLine(before: deadline, body) {
          keep(connection)
          return result
        }
      }
    } catch {
      if let variables = try CallerVariables(lackedBy: error, over: connection) {
        // The daemon forgets the values when this connection closes, so it is not kept.
        try await connection.handOver(variables, before: deadline)
        try connection.sendWhole(request)
        while true {
          if let result = try await connection.nextLine(before: deadline, body) { return result }
        }
      }
      // After a failure that is not the agent's answer the connection may have an unread rest, so it is dropped.
      if ![.daemonUnavailable, .daemonStopped, .timeout, .internalError, .cancelled].contains(error.code) {
        keep(connection)
      }
      throw error
    }
  }

  private func keep(_ connection: consuming DaemonConnection) {
    // A second connection that is not needed any more is closed.
    var connection = Optional(connection)
    idle.withLock { swap(&$0, &connection) }
  }

  /// Begins a long request over a connection of its own.
  private func stream(
    _ request: RequestEnvelope, before deadline: Instant = .distantFuture
  ) async throws(AgentError) -> ReplyStream {
    do throws(Failure) {
      return ReplyStream(of: request, over: try await connect(sending: request), before: deadline)
    } catch {
      throw AgentError(error)
    }
  }

  /// Connects and sends a request, at once: the daemon closes a connection over which nothing comes, and this task may
  /// get its turn again only later.
  private func connect(sending request: RequestEnvelope) async throws(Failure) -> DaemonConnection {
    let found = Monitor<DaemonConnection?>(nil)
    try await OwnThread.run { [self] () throws(Failure) in
      var connection = try connectIfRunning()
      if connection == nil, try mayStart() {
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

  /// Whether a call starts the daemon.
  private func mayStart() throws(Failure) -> Bool {
    guard startsDaemon, socketPath == nil else { return false }
    return try SocketPlace.named() == nil
  }

  /// May block, at a daemon that accepts no connection.
  func connectIfRunning() throws(Failure) -> DaemonConnection? {
    guard let socketPath else { return try SocketPlace.connectToDaemon() }
    guard let place = SocketPlace(path: socketPath) else {
      throw Failure(.invalidRequest, "the path of the socket is not absolute")
    }
    return try place.connect()
  }
}
