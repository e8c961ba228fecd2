/// A message to the sign-in `loginID`, on any connection. On that of `login`, it must be sent before the sign-in ends
/// and gets no result: the event `redirect_refused` reports a rejected redirect.
package enum LoginStepRequest: RequestBody {
  /// Passes the URL at which the browser ended, after the event `browser`.
  case redirect(loginID: String, url: String)
  /// Answers the event `confirm`: whether the user signed in. A denial revokes the grant.
  case confirm(loginID: String, isConfirmed: Bool)
  /// Returns the state of a background sign-in, or waits for its result.
  case resume(loginID: String, waits: Bool)

  package static let maximumURLBytes = 16_384

  /// All kinds, with blank members.
  static let declarations: [Self] = [
    .redirect(loginID: "", url: ""), .confirm(loginID: "", isConfirmed: false), .resume(loginID: "", waits: false),
  ]

  package var properties: RequestProperties {
    switch self {
    case .redirect: RequestProperties("login_redirect", about: .any)
    case .confirm: RequestProperties("login_confirm", about: .any)
    case .resume:
      RequestProperties("login_resume", [.changesAccounts, .endless], from: .authorizationServer, about: .any)
    }
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    switch self {
    case .redirect(var login, var url):
      try members.visitText("login", &login, "The sign-in, as in the event `browser`.")
      try members.visitText(
        "url", &url, limit: Self.maximumURLBytes, "The URL, at most \(Self.maximumURLBytes) bytes.")
      self = .redirect(loginID: login, url: url)
    case .confirm(var login, var isConfirmed):
      try members.visitText("login", &login, "The sign-in, as in the event.")
      try members.visitFlag(
        "confirmed", &isConfirmed, "Store the session; otherwise it is ended at the server, and the sign-in fails.")
      self = .confirm(loginID: login, isConfirmed: isConfirmed)
    case .resume(var login, let waits):
      try members.visitText("login", &login, "The sign-in, as in the result of its start.")
      var reports = !waits
      try members.visitFlag("report", &reports, "Answer at once, with the members of a start.")
      self = .resume(loginID: login, waits: !reports)
    }
  }

  package var manualEntry: RequestManualEntry {
    let account = MemberDescription.text("account", "The account.")
    return switch self {
    case .redirect:
      RequestManualEntry(
        "Passes the URL at which the browser ended to a waiting sign-in, whose own request has the result.",
        result: [account],
        note:
          "It may also be sent on the connection of the sign-in before that has ended. It then has no last line, and a"
          + " rejection is the event `redirect_refused`.")
    case .confirm:
      RequestManualEntry(
        "Confirms or denies that the user is the one who signed in, after the event `confirm`.", result: [account],
        note: "It may also be sent on the connection of the sign-in, like `login_redirect`.")
    case .resume:
      RequestManualEntry(
        "Resumes a background sign-in: sends its event again, and has the result of `login` when it ends. Closing the"
          + " connection does not end it.",
        result: [account])
    }
  }
}
