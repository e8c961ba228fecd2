/// Asks for an access token of one account.
package struct TokenRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?

  /// The token must be good for this many seconds more, 0 to 86,400; nil leaves it to the daemon.
  package var minimumValiditySeconds: Int?

  /// Spend the refresh token even if the token at hand is good.
  package var forceRefresh: Bool

  package init(account: String? = nil, minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false) {
    self.account = account
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
  }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    minimumValiditySeconds = try members.integer("min_valid", in: 0...86_400)
    forceRefresh = try members.flag("force_refresh")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("min_valid", minimumValiditySeconds)
    members.add("force_refresh", forceRefresh)
  }
}

/// Ends one session, or all.
package struct LogoutRequest: Sendable, Hashable {
  /// The account; nil means the active one, unless ``all`` is set.
  package var account: String?
  package var all: Bool

  /// Forget the session here without telling the authorization server.
  package var local: Bool

  package init(account: String? = nil, all: Bool = false, local: Bool = false) {
    self.account = account
    self.all = all
    self.local = local
  }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    all = try members.flag("all")
    local = try members.flag("local")
    if all && account != nil { throw Failure(.invalidRequest, "name an account or all of them, not both") }
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("all", all)
    members.add("local", local)
  }
}
