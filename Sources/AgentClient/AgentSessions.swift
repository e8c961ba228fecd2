internal import Platform

/// The sessions that the agent keeps in its vault.
///
/// Any number of threads may use it: each call has its own connection. One connection is kept for the next call.
public final class AgentSessions: SessionContainer {
  private let socket: String?
  private let idle = Monitor<Agent?>(nil)

  /// The agent of the command `agent`. It does not connect yet.
  public init() { socket = nil }

  /// The agent at a socket. It does not connect yet.
  ///
  /// - Parameter path: Absolute, of any length.
  public init(socket path: String) { socket = path }

  /// The installation of the sessions.
  public func installation() throws(AgentError) -> InstallationID? {
    try converse { (agent) throws(AgentError) in try agent.installation() }
  }

  /// All accounts, whether signed in or not.
  public func accounts() throws(AgentError) -> [Account] {
    try converse { (agent) throws(AgentError) in try agent.accounts() }
  }

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameter account: nil means the active one.
  public func token(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) throws(AgentError) -> AccessToken {
    try converse { (agent) throws(AgentError) in try agent.token(for: account, options) }
  }

  /// Ends a session; the account stays.
  ///
  /// - Parameter account: nil means the active one.
  public func signOut(_ account: String? = nil) throws(AgentError) {
    try converse { (agent) throws(AgentError) in try agent.signOut(account) }
  }

  private func converse<Result: ~Copyable>(
    _ body: (inout Agent) throws(AgentError) -> Result
  ) throws(AgentError) -> Result {
    var agent = try take()
    do throws(AgentError) {
      let result = try body(&agent)
      keep(agent)
      return result
    } catch {
      keep(agent)
      throw error
    }
  }

  private func take() throws(AgentError) -> Agent {
    if let agent = idle.withLock({ $0.take() }) { return agent }
    if let socket { return try Agent(socket: socket) }
    return try Agent()
  }

  private func keep(_ agent: consuming Agent) {
    // A second connection that is not needed any more is closed.
    var agent = Optional(agent)
    idle.withLock { swap(&$0, &agent) }
  }
}
