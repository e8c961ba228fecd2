internal import Encoding
internal import Wire

/// The words of a sign-in beside its screen. All that came from a server is cleaned.
enum LoginText {
  /// What to do, on one line, where no terminal shows it.
  ///
  /// - Parameter isQuiet: Whether only that is said without which nobody can sign in.
  static func line(_ code: Event.DeviceCode, now: Int, isQuiet: Bool = false) -> String {
    let left = RelativeTime.text(seconds: secondsLeft(code.expiresAt, now: now))
    let place = "open \(clean(code.verificationURI)) and enter the code \(clean(code.userCode)) within \(left)\n"
    if isQuiet { return "\(ProgramName.current.text): to sign in " + place }
    return purpose(issuer: code.issuer, clientID: code.clientID, scope: code.scope) + place
  }

  /// The same for a sign-in in the browser.
  static func line(_ browser: Event.Browser, now: Int, isQuiet: Bool = false) -> String {
    let left = RelativeTime.text(seconds: secondsLeft(browser.expiresAt, now: now))
    let paste = browser.mustPaste ? ", then pass the address that the browser goes to to standard input," : ""
    let place = "open \(clean(browser.url))\(paste) within \(left)\n"
    if isQuiet { return "\(ProgramName.current.text): to sign in " + place }
    return purpose(issuer: browser.issuer, clientID: browser.clientID, scope: browser.scope) + place
  }

  private static func purpose(issuer: String, clientID: String, scope: String?) -> String {
    let scope = scope.map { clean($0) } ?? "the server's default scope"
    let who = "(client \(clean(clientID)), scope: \(scope))"
    return "\(ProgramName.current.text): to sign in to \(clean(issuer)) \(who) "
  }

  /// How long the code is good for, in wordings for ever narrower terminals.
  static func countdown(seconds: Int) -> [String] {
    guard seconds > 0 else {
      return [
        "Waiting for your approval; the code is about to expire.", "Waiting; the code is about to expire.",
        "Waiting, 0:00 left.", "0:00",
      ]
    }
    let time = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    return [
      "Waiting for your approval, \(time) left. Ctrl-C cancels.", "Waiting, \(time) left. Ctrl-C cancels.",
      "Waiting, \(time) left.", time,
    ]
  }

  /// The same once, for a terminal where no line can be rewritten.
  static func wait(until expiry: Int, now: Int) -> String {
    "Waiting for your approval, \(RelativeTime.text(seconds: secondsLeft(expiry, now: now))) left. Ctrl-C cancels.\n"
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

  /// A daemon's clock is ours; what does not fit is taken for no time left rather than trusted.
  private static func secondsLeft(_ expiry: Int, now: Int) -> Int {
    let (left, overflow) = expiry.subtractingReportingOverflow(now)
    return overflow ? 0 : left
  }

  private static func clean(_ text: String) -> String { TerminalText.clean(text, limit: 16_384) }
}
