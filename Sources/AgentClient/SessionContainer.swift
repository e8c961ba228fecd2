/// A store of sessions, shared by any number of tasks. ``Agent`` uses the vault, ``MemorySessions`` this program's
/// memory.
public protocol SessionContainer: Sendable {
  /// Returns the installation that all sessions belong to; nil before the first sign-in.
  func installation() async throws(AgentError) -> InstallationID?

  /// Returns all accounts, signed in or not.
  func accounts() async throws(AgentError) -> [Account]

  /// Returns a valid access token, by default of the active account, renewing it first if necessary.
  ///
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended, but not if the session is locked or
  ///   the store is damaged.
  func token(for account: String?, _ options: TokenOptions) async throws(AgentError) -> AccessToken

  /// Ends a session, by default the active account's, and deletes its tokens. The account remains.
  func signOut(_ account: String?) async throws(AgentError)
}
