/// Where sessions are kept. ``AgentSessions`` keeps them with the agent, in its vault; ``MemorySessions`` keeps them in
/// this program, for tests. A program that takes any container can be given either.
///
/// All calls wait for their answer and may be made from any thread that may wait.
public protocol SessionContainer: Sendable {
  /// The installation that the sessions belong to; nil before the first sign-in. The lifetime of everything in the
  /// container is bound to it: in another installation there is nothing of this one.
  func installation() throws(AgentError) -> InstallationID?

  /// All accounts, whether signed in or not.
  func accounts() throws(AgentError) -> [Account]

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameter account: nil means the active one.
  /// - Throws: ``AgentError/Remedy/signIn`` when there is no session or it has ended. That is not the error of a session
  ///   which is locked, or of a store that is damaged.
  func token(for account: String?, _ options: TokenOptions) throws(AgentError) -> AccessToken

  /// Ends a session. What was kept for it is gone; the account stays, to sign in again.
  ///
  /// - Parameter account: nil means the active one.
  func signOut(_ account: String?) throws(AgentError)
}
