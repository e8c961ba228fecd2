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

  init(_ members: RequestMembers) throws(Failure) {
    login = try members.required("login")
    url = try members.required("url", limit: Self.maximumURLBytes)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("url", url)
  }
}

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

  init(_ members: RequestMembers) throws(Failure) {
    login = try members.required("login")
    isConfirmed = try members.flag("confirmed")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("confirmed", isConfirmed)
  }
}

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

  init(_ members: RequestMembers) throws(Failure) {
    login = try members.required("login")
    waits = try !members.flag("report")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("login", login)
    members.add("report", !waits)
  }
}
