/// Asks what happened to sessions and accounts.
package struct EventsRequest: Sendable, Hashable {
  /// Only what concerns this account; nil for all.
  package var account: String?
  /// Tell what happens from now on, until the sender goes; without it what happened lately.
  package var follow: Bool

  package init(account: String? = nil, follow: Bool = false) {
    self.account = account
    self.follow = follow
  }
}

extension EventsRequest {
  init(_ members: RequestMembers) throws(Failure) {
    self.init(account: try members.text("account"), follow: try members.flag("follow"))
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("follow", follow)
  }
}
