/// Passes the redirect's URL to a waiting sign-in.
///
/// Allowed on any connection. On the connection of `login`, it must be sent before the result, and a rejection is the
/// event `redirect_refused`.
package struct LoginRedirectRequest: RequestBody {
  /// The ID of the sign-in, from the event `browser`.
  package var login: String
  package var url: String

  /// The maximum URL length, since codes may be long (RFC 6749, section 4.1.2).
  package static let maximumURLBytes = 16_384

  package init(login: String, url: String) {
    self.login = login
    self.url = url
  }
  package var properties: RequestProperties { RequestProperties("login_redirect", about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("login", &login, "The sign-in, as in the event `browser`.")
    try members.visitText(
      "url", &url, limit: Self.maximumURLBytes, "The URL, at most \(Self.maximumURLBytes) bytes.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Passes the URL at which the browser ended to a waiting sign-in.",
      result: [.text("account", "The account of the sign-in, whose own request has its result.")],
      note:
        "It may also be sent on the connection of the sign-in before that has ended. It then has no last line, and a"
        + " rejection is the event `redirect_refused`.")
  }
}

/// Confirms or denies that the user is the one who signed in, after the event `confirm`.
///
/// Allowed on any connection. On the connection of `login`, it must be sent before the result, and a rejection is the
/// event `redirect_refused`.
package struct LoginConfirmRequest: RequestBody {
  /// The ID of the sign-in, from the event `confirm`.
  package var login: String
  /// Whether to store the session. Otherwise its grant is revoked.
  package var isConfirmed: Bool

  package init(login: String, isConfirmed: Bool) {
    self.login = login
    self.isConfirmed = isConfirmed
  }
  package var properties: RequestProperties { RequestProperties("login_confirm", about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("login", &login, "The sign-in, as in the event.")
    try members.visitFlag(
      "confirmed", &isConfirmed, "Store the session; otherwise it is ended at the server, and the sign-in fails.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Confirms or denies that the user is the one who signed in, after the event `confirm`.",
      result: [.text("account", "The account of the sign-in, whose own request has its result.")],
      note: "It may also be sent on the connection of the sign-in, like `login_redirect`.")
  }
}

/// Returns the state or result of a sign-in that continues in the background.
package struct LoginResumeRequest: RequestBody {
  /// The ID of the sign-in, from the result of its start: 128 random bits, valid until the daemon ends.
  package var login: String
  /// Whether to wait for the final result instead of returning the current state.
  package var waits: Bool

  package init(login: String, waits: Bool) {
    self.login = login
    self.waits = waits
  }

  package var properties: RequestProperties {
    RequestProperties("login_resume", [.change, .endless], from: .authorizationServer, about: .any)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("login", &login, "The sign-in, as in the result of its start.")
    var reports = !waits
    try members.visitFlag("report", &reports, "Answer at once, with the members of a start.")
    waits = !reports
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Resumes a background sign-in: sends its event again, and answers like `login` when it ends. Closing the connection"
        + " does not end it.",
      result: [.text("account", "As for `login`, as are the other members.")])
  }
}
