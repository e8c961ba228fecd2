/// Resumes a background sign-in.
package struct LoginResumeRequest: Sendable, Hashable {
  /// The sign-in, as in the result of its start: 128 random bits, valid until the daemon ends.
  package var login: String
  /// Whether the result comes at the end of the sign-in; otherwise the current state is returned at once.
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
