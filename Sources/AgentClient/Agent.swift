internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// An open connection to this user's agent, the daemon that keeps the sessions.
///
/// ```swift
/// var agent = try Agent()
/// let token = try agent.token(for: "work", TokenOptions(minimumValidity: .seconds(60)))
/// ```
///
/// Every call waits for the answer: well under a millisecond for a token at hand, as long as the authorization server
/// takes for a new one. Calls belong on a thread that may wait, not on Swift's shared pool. A connection serves one
/// call at a time, which is why calls are `mutating`; ``AgentSessions`` serves any number of threads.
///
/// The agent hangs up on a connection on which nothing was asked for a minute, and may end and be started again; the
/// next call then connects anew by itself.
public struct Agent: ~Copyable, Sendable {
  private let place: SocketPlace?
  private var connection: DaemonConnection?

  /// What an answer may take beyond the request's own deadline: the agent reports a missed one itself, and better.
  private static let grace = Duration.seconds(5)

  /// Connects to the agent where the command `agent` finds it: at the socket that `AGENT_SOCKET` names, else in the
  /// runtime directory.
  ///
  /// The process at the other end must be this user's. The agent is not started: the command `agent daemon start` and
  /// any other use of `agent` does that.
  ///
  /// - Throws: ``AgentError/Remedy/tryLater`` with the code `daemon_unavailable` when none runs.
  public init() throws(AgentError) {
    connection = try Self.connect(to: nil)
    place = nil
  }

  /// Connects to the agent at a socket.
  ///
  /// - Parameter path: Absolute, of any length. Its directory must be closed to other users.
  /// - Throws: As ``init()``.
  public init(socket path: String) throws(AgentError) {
    let place = try Self.place(ofSocket: path)
    connection = try Self.connect(to: place)
    self.place = place
  }

  private static func place(ofSocket path: String) throws(AgentError) -> SocketPlace {
    guard let place = SocketPlace(path: path) else {
      throw AgentError(Failure(.invalidRequest, "a socket is named by an absolute path"))
    }
    return place
  }

  /// - Parameter path: nil means where the command `agent` finds it.
  static func connect(toSocket path: String?) throws(AgentError) -> DaemonConnection {
    try connect(to: path.map { (path) throws(AgentError) in try place(ofSocket: path) })
  }

  private static func connect(to place: SocketPlace?) throws(AgentError) -> DaemonConnection {
    do throws(Failure) {
      if let place {
        if let connection = try place.connect() { return connection }
      } else {
        if let connection = try SocketPlace.connectToDaemon() { return connection }
      }
    } catch {
      throw AgentError(error)
    }
    throw AgentError(Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start"))
  }

  // MARK: Asking

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameter account: nil means the active one.
  /// - Throws: ``AgentError/Remedy/signIn`` when there is no session or it has ended; the other remedies as they are
  ///   described there.
  public mutating func token(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) throws(AgentError) -> AccessToken {
    let request = Request.token(options.request(for: account))
    return try converse(request, options.timeoutSeconds) { (line) throws(Failure) in
      if case .event? = try? Reply(parsing: line) { return nil }
      return try Self.token(in: line)
    }
  }

  /// All accounts, whether signed in or not. No server is asked.
  public mutating func accounts() throws(AgentError) -> [Account] {
    (try ask(.list)["accounts"]?.array ?? []).compactMap { Account($0) }
  }

  /// Signs an account out: its tokens are revoked where the server can do that, and forgotten.
  ///
  /// - Parameters:
  ///   - account: nil means the active one.
  ///   - isLocal: Without telling the server.
  public mutating func signOut(_ account: String? = nil, locally isLocal: Bool = false) throws(AgentError) {
    _ = try ask(.logout(LogoutRequest(account: account, local: isLocal)))
  }

  /// The installation that the sessions belong to; nil before its first sign-in.
  public mutating func installation() throws(AgentError) -> InstallationID? {
    try ask(.status(account: nil))["vault"]?["installation"]?.string.flatMap { InstallationID($0) }
  }

  private mutating func ask(_ request: Request) throws(AgentError) -> JSONObject {
    try converse(request, WireProtocol.defaultTimeoutSeconds) { (line) throws(Failure) in
      switch try Reply(parsing: line) {
      case .result(let result): return result
      case .failure(let failure): throw failure
      case .event: return nil
      }
    }
  }

  private static func token(in line: Span<UInt8>) throws(Failure) -> AccessToken {
    let answer = try TokenAnswer(parsing: line)
    let description = answer.description
    let session = Session(
      account: description.account, issuer: description.issuer, subject: description.subject,
      claims: answer.claims(from: line).map(ClaimValue.members) ?? [:],
      scope: description.scope?.split(separator: " ").map(String.init), expiresAt: description.expiresAt)
    return SecretText.with(capacity: line.count) { text in
      answer.appendAccessToken(from: line, to: &text)
      return AccessToken(text.bytes.span, type: description.tokenType, session: session)
    }
  }
}

// MARK: - The connection

extension Agent {
  /// Sends a request and gives each line of its answer to `body`, up to the one that it makes a result of.
  ///
  /// A connection that the agent had closed meanwhile is made anew, once: nothing of the request was answered then.
  private mutating func converse<Result: ~Copyable>(
    _ request: Request, _ timeoutSeconds: Int, _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) throws(AgentError) -> Result {
    let wasOpen = connection != nil
    if !wasOpen { connection = try Self.connect(to: place) }
    do throws(Failure) {
      return try exchange(request, timeoutSeconds, body)
    } catch {
      // What is left on a connection after a failure that is not the agent's own answer belongs to nobody.
      guard error.code == .daemonUnavailable || error.code == .timeout || error.code == .internalError else {
        throw AgentError(error)
      }
      connection = nil
      guard wasOpen, error.code == .daemonUnavailable, request.mayBeRepeated else { throw AgentError(error) }
    }
    connection = try Self.connect(to: place)
    do throws(Failure) {
      return try exchange(request, timeoutSeconds, body)
    } catch {
      connection = nil
      throw AgentError(error)
    }
  }

  private mutating func exchange<Result: ~Copyable>(
    _ request: Request, _ timeoutSeconds: Int, _ body: (Span<UInt8>) throws(Failure) -> Result?
  ) throws(Failure) -> Result {
    let deadline = Instant.now.advanced(by: .seconds(timeoutSeconds) + Self.grace)
    try connection?.send(RequestEnvelope(request, timeoutSeconds: timeoutSeconds))
    while true {
      if let result = try connection?.nextLine(before: deadline, body) ?? nil { return result }
    }
  }
}
