/// A store of sessions. ``Agent`` uses the vault, ``MemorySessions`` this program's memory.
///
/// Any number of tasks may share one.
public protocol SessionContainer: Sendable {
  /// Returns the installation of the sessions; nil before the first sign-in. All sessions of the container belong to
  /// it, and none to another installation.
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

  /// Ends a session and removes its tokens. The account remains, to sign in again.
  ///
  /// - Parameter account: The default is the active account.
  func signOut(_ account: String?) async throws(AgentError)
}
