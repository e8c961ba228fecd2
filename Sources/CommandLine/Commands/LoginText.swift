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
  ///
  /// - Parameter isResumed: Whether the sign-in goes on without this command.
  static func countdown(seconds: Int, isResumed: Bool = false) -> [String] {
    guard seconds > 0 else {
      return [
        "Waiting for your approval; the code is about to expire.", "Waiting; the code is about to expire.",
        "Waiting, 0:00 left.", "0:00",
      ]
    }
    let time = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    let key = interrupt(isResumed)
    return [
      "Waiting for your approval, \(time) left. \(key)", "Waiting, \(time) left. \(key)",
      "Waiting, \(time) left.", time,
    ]
  }

  /// The same once, for a terminal where no line can be rewritten.
  static func wait(until expiry: Int, now: Int, isResumed: Bool = false) -> String {
    let left = RelativeTime.text(seconds: secondsLeft(expiry, now: now))
    return "Waiting for your approval, \(left) left. \(interrupt(isResumed))\n"
  }

  private static func interrupt(_ isResumed: Bool) -> String {
    isResumed ? "Ctrl-C stops waiting." : "Ctrl-C cancels."
  }

  /// A sign-in that goes on while nobody waits for it.
  static func inBackground(_ login: String) -> String {
    "the sign-in goes on in the background; to wait for it: agent login --resume \(TerminalText.clean(login, limit: 64))"
  }

  /// Who is signed in now.
  static func success(_ result: JSONObject, now: Int) -> String {
    var text = "signed in"
    if let issuer = result["issuer"]?.string { text += " to \(issuer)" }
    if let subject = result["subject"]?.string { text += " as \(subject)" }
    if result["guest"]?.bool == true { text += " as a guest, without a user" }
    if let account = result["account"]?.string { text += " (account \(account))" }
    if let expiry = result["expires_at"]?.int { text += ", token \(RelativeTime.expiry(at: expiry, now: now))" }
    if result["upgraded_from_guest"]?.bool == true { text += "; the account was a guest's until now" }
    return text
  }

  /// A daemon's clock is ours; what does not fit is taken for no time left rather than trusted.
  private static func secondsLeft(_ expiry: Int, now: Int) -> Int {
    let (left, overflow) = expiry.subtractingReportingOverflow(now)
    return overflow ? 0 : left
  }

  private static func clean(_ text: String) -> String { TerminalText.clean(text, limit: 16_384) }
}
