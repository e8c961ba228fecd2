package import AgentSocket
package import Wire

/// The program that runs a bridge. It knows how to find the daemon, and speaks to the user.
package protocol MCPHost {
  /// Connects to the daemon, and starts it if necessary.
  func connect() throws(Failure) -> DaemonConnection

  /// The request with the deadline of the command line.
  func envelope(_ request: Request) -> RequestEnvelope

  /// Writes to the client.
  func answer(_ line: Span<UInt8>) throws(Failure)

  /// Logs a request that is about to be sent.
  func log(_ request: Request)

  /// Reports an event that is not part of a response.
  func tell(_ event: Event)

  /// Reports what the client learns too.
  func note(_ message: Phrase)

  /// Reports what the client does not learn.
  func warn(_ message: Phrase)

  /// The failure with its hint as a complete command.
  func completed(_ failure: Failure) -> Failure

  /// What the client may do about a completed failure without asking the user; nil if nothing.
  func remedy(of failure: Failure) -> MCPRemedy?
}

/// A command that a client may run without asking the user: it lets no account send its token elsewhere.
package struct MCPRemedy: Sendable {
  let command: String
  /// The sign-in that the command starts, if it starts one.
  let login: LoginRequest?
  private let isOfAccount: Bool

  /// - Parameter isOfAccount: Whether the sign-in names no server: a user must first decide whether to trust one.
  package init(_ command: String, login: LoginRequest? = nil, isOfAccount: Bool = false) {
    (self.command, self.login, self.isOfAccount) = (command, login, isOfAccount)
  }

  /// The sign-in that a bridge may start.
  package var signIn: LoginRequest? { isOfAccount ? login : nil }
}

/// Whether a bridge starts a sign-in if a call needs one.
package enum SignInPolicy: String, CaseIterable, Sendable {
  /// Never: the client receives the command to run.
  case never
  /// Always: a client that cannot show pages receives the URL and the code as text.
  case ask
}
