internal import Encoding

/// The requests of a client to the daemon. The set is closed: an unknown request is an error.
package enum Request: Sendable, Hashable {
  case token(TokenRequest)
  case forget(ForgetRequest)
  case assumeRole(AssumeRoleRequest)
  case proof(ProofRequest)
  /// Passes the values of variables for later requests.
  case variables(VariablesRequest)
  case screenEnvironment(EnvironmentScreening = EnvironmentScreening())
  case login(LoginRequest)
  case loginRedirect(LoginRedirectRequest)
  case loginConfirm(LoginConfirmRequest)
  case loginResume(LoginResumeRequest)
  case discover(DiscoverRequest)
  case logout(LogoutRequest)
  case state(StateRequest)
  /// Sends a request to a resource with an account's token.
  case call(CallRequest)
  /// Sends a part of a request body.
  case resourceBody(ResourceBodyRequest)
  case verify(VerifyRequest)
  case account(AccountRequest)
  case vault(VaultRequest)
  /// Returns the events of sessions and accounts.
  case events(EventsRequest)
  /// Keeps a token in a file.
  case tokenFile(TokenFileRequest)
  /// Lends requests to resources to the peers of a socket.
  case lease(LeaseRequest)
  case leaseAnswer(LeaseAnswerRequest)
  /// Adds a connection for the requests of a peer.
  case leasePeer(LeasePeerRequest)
  /// Has the process of a lease serve HTTP.
  case leaseHTTP(LeaseHTTPRequest)
  case leaseStatus(LeaseStatusRequest = LeaseStatusRequest())
  case daemon(DaemonRequest)

  /// Calls the visitor with the body. The type is known at compile time, so that a client creates no existential box.
  private func accept<Visitor: RequestVisitor>(_ visitor: Visitor) -> Visitor.Result {
    switch self {
    case .token(let body): visitor.visit(body)
    case .forget(let body): visitor.visit(body)
    case .assumeRole(let body): visitor.visit(body)
    case .proof(let body): visitor.visit(body)
    case .variables(let body): visitor.visit(body)
    case .screenEnvironment(let body): visitor.visit(body)
    case .login(let body): visitor.visit(body)
    case .loginRedirect(let body): visitor.visit(body)
    case .loginConfirm(let body): visitor.visit(body)
    case .loginResume(let body): visitor.visit(body)
    case .discover(let body): visitor.visit(body)
    case .logout(let body): visitor.visit(body)
    case .state(let body): visitor.visit(body)
    case .call(let body): visitor.visit(body)
    case .resourceBody(let body): visitor.visit(body)
    case .verify(let body): visitor.visit(body)
    case .account(let body): visitor.visit(body)
    case .vault(let body): visitor.visit(body)
    case .events(let body): visitor.visit(body)
    case .tokenFile(let body): visitor.visit(body)
    case .lease(let body): visitor.visit(body)
    case .leaseAnswer(let body): visitor.visit(body)
    case .leasePeer(let body): visitor.visit(body)
    case .leaseHTTP(let body): visitor.visit(body)
    case .leaseStatus(let body): visitor.visit(body)
    case .daemon(let body): visitor.visit(body)
    }
  }

  /// The request after a pass over the members of its body.
  fileprivate func passing<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) -> Request {
    switch self {
    case .token(let body): .token(try body.passing(&members))
    case .forget(let body): .forget(try body.passing(&members))
    case .assumeRole(let body): .assumeRole(try body.passing(&members))
    case .proof(let body): .proof(try body.passing(&members))
    case .variables(let body): .variables(try body.passing(&members))
    case .screenEnvironment(let body): .screenEnvironment(try body.passing(&members))
    case .login(let body): .login(try body.passing(&members))
    case .loginRedirect(let body): .loginRedirect(try body.passing(&members))
    case .loginConfirm(let body): .loginConfirm(try body.passing(&members))
    case .loginResume(let body): .loginResume(try body.passing(&members))
    case .discover(let body): .discover(try body.passing(&members))
    case .logout(let body): .logout(try body.passing(&members))
    case .state(let body): .state(try body.passing(&members))
    case .call(let body): .call(try body.passing(&members))
    case .resourceBody(let body): .resourceBody(try body.passing(&members))
    case .verify(let body): .verify(try body.passing(&members))
    case .account(let body): .account(try body.passing(&members))
    case .vault(let body): .vault(try body.passing(&members))
    case .events(let body): .events(try body.passing(&members))
    case .tokenFile(let body): .tokenFile(try body.passing(&members))
    case .lease(let body): .lease(try body.passing(&members))
    case .leaseAnswer(let body): .leaseAnswer(try body.passing(&members))
    case .leasePeer(let body): .leasePeer(try body.passing(&members))
    case .leaseHTTP(let body): .leaseHTTP(try body.passing(&members))
    case .leaseStatus(let body): .leaseStatus(try body.passing(&members))
    case .daemon(let body): .daemon(try body.passing(&members))
    }
  }

  package var row: RequestRow { accept(RowVisitor()) }
  package var page: RequestPage { accept(PageVisitor()) }
  package func has(_ trait: RequestTraits) -> Bool { row.has(trait) }
  package var waitSeconds: Int { row.waitSeconds }
  package var source: AnswerSource { row.source }

  /// The members, in the order of the line.
  package var memberEntries: [MemberDescriber.Entry] {
    var describer = MemberDescriber()
    _ = passing(&describer)
    return describer.entries
  }

  /// The request for an account, if it names none.
  package func naming(_ account: String) -> Request {
    var members = AccountNaming(account: account)
    return passing(&members)
  }

  /// Each kind of request without its members, in the order of the manual.
  package static let declarations: [Request] =
    [
      .token(TokenRequest()), .forget(ForgetRequest(url: "")),
      .assumeRole(AssumeRoleRequest(url: "", roleARN: "", sessionName: "")),
      .proof(ProofRequest(method: "", url: "")), .variables(VariablesRequest(names: [])), .screenEnvironment(),
      .login(LoginRequest()), .loginRedirect(LoginRedirectRequest(login: "", url: "")),
      .loginConfirm(LoginConfirmRequest(login: "", isConfirmed: false)),
      .loginResume(LoginResumeRequest(login: "", waits: false)), .discover(DiscoverRequest(url: "")),
      .logout(LogoutRequest()),
    ] + StateRequest.declarations.map(Request.state) + [
      .call(CallRequest(url: "", method: "")), .resourceBody(ResourceBodyRequest(bytes: [], isLast: false)),
      .verify(VerifyRequest()),
    ] + AccountRequest.declarations.map(Request.account) + VaultRequest.declarations.map(Request.vault) + [
      .events(EventsRequest()), .tokenFile(TokenFileRequest()), .lease(LeaseRequest()),
      .leaseAnswer(LeaseAnswerRequest(question: 0, isAllowed: false)),
      .leasePeer(LeasePeerRequest(user: 0, process: 0)),
      .leaseHTTP(LeaseHTTPRequest(origin: "", base: "", token: "")), .leaseStatus(),
    ] + DaemonRequest.declarations.map(Request.daemon)

  private static let declarationsByName = Dictionary(uniqueKeysWithValues: declarations.map { ($0.row.name, $0) })

  /// The kind of request with this name, without its members.
  package static func declaration(named name: String) -> Request? { declarationsByName[name] }
}

extension RequestBody {
  fileprivate func passing<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) -> Self {
    var body = self
    try body.pass(&members)
    return body
  }
}

private protocol RequestVisitor {
  associatedtype Result
  func visit(_ body: some RequestBody) -> Result
}

private struct RowVisitor: RequestVisitor {
  func visit(_ body: some RequestBody) -> RequestRow { body.row }
}

private struct PageVisitor: RequestVisitor {
  func visit(_ body: some RequestBody) -> RequestPage { body.page }
}

/// A request with its deadline.
package struct RequestEnvelope: Sendable, Hashable {
  package var request: Request

  /// How long to wait for the last line, 1 to 3600 seconds; nil for the daemon's default.
  package var timeoutSeconds: Int?

  /// Whether to send the steps of the work as events.
  package var verbose: Bool

  /// The directory of the caller, for a request that names no account; empty if the caller sends it once it is needed.
  ///
  /// Only the caller knows it: the daemon cannot read `/proc/PID/cwd` of a process that hides its memory, in another
  /// namespace the path is another one, and by then the process may be another one, too. It costs a system call, so
  /// clients that get a cached token leave it empty, and only repeat the request with it after `directory_needed`.
  package var directory: String?

  package init(
    _ request: Request, timeoutSeconds: Int? = nil, verbose: Bool = false, directory: String? = nil
  ) {
    self.request = request
    self.directory = directory
    self.timeoutSeconds = timeoutSeconds
    self.verbose = verbose
  }

  /// The members of every request, in the order of the manual.
  package static var memberRows: [MemberRow] {
    [
      MemberRow("v", "number", "The version, \(WireProtocol.version). Required."),
      MemberRow("request", "text", "The name of one of the requests below. Required."),
      MemberRow(
        "timeout", "number",
        "The longest wait for the last line, in seconds, from 1 to \(WireProtocol.maximumTimeoutSeconds) (default:"
          + " \(WireProtocol.defaultTimeoutSeconds)). `login`, `login_resume`, `daemon_stop`, `token_file`, `lease` and"
          + " `events` with `follow` have no default."),
      MemberRow("verbose", "boolean", "Send events `progress` that describe the work for this request."),
      MemberRow(
        "directory", "text",
        "The client's working directory, an absolute path. A request without an account then uses the one that the user"
          + " has chosen for the nearest directory (`agent use --directory`), if any. If it is empty and there is such a"
          + " choice for any directory, the error is `directory_needed`, without any effect. Without this member,"
          + " directories are ignored."),
    ]
  }

  /// Seconds until the request times out; nil for no limit.
  package var deadlineSeconds: Int? {
    let row = request.row
    if row.has(.endless) { return timeoutSeconds }
    return (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) + row.waitSeconds
  }

  /// The request as one line, including its newline.
  package func serialized() -> [UInt8] {
    var (version, timeout, verbose): (Int?, Int?, Bool) = (WireProtocol.version, timeoutSeconds, verbose)
    var members = MemberWriter()
    var name: String? = request.row.name
    members.number("v", &version, in: Self.versions, "")
    members.text("request", &name, "")
    _ = request.passing(&members)
    members.number("timeout", &timeout, in: Self.timeouts, "")
    members.flag("verbose", &verbose, "")
    var directory = directory
    members.text("directory", &directory, "")
    return members.finish() + [UInt8(ascii: "\n")]
  }

  private static let versions = 1...1_000_000
  private static let timeouts = 1...WireProtocol.maximumTimeoutSeconds

  /// Parses one line, with or without its newline.
  ///
  /// - Throws: `invalid_request`, `unknown_request` or `unsupported_version`; the message names the invalid member.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    let json: JSON
    do {
      json = try JSON(parsing: line, limits: WireProtocol.requestLimits)
    } catch {
      throw Failure(.invalidRequest, "the request is not one JSON object on one line")
    }
    guard let object = json.object else { throw Failure(.invalidRequest, "the request is not a JSON object") }
    var members = MemberReader(object)
    var (version, timeout, verbose): (Int?, Int?, Bool) = (nil, nil, false)
    try members.number("v", &version, in: Self.versions, "")
    guard let version else { throw Failure(.invalidRequest, "the request has no protocol version") }
    guard version == WireProtocol.version else {
      throw Failure(
        .unsupportedVersion,
        "the request uses protocol version \(version), but this daemon uses \(WireProtocol.version)",
        hint: "agent daemon restart")
    }
    try members.flag("verbose", &verbose, "")
    var directory: String?
    try members.text("directory", &directory, limit: WireProtocol.maximumPathBytes, "")
    try members.number("timeout", &timeout, in: Self.timeouts, "")
    var name: String?
    try members.text("request", &name, "")
    guard let name else { throw Failure(.invalidRequest, "the request has no name") }
    guard let declaration = Request.declaration(named: name) else { throw .unknownRequest }
    self.init(try declaration.passing(&members), timeoutSeconds: timeout, verbose: verbose, directory: directory)
  }
}
