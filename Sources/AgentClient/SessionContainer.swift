/// A store of sessions. ``AgentSessions`` uses the agent and its vault; ``MemorySessions`` uses the memory of this
/// program, for tests.
///
/// All calls wait for their answer and may be made from any thread that may wait.
public protocol SessionContainer: Sendable {
  /// The installation of the sessions; nil before the first sign-in. All sessions of the container belong to it:
  /// another installation has none of them.
  func installation() throws(AgentError) -> InstallationID?

  /// All accounts, whether signed in or not.
  func accounts() throws(AgentError) -> [Account]

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameter account: nil means the active one.
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended, but not if the session is locked or
  ///   the store is damaged.
  func token(for account: String?, _ options: TokenOptions) throws(AgentError) -> AccessToken

  /// Ends a session and removes its tokens. The account stays, to sign in again.
  ///
  /// - Parameter account: nil means the active one.
  func signOut(_ account: String?) throws(AgentError)
}
