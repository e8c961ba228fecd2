package import Wire

/// Runs a bridge: finds the daemon and talks to the user.
package protocol MCPHost {
  func connect() throws(Failure) -> DaemonConnection

  /// A request with the command line's deadline.
  func envelope(_ request: Request) -> RequestEnvelope

  func writeToClient(_ line: Span<UInt8>) throws(Failure)

  func log(_ request: Request)

  func show(_ event: Event)

  /// Prints a message that the client also gets.
  func note(_ message: Phrase)

  /// Prints a message that the client does not get.
  func warn(_ message: Phrase)

  /// Completes the command in a failure's hint.
  func completingHint(of failure: Failure) -> Failure

  /// The command for a failure with completed hint; nil if the user must be asked.
  func remedy(of failure: Failure) -> MCPRemedy?
}

/// A command that an MCP client may run without asking the user: it sends no token to a new server.
package struct MCPRemedy: Sendable {
  let command: String
  let login: LoginRequest?
  private let namesNoServer: Bool

  /// `namesNoServer` is false if the user must first trust the sign-in's server.
  package init(_ command: String, login: LoginRequest? = nil, namesNoServer: Bool = false) {
    (self.command, self.login, self.namesNoServer) = (command, login, namesNoServer)
  }

  /// The sign-in; nil if the user must first trust its server.
  package var permittedSignIn: LoginRequest? { namesNoServer ? login : nil }
}

/// When a bridge starts sign-ins. If nil, only for clients that can show pages.
package enum SignInPolicy: String, CaseIterable, Sendable {
  /// The client gets the command to run.
  case never
  /// Clients that cannot show pages get URL and code as text.
  case ask
}
