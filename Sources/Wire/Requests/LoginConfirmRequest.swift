/// Says whether the user is the one who signed in, after the event `confirm`.
///
/// It may come on any connection. On the connection of the `login` request it comes before the result of that, and a
/// rejection is the event `redirect_refused`.
package struct LoginConfirmRequest: Sendable, Hashable {
  /// The sign-in, as in the event `confirm`.
  package var login: String
  /// Whether the session is to be stored; otherwise its grant is revoked.
  package var isConfirmed: Bool

  package init(login: String, isConfirmed: Bool) {
    self.login = login
    self.isConfirmed = isConfirmed
  }
}

extension LoginConfirmRequest {
  init(_ members: RequestMembers) throws(Failure) {
    guard let login = try members.text("login") else {
      throw Failure(.invalidRequest, "\"login_confirm\" needs a sign-in")
    }
    self.init(login: login, isConfirmed: try members.flag("confirmed"))
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("confirmed", isConfirmed)
  }
}
