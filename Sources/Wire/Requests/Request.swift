internal import Encoding

/// A client's request. Indirect, so that functions passing it need not reserve stack for the largest case.
package indirect enum Request: Sendable, Hashable {
  case token(TokenRequest)
  case forget(ForgetRequest)
  case assumeRole(AssumeRoleRequest)
  case proof(ProofRequest)
  case variables(VariablesRequest)
  case screenEnvironment(EnvironmentScreening = EnvironmentScreening())
  case login(LoginRequest)
  case loginStep(LoginStepRequest)
  case discover(DiscoverRequest)
  case logout(LogoutRequest)
  case state(StateRequest)
  case call(CallRequest)
  case resourceBody(ResourceBodyRequest)
  case verify(VerifyRequest)
  case account(AccountRequest)
  case vault(VaultRequest)
  case events(EventsRequest)
  case tokenFile(TokenFileRequest)
  case lease(LeaseRequest)
  case leaseAnswer(LeaseAnswerRequest)
  case leasePeer(LeasePeerRequest)
  case leaseHTTP(LeaseHTTPRequest)
  case leaseStatus(LeaseStatusRequest = LeaseStatusRequest())
  case daemon(DaemonRequest)

  /// Returns the request with the body that `visitor` returns. Avoids an existential box.
  private func accept<Visitor: RequestVisitor>(_ visitor: inout Visitor) throws(Visitor.Problem) -> Request {
    switch self {
    case .token(let body): .token(try visitor.visit(body))
    case .forget(let body): .forget(try visitor.visit(body))
    case .assumeRole(let body): .assumeRole(try visitor.visit(body))
    case .proof(let body): .proof(try visitor.visit(body))
    case .variables(let body): .variables(try visitor.visit(body))
    case .screenEnvironment(let body): .screenEnvironment(try visitor.visit(body))
    case .login(let body): .login(try visitor.visit(body))
    case .loginStep(let body): .loginStep(try visitor.visit(body))
    case .discover(let body): .discover(try visitor.visit(body))
    case .logout(let body): .logout(try visitor.visit(body))
    case .state(let body): .state(try visitor.visit(body))
    case .call(let body): .call(try visitor.visit(body))
    case .resourceBody(let body): .resourceBody(try visitor.visit(body))
    case .verify(let body): .verify(try visitor.visit(body))
    case .account(let body): .account(try visitor.visit(body))
    case .vault(let body): .vault(try visitor.visit(body))
    case .events(let body): .events(try visitor.visit(body))
    case .tokenFile(let body): .tokenFile(try visitor.visit(body))
    case .lease(let body): .lease(try visitor.visit(body))
    case .leaseAnswer(let body): .leaseAnswer(try visitor.visit(body))
    case .leasePeer(let body): .leasePeer(try visitor.visit(body))
    case .leaseHTTP(let body): .leaseHTTP(try visitor.visit(body))
    case .leaseStatus(let body): .leaseStatus(try visitor.visit(body))
    case .daemon(let body): .daemon(try visitor.visit(body))
    }
  }

  fileprivate func visitingMembers<Visitor: MemberVisitor>(
    with members: inout Visitor
  ) throws(Visitor.Problem) -> Request {
    var visitor = MembersVisitor(members: members)
    defer { members = visitor.members }
    return try accept(&visitor)
  }

  private var body: any RequestBody {
    var visitor = BodyVisitor()
    _ = accept(&visitor)
    return visitor.body!
  }

  package var properties: RequestProperties { body.properties }
  package var manualEntry: RequestManualEntry { body.manualEntry }

  package func has(_ trait: RequestTraits) -> Bool { properties.has(trait) }
  package var waitSeconds: Int { properties.waitSeconds }
  package var source: AnswerSource { properties.source }

  /// In the order of the request line.
  package var memberEntries: [MemberDescriber.Entry] {
    var describer = MemberDescriber()
    _ = visitingMembers(with: &describer)
    return describer.entries
  }

  /// A copy with this account, if the request has none.
  package func withDefaultAccount(_ account: String) -> Request {
    var members = DefaultAccountVisitor(account: account)
    return visitingMembers(with: &members)
  }

  /// All kinds, with blank members, in the manual's order.
  package static let declarations: [Request] =
    [
      .token(TokenRequest()), .forget(ForgetRequest(url: "")),
      .assumeRole(AssumeRoleRequest(url: "", roleARN: "", sessionName: "")),
      .proof(ProofRequest(method: "", url: "")), .variables(VariablesRequest(names: [])), .screenEnvironment(),
      .login(LoginRequest()),
    ] + LoginStepRequest.declarations.map(Request.loginStep) + [
      .discover(DiscoverRequest(url: "")), .logout(LogoutRequest()),
    ] + StateRequest.declarations.map(Request.state) + [
      .call(CallRequest(url: "", method: "")), .resourceBody(ResourceBodyRequest(bytes: [], isLast: false)),
      .verify(VerifyRequest()),
    ] + AccountRequest.declarations.map(Request.account) + VaultRequest.declarations.map(Request.vault) + [
      .events(EventsRequest()), .tokenFile(TokenFileRequest()), .lease(LeaseRequest()),
      .leaseAnswer(LeaseAnswerRequest(questionNumber: 0, isAllowed: false)),
      .leasePeer(LeasePeerRequest(userID: 0, processID: 0)),
      .leaseHTTP(LeaseHTTPRequest(origin: "", localOrigin: "", token: "")), .leaseStatus(),
    ] + DaemonRequest.declarations.map(Request.daemon)

  private static let declarationsByName = Dictionary(
    uniqueKeysWithValues: declarations.map { ($0.properties.name, $0) })

  /// The request with this name, with blank members.
  package static func declaration(named name: String) -> Request? { declarationsByName[name] }
}

private protocol RequestVisitor {
  associatedtype Problem: Error
  mutating func visit<Body: RequestBody>(_ body: Body) throws(Problem) -> Body
}

private struct MembersVisitor<Members: MemberVisitor>: RequestVisitor {
  var members: Members

  mutating func visit<Body: RequestBody>(_ body: Body) throws(Members.Problem) -> Body {
    var body = body
    try body.visitMembers(with: &members)
    return body
  }
}

private struct BodyVisitor: RequestVisitor {
  var body: (any RequestBody)?

  mutating func visit<Body: RequestBody>(_ body: Body) -> Body {
    self.body = body
    return body
  }
}

/// A request with its deadline and other common members.
package struct RequestEnvelope: Sendable, Hashable {
  package var request: Request

  /// Up to 3600; nil for the daemon's default.
  package var timeoutSeconds: Int?

  /// Whether to report the daemon's steps as ``Event/progress(_:)``.
  package var verbose: Bool

  /// The caller's working directory, which may select the account. Nil to ignore directories. Empty at first, to save a
  /// system call: the daemon answers `directory_needed` if it needs the path.
  package var directory: String?

  package init(
    _ request: Request, timeoutSeconds: Int? = nil, verbose: Bool = false, directory: String? = nil
  ) {
    self.request = request
    self.directory = directory
    self.timeoutSeconds = timeoutSeconds
    self.verbose = verbose
  }

  package static var memberDescriptions: [MemberDescription] {
    [
      .number("v", "The version, \(WireProtocol.version). Required."),
      .text("request", "The name of one of the requests below. Required."),
      .number(
        "timeout",
        "The longest wait for the last line, in seconds, from 1 to \(WireProtocol.maximumTimeoutSeconds) (default:"
          + " \(WireProtocol.defaultTimeoutSeconds)). `login`, `login_resume`, `daemon_stop`, `token_file`, `lease` and"
          + " `events` with `follow` have no default."),
      .flag("verbose", "Send events `progress` that describe the work."),
      .text(
        "directory",
        "The client's working directory, an absolute path. A request without an account then uses the one that the user"
          + " has chosen for the nearest directory (`agent use --directory`), if any. If it is empty and there is such a"
          + " choice for any directory, the error is `directory_needed`, without any effect. Without this member,"
          + " directories are ignored."),
    ]
  }

  /// Nil for no deadline.
  package var deadlineSeconds: Int? {
    let properties = request.properties
    if properties.has(.endless) { return timeoutSeconds }
    return (timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds) + properties.waitSeconds
  }

  /// With a newline.
  package func serialized() -> [UInt8] {
    var (version, timeout, verbose): (Int?, Int?, Bool) = (WireProtocol.version, timeoutSeconds, verbose)
    var members = MemberWriter()
    var name: String? = request.properties.name
    members.visitNumber("v", &version, in: Self.versionNumbers, "")
    members.visitText("request", &name, "")
    _ = request.visitingMembers(with: &members)
    members.visitNumber("timeout", &timeout, in: Self.acceptedTimeouts, "")
    members.visitFlag("verbose", &verbose, "")
    var directory = directory
    members.visitText("directory", &directory, "")
    return members.finish() + [UInt8(ascii: "\n")]
  }

  /// The well-formed protocol versions. All but the current one are refused.
  private static let versionNumbers = 1...1_000_000
  private static let acceptedTimeouts = 1...WireProtocol.maximumTimeoutSeconds

  /// Parses a line, with or without its newline.
  ///
  /// - Throws: `unsupported_version`, `unknown_request`, or otherwise `invalid_request`.
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
    try members.visitNumber("v", &version, in: Self.versionNumbers, "")
    guard let version else { throw Failure(.invalidRequest, "the request has no protocol version") }
    guard version == WireProtocol.version else {
      throw Failure(
        .unsupportedVersion,
        "the request uses protocol version \(version), but this daemon uses \(WireProtocol.version)",
        hint: "agent daemon restart")
    }
    try members.visitFlag("verbose", &verbose, "")
    var directory: String?
    try members.visitText("directory", &directory, limit: WireProtocol.maximumPathBytes, "")
    try members.visitNumber("timeout", &timeout, in: Self.acceptedTimeouts, "")
    var name: String?
    try members.visitText("request", &name, "")
    guard let name else { throw Failure(.invalidRequest, "the request has no name") }
    guard let declaration = Request.declaration(named: name) else { throw .unknownRequest }
    self.init(
      try declaration.visitingMembers(with: &members), timeoutSeconds: timeout, verbose: verbose, directory: directory)
  }
}
