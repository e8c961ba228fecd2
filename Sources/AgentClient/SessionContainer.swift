/// A store of sessions. ``Agent`` uses the vault; ``MemorySessions`` uses the memory of this
/// program, for tests.
///
/// Any number of tasks may use one.
public protocol SessionContainer: Sendable {
  /// The installation of the sessions; nil before the first sign-in. All sessions of the container belong to it:
  /// another installation has none of them.
  func installation() async throws(AgentError) -> InstallationID?

  /// All accounts, whether signed in or not.
  func accounts() async throws(AgentError) -> [Account]

  /// A valid access token, renewed first if need be.
  ///
  /// - Parameters:
  ///   - account: nil means the active one.
  ///   - options: The token's lifetime, scope and resources.
  /// - Throws: ``AgentError/Remedy/signIn`` if there is no session or it has ended, but not if the session is locked or
  ///   the store is damaged.
  func token(for account: String?, _ options: TokenOptions) async throws(AgentError) -> AccessToken

  /// Ends a session and removes its tokens. The account stays, to sign in again.
  ///
  /// - Parameter account: nil means the active one.
  func signOut(_ account: String?) async throws(AgentError)
}
