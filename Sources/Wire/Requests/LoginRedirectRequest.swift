/// Hands over the address that the browser ended at, for a sign-in that waits for it.
///
/// It may come on any connection; on the one that the sign-in was asked for it comes while that is under way, and
/// a refusal is then the event `redirect_refused`.
package struct LoginRedirectRequest: Sendable, Hashable {
  /// As the event `browser` names the sign-in.
  package var login: String
  package var url: String

  /// The longest address, in bytes: a code may be long (RFC 6749, section 4.1.2).
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
