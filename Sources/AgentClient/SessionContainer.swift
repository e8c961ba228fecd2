/// A store of sessions. ``Agent`` stores them in the vault, ``MemorySessions`` in this program's memory.
///
/// Any number of tasks may share a container.
public protocol SessionContainer: Sendable {
  /// Returns the installation that all sessions of the container belong to; nil before the first sign-in.
  func installation() async throws(AgentError) -> InstallationID?

  /// Returns all accounts, signed in or not.
  func accounts() async throws(AgentError) -> [Account]

  /// Returns a valid access token, renewing it first if necessary.
  ///
  /// - Parameters:
  ///   - account: The default is the active account.
  ///   - options: The token's lifetime, scope and resources.
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended, but not if the session is locked or
  ///   the store is damaged.
  func token(for account: String?, _ options: TokenOptions) async throws(AgentError) -> AccessToken

  /// Ends a session and deletes its tokens. The account remains.
  ///
  /// - Parameter account: The default is the active account.
  func signOut(_ account: String?) async throws(AgentError)
}
