internal import Encoding

/// The requests of a client to the daemon. The set is closed: an unknown request is an error.
package enum Request: Sendable, Hashable {
  case token(TokenRequest)
  case forget(ForgetRequest)
  case assumeRole(AssumeRoleRequest)
  case proof(ProofRequest)
  /// Hands over what the requests after it need.
  case variables(VariablesRequest)
  /// Searches the values of an environment for tokens; see ``EnvironmentScreening``.
  case screenEnvironment
  case login(LoginRequest)
  case loginRedirect(LoginRedirectRequest)
  case loginConfirm(LoginConfirmRequest)
  case loginResume(LoginResumeRequest)
  case discover(DiscoverRequest)
  case logout(LogoutRequest)
  /// All accounts, or the named one. With `check` the sessions are checked at the servers.
  case status(account: String?, check: Bool = false)
  /// The same as `status`, and how the authorization servers answer: what can be wrong, for people who look for it.
  case doctor(account: String?)
  case list
  case use(account: String)
  /// The person who is signed in. With `verified` by the verified ID Token alone, so that no server is asked.
  case whoami(account: String?, verified: Bool = false)
  case daemonStatus
  case daemonStop
  /// The recent entries of the daemon's log.
  case daemonLog
  case account(AccountRequest)
  /// Sends a request to a resource with an account's token.
  case call(CallRequest)
  /// A part of the body that is sent.
  case resourceBody(ResourceBodyRequest)
  /// Verifies tokens.
  case verify(VerifyRequest)
  /// Manages the vault.
  case vault(VaultRequest)
  /// The events of sessions and accounts.
  case events(EventsRequest)
  /// Keeps a token in a file.
  case tokenFile(TokenFileRequest)
  /// Lends requests to resources to the peers of a socket.
  case lease(LeaseRequest)
  /// The person's answer to a question of a lease.
  case leaseAnswer(LeaseAnswerRequest)
  /// The terms of the lease that the connection came by.
  case leaseStatus
}

/// A request with its deadline.
package struct RequestEnvelope: Sendable, Hashable {
  package var request: Request

  /// The longest wait for the last line, 1 to 3600 seconds; nil means the daemon's default.
  package var timeoutSeconds: Int?

  /// Whether the steps of the work are sent as events.
  package var verbose: Bool

  package init(_ request: Request, timeoutSeconds: Int? = nil, verbose: Bool = false) {
    self.request = request
    self.timeoutSeconds = timeoutSeconds
    self.verbose = verbose
  }

  /// The request as one line, with its line feed.
  package func serialized() -> [UInt8] {
    var members = MemberWriter()
    members.add("v", WireProtocol.version)
    members.add("request", request.name)
    request.addMembers(to: &members)
    members.add("timeout", timeoutSeconds)
    members.add("verbose", verbose)
    return members.finish() + [UInt8(ascii: "\n")]
  }

  /// Reads one line, with or without its line feed.
  ///
  /// - Throws: `invalid_request` or `unsupported_version`; the message names the member at fault.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    let json: JSON
    do {
      json = try JSON(parsing: line, limits: WireProtocol.requestLimits)
    } catch {
      throw Failure(.invalidRequest, "the request is not one JSON object on a line")
    }
    guard let object = json.object else { throw Failure(.invalidRequest, "the request is not a JSON object") }
    let members = RequestMembers(object)
    guard let version = try members.integer("v", in: 1...1_000_000) else {
      throw Failure(.invalidRequest, "the request has no protocol version")
    }
    guard version == WireProtocol.version else {
      throw Failure(
        .unsupportedVersion,
        "the request speaks protocol version \(version), this daemon speaks \(WireProtocol.version)",
        hint: "agent daemon restart")
    }
    verbose = try members.flag("verbose")
    timeoutSeconds = try members.integer("timeout", in: 1...WireProtocol.maximumTimeoutSeconds)
    request = try Request(members)
  }
}

extension Request {
  /// The `request` member's value.
  package var name: String {
    switch self {
    case .token: "token"
    case .forget: "forget"
    case .assumeRole: "assume_role"
    case .proof: "proof"
    case .variables: "variables"
    case .screenEnvironment: "screen_environment"
    case .login: "login"
    case .loginRedirect: "login_redirect"
    case .loginConfirm: "login_confirm"
    case .loginResume: "login_resume"
    case .discover: "discover"
    case .logout: "logout"
    case .status: "status"
    case .doctor: "doctor"
    case .list: "list"
    case .use: "use"
    case .whoami: "whoami"
    case .daemonStatus: "daemon_status"
    case .daemonStop: "daemon_stop"
    case .daemonLog: "daemon_log"
    case .account(let request): request.name
    case .call: "resource"
    case .resourceBody: "resource_body"
    case .verify: "verify"
    case .vault(let request): request.name
    case .events: "events"
    case .tokenFile: "token_file"
    case .lease: "lease"
    case .leaseAnswer: "lease_answer"
    case .leaseStatus: "lease_status"
    }
  }

  /// Whether the daemon answers from this machine alone, so that the answer waits for no network.
  package var isLocal: Bool {
    switch self {
    case .status(_, check: false), .list, .daemonStatus, .daemonStop, .daemonLog, .vault(.lock), .vault(.status),
      .whoami(_, verified: true), .leaseStatus, .variables, .screenEnvironment, .use, .account(.show):
      true
    case .token, .forget, .assumeRole, .proof, .login, .loginRedirect, .loginConfirm, .loginResume, .discover, .logout,
      .status, .doctor, .whoami, .account, .call, .resourceBody, .verify, .vault, .events, .tokenFile, .lease,
      .leaseAnswer:
      false
    }
  }

  /// The time for an unreachable server in addition to its deadline, in seconds.
  package var waitSeconds: Int {
    switch self {
    case .token(let request): request.waitSeconds ?? 0
    case .call(let request): request.waitSeconds ?? 0
    case .forget, .assumeRole, .proof, .variables, .screenEnvironment, .login, .loginRedirect, .loginConfirm,
      .loginResume, .discover, .logout, .status, .doctor, .list, .use, .whoami, .daemonStatus, .daemonStop, .daemonLog,
      .account, .resourceBody,
      .verify, .vault, .events, .tokenFile, .lease, .leaseAnswer, .leaseStatus:
      0
    }
  }

  fileprivate func addMembers(to members: inout MemberWriter) {
    switch self {
    case .token(let token): token.addMembers(to: &members)
    case .forget(let request): request.addMembers(to: &members)
    case .assumeRole(let request): request.addMembers(to: &members)
    case .proof(let proof): proof.addMembers(to: &members)
    case .variables(let request): request.addMembers(to: &members)
    case .login(let login): login.addMembers(to: &members)
    case .loginConfirm(let request): request.addMembers(to: &members)
    case .loginRedirect(let redirect): redirect.addMembers(to: &members)
    case .loginResume(let login): login.addMembers(to: &members)
    case .discover(let request): request.addMembers(to: &members)
    case .logout(let logout): logout.addMembers(to: &members)
    case .status(let account, let check):
      members.add("account", account)
      members.add("check", check)
    case .doctor(let account): members.add("account", account)
    case .whoami(let account, let verified):
      members.add("account", account)
      members.add("verified", verified)
    case .use(let account): members.add("account", account)
    case .account(let request): request.addMembers(to: &members)
    case .call(let request): request.addMembers(to: &members)
    case .resourceBody(let request): request.addMembers(to: &members)
    case .verify(let request): request.addMembers(to: &members)
    case .vault(let request): request.addMembers(to: &members)
    case .events(let request): request.addMembers(to: &members)
    case .tokenFile(let request): request.addMembers(to: &members)
    case .lease(let request): request.addMembers(to: &members)
    case .leaseAnswer(let request): request.addMembers(to: &members)
    case .list, .daemonStatus, .daemonStop, .daemonLog, .leaseStatus, .screenEnvironment: break
    }
  }

  fileprivate init(_ members: RequestMembers) throws(Failure) {
    guard let name = try members.text("request") else { throw Failure(.invalidRequest, "the request has no name") }
    switch name {
    case "token": self = .token(try TokenRequest(members))
    case "forget": self = .forget(try ForgetRequest(members))
    case "assume_role": self = .assumeRole(try AssumeRoleRequest(members))
    case "proof": self = .proof(try ProofRequest(members))
    case "variables": self = .variables(try VariablesRequest(members))
    case "screen_environment": self = .screenEnvironment
    case "login": self = .login(try LoginRequest(members))
    case "login_redirect": self = .loginRedirect(try LoginRedirectRequest(members))
    case "login_confirm": self = .loginConfirm(try LoginConfirmRequest(members))
    case "login_resume": self = .loginResume(try LoginResumeRequest(members))
    case "discover": self = .discover(try DiscoverRequest(members))
    case "logout": self = .logout(try LogoutRequest(members))
    case "status": self = .status(account: try members.text("account"), check: try members.flag("check"))
    case "doctor": self = .doctor(account: try members.text("account"))
    case "list": self = .list
    case "use": self = .use(account: try members.required("account"))
    case "whoami": self = .whoami(account: try members.text("account"), verified: try members.flag("verified"))
    case "daemon_status": self = .daemonStatus
    case "daemon_stop": self = .daemonStop
    case "daemon_log": self = .daemonLog
    case "resource": self = .call(try CallRequest(members))
    case "resource_body": self = .resourceBody(try ResourceBodyRequest(members))
    case "verify": self = .verify(try VerifyRequest(members))
    case "events": self = .events(try EventsRequest(members))
    case "token_file": self = .tokenFile(try TokenFileRequest(members))
    case "lease": self = .lease(try LeaseRequest(members))
    case "lease_answer": self = .leaseAnswer(try LeaseAnswerRequest(members))
    case "lease_status": self = .leaseStatus
    default:
      if let request = try AccountRequest(named: name, members) {
        self = .account(request)
      } else if let request = try VaultRequest(named: name, members) {
        self = .vault(request)
      } else {
        throw .unknownRequest
      }
    }
  }
}

extension Request {
  /// Whether the request can be sent again if its result is unknown.
  package var mayBeRepeated: Bool {
    switch self {
    case .token, .assumeRole, .proof, .discover, .status, .doctor, .list, .use, .whoami, .daemonStatus, .daemonLog,
      .daemonStop, .events, .leaseStatus:
      true
    case .vault(let request): request.mayBeRepeated
    case .tokenFile, .lease, .leaseAnswer, .login, .loginRedirect, .loginConfirm, .loginResume, .logout, .account,
      .call, .resourceBody, .verify,
      .forget, .variables, .screenEnvironment:
      false
    }
  }
}
