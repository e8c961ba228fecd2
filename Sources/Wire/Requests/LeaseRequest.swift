/// Opens a lease: its peers may make requests to resources with one account's token, and nothing else. It ends with the
/// connection.
///
/// The descriptor of the request: a local socket that listens, at which the peers come.
package struct LeaseRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?
  /// The places that may be asked: hosts, origins, or URLs for them and all below. Empty means all that the account lists.
  package var places: [String] = []
  /// The methods that may be sent; empty means all.
  package var methods: [String] = []
  /// The token that is sent; empty means the account's own.
  package var target = TokenRequest.Target()
  /// How many requests may be made, 1 to ``mostUses``; nil is without a limit.
  package var uses: Int?
  /// After how many seconds it ends, 1 to ``longestSeconds``; nil is without a limit.
  package var expiresInSeconds: Int?

  /// Whether the peers get the token too, if the server has issued it with no more than the scope of ``target``.
  package var handsOutToken = false
  /// Whether ``Event/leaseQuestion(_:)`` is sent before the first request for each origin, which then waits for a
  /// ``LeaseAnswerRequest``.
  package var confirms = false
  /// Users whose processes may come, besides this one's; at most ``mostUsers``.
  package var users: [Int] = []

  package static let mostUsers = 16
  package static let userIDs = 0...Int(UInt32.max) - 1
  package static let mostUses = 1_000_000
  package static let longestSeconds = 604_800

  package init(account: String? = nil) { self.account = account }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    places = try members.texts("places")
    methods = try members.texts("methods")
    target = try TokenRequest.Target(members)
    uses = try members.integer("uses", in: 1...Self.mostUses)
    expiresInSeconds = try members.integer("expires_in", in: 1...Self.longestSeconds)
    handsOutToken = try members.flag("hand_out_token")
    confirms = try members.flag("confirm")
    users = try members.integers("users", in: Self.userIDs, upTo: Self.mostUsers)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("places", places)
    members.add("methods", methods)
    target.addMembers(to: &members)
    members.add("uses", uses)
    members.add("expires_in", expiresInSeconds)
    members.add("hand_out_token", handsOutToken)
    members.add("confirm", confirms)
    members.add("users", users)
  }
}

/// The answer to an ``Event/leaseQuestion(_:)``, on the connection of the lease.
package struct LeaseAnswerRequest: Sendable, Hashable {
  /// As in the event.
  package var question: Int
  package var isAllowed: Bool

  package init(question: Int, isAllowed: Bool) {
    self.question = question
    self.isAllowed = isAllowed
  }

  init(_ members: RequestMembers) throws(Failure) {
    question = try members.required("question", members.integer("question", in: 1...Int.max))
    isAllowed = try members.flag("allow")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("question", question)
    members.add("allow", isAllowed)
  }
}
