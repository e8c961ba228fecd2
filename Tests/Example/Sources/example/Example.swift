import AgentClient

/// `example [ACCOUNT]`: who is signed in, a token that is used once, and what happens next.
@main struct Example {
  static func main() async throws {
    let account = CommandLine.arguments.dropFirst().first
    do throws(AgentError) {
      try greet(account)
    } catch {
      return tell(error)
    }
    // Nothing that follows is missed: the stream begins before a new token is asked for.
    let events = try AgentEvents.stream(of: account)
    try renew(account)
    for try await event in events {
      guard case .refreshed(let expiry) = event.kind else { continue }
      print("event: refreshed, account \(event.account ?? "-"), until \(expiry ?? 0)")
      return
    }
  }

  private static func greet(_ account: String?) throws(AgentError) {
    let container = AgentSessions()
    let session = RefreshableSession(account, in: container, TokenOptions(minimumValidity: .seconds(60)))
    let length = try session.send { (token) throws(AgentError) in
      // Here a request would be made, with `token.revealedAuthorization()` in its head.
      .answered(token.withBytes { $0.count })
    }
    guard let session = session.latest else { return }
    print("account \(session.account), issuer \(session.issuer), subject \(session.subject ?? "-")")
    print("email \(session.claims["email"]?.text ?? "-"), token of \(length) bytes")
    print("installation \(try container.installation().map(\.text) ?? "-")")
  }

  private static func renew(_ account: String?) throws(AgentError) {
    var agent = try Agent()
    _ = try agent.token(for: account, TokenOptions(forcesRefresh: true))
  }

  /// Each kind of error has its own way on.
  private static func tell(_ error: AgentError) {
    switch error.remedy {
    case .signIn: print("please sign in: \(error.hint ?? "agent login")")
    case .unlock: print("please unlock: \(error.hint ?? "agent unlock")")
    case .tryLater: print("not now: \(error.message)")
    case .fixConfiguration, .fixProgram, .none: print("failed: \(error.message)")
    }
  }
}
