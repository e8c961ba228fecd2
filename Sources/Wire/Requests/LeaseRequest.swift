/// Opens a lease: other programs may send requests as one account until the connection closes. The process at the other
/// end of the passed socket pair sends ``LeasePeerRequest``s.
package struct LeaseRequest: RequestBody {
  /// Nil for the active account.
  package var account: String?
  /// Allowed hosts, origins or URL prefixes; if empty, all that the account lists.
  package var origins: [String] = []
  /// If empty, all methods except those that involve a second resource, such as `COPY`.
  package var methods: [String] = []
  /// Additional header fields to forward.
  package var headers: [String] = []
  /// If empty, the account's own token.
  package var target = TokenRequest.Target()
  /// The maximum number of requests; nil for no limit.
  package var uses: Int?
  /// Nil for no limit.
  package var expiresInSeconds: Int?

  /// Whether peers can get the token, if its scope does not exceed ``target``.
  package var lendsToken = false
  /// Whether the first request to each origin raises an ``Event/leaseQuestion(_:)``.
  package var requiresConfirmation = false
  /// Other users whose processes may be peers, enforced by the accepting process.
  package var userIDs: [Int] = []

  package static let maximumUsers = 16
  package static let maximumHeaders = 32
  package static let validUserIDs = 0...Int(UInt32.max) - 1
  package static let maximumUses = 1_000_000
  package static let maximumSeconds = 604_800

  package init(account: String? = nil) { self.account = account }
  package var properties: RequestProperties { RequestProperties("lease", .endless, about: .accountOrActive(account)) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the active one).")
    try members.visitTexts(
      "places", &origins, "Hosts, origins or URL prefixes, of origins that the account lists (default: all of these).")
    try members.visitTexts(
      "methods", &methods, "The allowed methods (default: all except those that involve a second resource).")
    try members.visitTexts("headers", &headers, "Headers that peers may send besides the usual ones.")
    try members.check(
      headers.count <= Self.maximumHeaders, Phrase("at most \(Self.maximumHeaders) headers are allowed"))
    try target.visitMembers(with: &members)
    try members.visitNumber("uses", &uses, in: 1...Self.maximumUses, "The number of requests (default: unlimited).")
    try members.visitNumber(
      "expires_in", &expiresInSeconds, in: 1...Self.maximumSeconds, "The lifetime in seconds (default: unlimited).")
    try members.visitFlag(
      "hand_out_token", &lendsToken,
      "Peers get the token, too, if the server confirms that its scope is not wider than `scope`, which is then required."
    )
    try members.visitFlag(
      "confirm", &requiresConfirmation,
      "The first request for each origin, and for the token, sends an event `lease_question` and waits for `lease_answer`."
    )
    try members.visitNumbers(
      "users", &userIDs, in: Self.validUserIDs, limit: Self.maximumUsers,
      "IDs of users whose processes may be peers besides the daemon's own user, for the process that accepts them.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Lets another process send requests with an account's token. One end of a pair of sockets follows; the process"
        + " at the other end may send `lease_peer` over it, and no other request. An event `lease` follows when the"
        + " lease is open and when a request of a peer begins. The lease ends with the connection.",
      note:
        "There is no result: the request ends with an error, `lease_ended` when its time or its uses are used up. The"
        + " process gets `not_permitted` for every other request, whether or not the daemon knows it. At most 16 leases are"
        + " open, with 32 connections each and 64 in all.")
  }
}

/// Adds a peer, passing one end of a socket pair for its requests, or reports a refused peer.
package struct LeasePeerRequest: RequestBody {
  package var userID: Int
  /// 0 in another PID namespace.
  package var processID: Int
  /// Nil if the peer was accepted.
  package var refused: FailureCode?

  package init(userID: Int, processID: Int, refused: FailureCode? = nil) {
    self.userID = userID
    self.processID = processID
    self.refused = refused
  }
  package var properties: RequestProperties {
    RequestProperties("lease_peer", [.local, .withoutSettings, .allowedForLeaseProcess], about: .any)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitNumber("uid", &userID, in: LeaseRequest.validUserIDs, "The user of the peer.")
    try members.visitNumber("pid", &processID, in: 0...Int(Int32.max), "The process of the peer; 0 if it is not known.")
    try members.visitValue("refused", &refused, "The code of the error that the peer got (default: none).")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Adds a connection to the lease, for one peer: one end of a pair of sockets follows. Over it the process"
        + " may send `resource`, `resource_body` and `lease_status`, and `token` if allowed; everything else fails"
        + " with `not_permitted`. No account is named there; the results name `lease` instead.",
      note: "With `refused` no descriptor follows: the refusal becomes an event `lease_refused`.")
  }
}

/// Lets `agent-lease` serve an origin over HTTP on the passed listening socket.
package struct LeaseHTTPRequest: RequestBody {
  /// The resource's origin.
  package var origin: String
  /// The origin to which programs connect.
  package var localOrigin: String
  /// Programs must send this token, not the account's.
  package var token: String

  package init(origin: String, localOrigin: String, token: String) {
    (self.origin, self.localOrigin, self.token) = (origin, localOrigin, token)
  }
  package var properties: RequestProperties {
    RequestProperties("lease_http", [.local, .withoutSettings], about: .any)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("origin", &origin, "The origin of the resource.")
    try members.visitText("base", &localOrigin, "The origin by which programs know it.")
    try members.visitText("token", &token, "What programs send as their token.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Makes `agent-lease` serve plain HTTP at a listening socket, which follows. Only `agent-lease` accepts it,"
        + " from the command that started it; `agentd` answers `invalid_request`.")
  }
}

/// Answers an ``Event/leaseQuestion(_:)``.
package struct LeaseAnswerRequest: RequestBody {
  package var questionNumber: Int
  package var isAllowed: Bool

  package init(questionNumber: Int, isAllowed: Bool) {
    self.questionNumber = questionNumber
    self.isAllowed = isAllowed
  }
  package var properties: RequestProperties { RequestProperties("lease_answer", about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitNumber("question", &questionNumber, in: 1...Int.max, "The number in the event.")
    try members.visitFlag("allow", &isAllowed, "Permit requests for the origin while the lease is open.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Answers an event `lease_question`, on the connection of `lease`. It has no result. After a minute it has no effect:"
        + " the waiting requests were refused.")
  }
}

/// Requests the limits of the connection's lease.
package struct LeaseStatusRequest: RequestBody {
  package var properties: RequestProperties {
    RequestProperties("lease_status", [.local, .repeatable, .withoutSettings, .allowedForPeers], about: .any)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {}

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Returns the limits of the lease that the connection belongs to. Elsewhere it fails with `invalid_request`.",
      result: [
        .text("lease", "The name of the lease in its events, 16 hexadecimal digits."),
        .texts("places", "The allowed hosts, origins and URL prefixes."),
        .texts("methods", "The allowed methods, if only some are."),
        .texts("headers", "The headers that pass besides the usual ones."),
        .number("dropped_headers", "The number of dropped request headers."),
        .number("expires_in", "The remaining seconds, if limited."),
        .number("uses_left", "The remaining requests, if limited."),
        .flag("hand_out_token", "A peer may ask for the token."),
      ])
  }
}
