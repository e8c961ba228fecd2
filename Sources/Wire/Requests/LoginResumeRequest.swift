/// Takes up a sign-in that was started in the background.
package struct LoginResumeRequest: Sendable, Hashable {
  /// As the answer of its start names the sign-in: 128 random bits, which die with the daemon.
  package var login: String
  /// Wait for the end; without it the answer tells at once how it stands.
  package var waits: Bool

  package init(login: String, waits: Bool) {
    self.login = login
    self.waits = waits
  }
}

extension LoginResumeRequest {
  init(_ members: RequestMembers) throws(Failure) {
    guard let login = try members.text("login") else {
      throw Failure(.invalidRequest, "\"login_resume\" needs a sign-in")
    }
    self.init(login: login, waits: try !members.flag("report"))
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("report", !waits)
  }
}
