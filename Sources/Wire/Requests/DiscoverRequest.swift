/// Finds out what a URL is that a person wants to sign in to: an authorization server, or a resource (RFC 9728).
package struct DiscoverRequest: Sendable, Hashable {
  package var url: String
  /// The account that is meant to be signed in to, if it was named.
  package var account: String?
  /// The account is all that matters if it is there already.
  package var onlyForNewAccount = false
  /// How the server is reached: ``AccountSettings/caFile``, ``AccountSettings/allowHTTPLoopback`` and the proxy. The
  /// others do not travel.
  package var settings = AccountSettings()

  package init(url: String) { self.url = url }
}

extension DiscoverRequest {
  init(_ members: RequestMembers) throws(Failure) {
    guard let url = try members.text("url") else { throw Failure(.invalidRequest, "\"discover\" needs a URL") }
    self.init(url: url)
    account = try members.text("account")
    onlyForNewAccount = try members.flag("only_for_new_account")
    settings.caFile = try members.text("ca_file")
    settings.allowHTTPLoopback = try members.flag("allow_http_loopback")
    settings.proxy = try members.text("proxy")
    settings.proxyExclusions = try members.text("no_proxy")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("url", url)
    members.add("account", account)
    members.add("only_for_new_account", onlyForNewAccount)
    members.add("ca_file", settings.caFile)
    members.add("allow_http_loopback", settings.allowHTTPLoopback)
    members.add("proxy", settings.proxy)
    members.add("no_proxy", settings.proxyExclusions)
  }
}
