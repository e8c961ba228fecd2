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
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("places", places)
    members.add("methods", methods)
    target.addMembers(to: &members)
    members.add("uses", uses)
    members.add("expires_in", expiresInSeconds)
  }
}
