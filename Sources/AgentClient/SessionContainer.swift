/// A store of sessions, which any number of tasks may share. ``Agent`` stores them in the vault, ``MemorySessions`` in
/// this program's memory.
public protocol SessionContainer: Sendable {
  /// Returns the installation that all sessions of the container belong to; nil before the first sign-in.
  func installation() async throws(AgentError) -> InstallationID?

  /// Returns all accounts, signed in or not.
  func accounts() async throws(AgentError) -> [Account]

  /// Returns a valid access token of an account (default: the active one), renewing it first if necessary.
  ///
  /// - Parameter options: The token's lifetime, scope and resources.
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended, but not if it is locked or the
  ///   store is damaged.
  func token(for account: String?, _ options: TokenOptions) async throws(AgentError) -> AccessToken

  /// Ends a session (default: the active account's) and deletes its tokens. The account remains.
  func signOut(_ account: String?) async throws(AgentError)
}
