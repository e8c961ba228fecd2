import AgentClient

/// Runs the commands.
struct Tool {
  let arguments: [String]
  private let agent = Agent()

  init(arguments: [String]) { self.arguments = arguments }

  func run(_ command: Command) async throws {
    switch command {
    case .start: try await agent.start()
    case .login: try await login()
    case .accounts: try await listAccounts()
    case .use: try await agent.use(try argument(0))
    case .user: try await showUser()
    case .watch: repeat { try await showUser() } while readLine() != nil
    case .renew: try await renew()
    case .get: try await request(ResourceRequest(try argument(0)))
    case .post: try await request(ResourceRequest(try argument(0), body: Array(try argument(1).utf8)))
    case .proof: try await prove()
    case .logout: try await logout()
    }
  }

  /// The account in the arguments; nil for the active one.
  private var account: String? { arguments.first }

  private func argument(_ index: Int) throws(AgentError) -> String {
    guard index < arguments.count else {
      throw AgentError(.fixProgram, code: "usage", message: "an argument is missing")
    }
    return arguments[index]
  }

  // MARK: Accounts

  private func login() async throws(AgentError) {
    var options = SignInOptions(try argument(0))
    if arguments.count > 2 {
      options.issuer = arguments[1]
      options.clientID = arguments[2]
      options.allowsHTTPLoopback = true
    }
    // The caller may have no browser.
    options.flow = .device
    for try await step in try await agent.signIn(options) {
      switch step {
      case .openPage(let page): print("open \(page.url)")
      case .enterCode(let code): print("open \(code.verificationURI) and enter \(code.userCode)")
      case .confirm(_, let name): print("is it you, \(name ?? "?")?")
      case .redirectRefused(let error): print(Example.advice(error))
      case .notice(let text): print("note: \(text)")
      case .signedIn(let session, _): print("signed in to \(session.account) as \(session.subject ?? "-")")
      }
    }
  }

  private func listAccounts() async throws(AgentError) {
    for account in try await agent.accounts() {
      print("\(account.isActive ? "*" : " ") \(account.name) \(account.state?.rawValue ?? "-") \(account.issuer)")
    }
  }

  private func showUser() async throws(AgentError) {
    guard try await agent.isSignedIn(account) else { return print("nobody is signed in") }
    guard let user = try await agent.currentUser(account) else { return print("the server does not say who") }
    print("subject \(user.subject), email \(user.claims["email"]?.text ?? "-")")
    print("installation \(try await agent.installation()?.text ?? "-")")
  }

  // MARK: Tokens

  private func renew() async throws {
    let session = RefreshableSession(account, in: agent, TokenOptions(minimumValidity: .seconds(60)))
    let length = try await session.send { token in
      // A request would be made here, with `token.revealedAuthorization()` in its header.
      .answered(token.withBytes { $0.count })
    }
    print("account \(session.latest?.account ?? "-"), token of \(length) bytes")
    // Following begins before the new token is requested, so no event is missed.
    let events = try await agent.events(of: account)
    _ = try await agent.token(for: account, TokenOptions(forcesRefresh: true))
    for try await event in events {
      guard case .refreshed(let expiry) = event.kind else { continue }
      return print("event: refreshed, account \(event.account ?? "-"), until \(expiry ?? 0)")
    }
  }

  private func prove() async throws(AgentError) {
    let token = try await agent.tokenWithProof(method: try argument(0), url: try argument(1))
    print("Authorization: \(token.revealedAuthorization())")
    print("DPoP: \(token.proof ?? "-")")
  }

  // MARK: Requests

  private func request(_ request: ResourceRequest) async throws(AgentError) {
    let response = try await agent.request(request)
    print("status \(response.status), type \(response.field("Content-Type") ?? "-")")
    var count = 0
    for try await part in response {
      count += part.count
      if count <= 1000 { print(String(decoding: part, as: UTF8.self)) }
    }
    print("\(count) bytes")
    if let problem = response.problem { print(Example.advice(problem)) }
  }

  // MARK: Sign-out

  private func logout() async throws(AgentError) {
    let session = RefreshableSession(account, in: agent)
    _ = try await session.token()
    print("subject \(session.latest?.subject ?? "-")")
    try await session.signOut()
    print("subject \(session.latest?.subject ?? "-")")
    print("signed in: \(try await agent.isSignedIn(account))")
  }
}
