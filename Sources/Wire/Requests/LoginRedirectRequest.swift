/// Passes the URL of the browser's response to a waiting sign-in.
///
/// It may come on any connection. On the connection of the `login` request it comes before the result of that, and a
/// rejection is the event `redirect_refused`.
package struct LoginRedirectRequest: Sendable, Hashable {
  /// The sign-in, as in the event `browser`.
  package var login: String
  package var url: String

  /// The longest URL, in bytes: a code may be long (RFC 6749, section 4.1.2).
  package static let maximumURLBytes = 16_384

  package init(login: String, url: String) {
    self.login = login
    self.url = url
  }
}

extension LoginRedirectRequest {
  init(_ members: RequestMembers) throws(Failure) {
    guard let login = try members.text("login"), let url = try members.text("url", limit: Self.maximumURLBytes) else {
      throw Failure(.invalidRequest, "\"login_redirect\" needs a sign-in and an address")
    }
    self.init(login: login, url: url)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("url", url)
  }
}
