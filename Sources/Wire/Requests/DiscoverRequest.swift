package import Vocabulary

/// Finds out whether the URL of a sign-in is an authorization server or a resource (RFC 9728).
package struct DiscoverRequest: Sendable, Hashable {
  package var url: String
  /// The account to sign in, if the user named one.
  package var account: String?
  /// Whether nothing is fetched if the account exists already.
  package var onlyForNewAccount = false
  /// The settings of the connection: ``AccountSettings/caFile``, ``AccountSettings/allowHTTPLoopback`` and the proxy.
  /// The others are not sent.
  package var settings = AccountSettings()

  package init(url: String) { self.url = url }
}

extension DiscoverRequest {
  init(_ members: RequestMembers) throws(Failure) {
    url = try members.required("url")
    account = try members.text("account")
    onlyForNewAccount = try members.flag("only_for_new_account")
    settings = try members.settings(AccountSetting.connection)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("url", url)
    members.add("account", account)
    members.add("only_for_new_account", onlyForNewAccount)
    members.add(settings, among: AccountSetting.connection)
  }
}
