/// Asks for the events of sessions and accounts.
package struct EventsRequest: Sendable, Hashable {
  /// Only events of this account; nil means all.
  package var account: String?
  /// Whether events are sent from now on until the connection ends; otherwise the recent ones.
  package var follow: Bool
  /// Whether the events of leases are asked for, those of sessions not.
  package var leases = false

  package init(account: String? = nil, follow: Bool = false) {
    self.account = account
    self.follow = follow
  }
}

extension EventsRequest {
  init(_ members: RequestMembers) throws(Failure) {
    self.init(account: try members.text("account"), follow: try members.flag("follow"))
    leases = try members.flag("leases")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("follow", follow)
    members.add("leases", leases)
  }
}
