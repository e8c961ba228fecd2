internal import Encoding
internal import Wire

/// The words of a sign-in. All that came from a server is cleaned.
enum LoginText {
  /// What to do, for a person at a terminal. Who asks for what comes first (RFC 8628, section 5.4:
  /// the person must be able to tell a sign-in of theirs from one that was slipped to them).
  static func instructions(_ code: Event.DeviceCode) -> String {
    var listing = Listing()
    listing.add(["  open", code.verificationURI])
    listing.add(["  code", code.userCode])
    if let complete = code.verificationURIComplete { listing.add(["  or open", complete]) }
    return "Sign in to \(clean(code.issuer)) for the account \(clean(code.account)).\n"
      + "The client \(clean(code.clientID)) asks for: \(scope(code))\n\n" + listing.text + "\n"
  }

  /// The same on one line, where no terminal shows it.
  static func line(_ code: Event.DeviceCode, now: Int) -> String {
    let (left, overflow) = code.expiresAt.subtractingReportingOverflow(now)
    return
      "\(ProgramName.current.text): to sign in to \(clean(code.issuer)) (client \(clean(code.clientID)), scope: \(scope(code)))"
      + " open \(clean(code.verificationURI)) and enter the code \(clean(code.userCode))"
      + " within \(RelativeTime.text(seconds: overflow ? 0 : left))\n"
  }

  /// How long the code is good for.
  static func countdown(seconds: Int) -> String {
    guard seconds > 0 else { return "Waiting for the approval; the code is about to expire." }
    let minutes = "\(seconds / 60)"
    let rest = seconds % 60 < 10 ? "0\(seconds % 60)" : "\(seconds % 60)"
    return "Waiting for the approval, \(minutes):\(rest) left. Ctrl-C cancels."
  }

  /// Who is signed in now.
  static func success(_ result: JSONObject, now: Int) -> String {
    var text = "signed in"
    if let issuer = result["issuer"]?.string { text += " to \(issuer)" }
    if let subject = result["subject"]?.string { text += " as \(subject)" }
    if let account = result["account"]?.string { text += " (account \(account))" }
    if let expiry = result["expires_at"]?.int { text += ", token \(RelativeTime.expiry(at: expiry, now: now))" }
    return text
  }

  private static func scope(_ code: Event.DeviceCode) -> String {
    code.scope.map { clean($0) } ?? "the server's default scope"
  }

  private static func clean(_ text: String) -> String { TerminalText.clean(text) }
}
