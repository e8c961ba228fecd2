internal import Encoding
internal import Wire

/// A sign-in's messages outside its screen. Server text is cleaned.
enum LoginText {
  /// A device sign-in's instructions on one line; only the essentials if `isQuiet`.
  static func line(_ code: Event.DeviceCode, now: Int, isQuiet: Bool = false) -> String {
    let left = RelativeTime.phrase(seconds: secondsLeft(code.expiresAt, now: now))
    let task = Phrase("open \(code.verificationURI) and enter the code \(code.userCode) within \(left)")
    let whole = isQuiet ? task : Phrase("\(task); never enter a code that someone sent you")
    return line(to: whole, code.issuer, clientID: code.clientID, scope: code.scope, isQuiet)
  }

  /// A browser sign-in's instructions on one line.
  static func line(_ browser: Event.Browser, now: Int, isQuiet: Bool = false) -> String {
    let left = RelativeTime.phrase(seconds: secondsLeft(browser.expiresAt, now: now))
    let task =
      browser.mustPaste
      ? Phrase(
        "open \(browser.url), then send the address that the browser tries to open to standard input, within \(left)")
      : Phrase("open \(browser.url) within \(left)")
    return line(to: task, browser.issuer, clientID: browser.clientID, scope: browser.scope, isQuiet)
  }

  /// Adds the server, client and scope to the instructions.
  private static func line(
    to task: Phrase, _ issuer: String, clientID: String, scope: String?, _ isQuiet: Bool
  ) -> String {
    let scope = scope.map { Phrase(verbatim: $0) } ?? Phrase("the server's default scope")
    let text =
      isQuiet
      ? Phrase("to sign in, \(task)")
      : Phrase("to sign in to \(issuer) (client \(clientID), scope: \(scope)), \(task)")
    return "\(ProgramName.current.text): \(text.localized(limit: maximumURLLength))\n"
  }

  private static let maximumURLLength = 16_384

  /// The text with each URL on its own line.
  static func paragraph(_ text: String, columns: Int) -> String {
    var lines: [String] = []
    var words: Substring = ""
    func isURL(_ word: Substring) -> Bool { word.hasPrefix("https://") || word.hasPrefix("http://") }
    for word in text.split(separator: " ") {
      guard isURL(word) else {
        words += words.isEmpty ? word : " \(word)"
        continue
      }
      lines += Prose.wrapped(String(words), width: columns) + ["  \(word)"]
      words = ""
    }
    if !words.isEmpty { lines += Prose.wrapped(String(words), width: columns) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The prompts for a pasted URL, longest first.
  static func pastePrompts(seconds: Int) -> [String] {
    let time = clock(seconds)
    let wordings = [
      Phrase("Paste the address and press Enter (hidden): \(time) left."),
      Phrase("Paste it, then Enter: \(time) left."),
      Phrase("Paste: \(time) left."),
    ]
    return wordings.map { $0.localized() } + [time]
  }

  /// Formats seconds as `4:05`.
  static func clock(_ seconds: Int) -> String {
    let seconds = max(0, seconds)
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }

  /// The remaining time for approval, longest wording first. If `isResumed`, Ctrl-C only stops waiting.
  static func countdown(seconds: Int, isResumed: Bool = false) -> [String] {
    guard seconds > 0 else {
      let wordings = [
        Phrase("Waiting for your approval; the code is about to expire."),
        Phrase("Waiting; the code is about to expire."), Phrase("Waiting, \("0:00") left."),
      ]
      return wordings.map { $0.localized() } + ["0:00"]
    }
    let time = clock(seconds)
    let key = interruptNote(isResumed)
    let wordings = [
      Phrase("Waiting for your approval, \(time) left. \(key)"), Phrase("Waiting, \(time) left. \(key)"),
      Phrase("Waiting, \(time) left."),
    ]
    return wordings.map { $0.localized() } + [time]
  }

  /// The remaining time, for a terminal that cannot rewrite lines.
  static func waitNote(until expiry: Int, now: Int, isResumed: Bool = false) -> String {
    let left = RelativeTime.phrase(seconds: secondsLeft(expiry, now: now))
    return Phrase("Waiting for your approval, \(left) left. \(interruptNote(isResumed))").localized() + "\n"
  }

  private static func interruptNote(_ isResumed: Bool) -> Phrase {
    isResumed ? Phrase("Ctrl-C stops waiting.") : Phrase("Ctrl-C cancels.")
  }

  /// The question whether it was the user who signed in.
  static func question(_ confirm: Event.Confirm) -> Phrase {
    let subject = confirm.subject ?? "?"
    let person = confirm.name.map { "\($0) (\(subject))" } ?? subject
    return Phrase(
      """
      Cannot determine whose browser sent the answer: another user of this machine may have signed in.
      The server \(confirm.issuer) identifies the user as \(person).
      Is that you? Keep the session?
      """)
  }

  /// Describes a sign-in that continues in the background.
  static func inBackground(_ login: String) -> Phrase {
    let command = "agent login --resume \(TerminalText.clean(login, limit: 64))"
    return Phrase("the sign-in continues in the background; to wait for it: \(command)")
  }

  static func signInAgainQuestion(_ result: JSONObject) -> Phrase {
    let account = result["account"]?.string ?? "?"
    guard let person = person(result) else { return Phrase("\(account) is signed in. Sign in again?") }
    return Phrase("\(account) is signed in as \(person). Sign in again?")
  }

  /// Names the active account and the command to change it, if another account is active.
  static func otherActiveAccount(_ result: JSONObject) -> Phrase? {
    guard let account = result["account"]?.string, let active = result["active_account"]?.string,
      !active.hasSameBytes(as: account)
    else { return nil }
    return Phrase("the active account is still \(active); to change that: \("agent use \(account)")")
  }

  private static func person(_ result: JSONObject) -> String? { (result["person"] ?? result["subject"])?.string }

  static func success(_ result: JSONObject, now: Int) -> Phrase {
    var text = result["kept"]?.bool == true ? Phrase("already signed in") : Phrase("signed in")
    if let issuer = result["issuer"]?.string { text = Phrase("\(text) to \(issuer)") }
    if let person = person(result) { text = Phrase("\(text) as \(person)") }
    if result["guest"]?.bool == true { text = Phrase("\(text) as a guest, without a user") }
    if result["assertion"]?.bool == true { text = Phrase("\(text) by assertion, without a user") }
    if let account = result["account"]?.string {
      let isActive = result["active_account"]?.string.map { $0.hasSameBytes(as: account) } ?? false
      text = isActive ? Phrase("\(text) (account \(account), active)") : Phrase("\(text) (account \(account))")
    }
    if result["upgraded_from_guest"]?.bool == true { text = Phrase("\(text), no longer as a guest") }
    if result["ephemeral"]?.bool == true { return Phrase("\(text); in memory only: ends with the daemon") }
    if result["renews"]?.bool == true { return Phrase("\(text); the session renews itself") }
    guard let expiry = result["expires_at"]?.int else { return text }
    return Phrase("\(text), token \(RelativeTime.expiryPhrase(at: expiry, now: now))")
  }

  /// Returns 0 on overflow.
  static func secondsLeft(_ expiry: Int, now: Int) -> Int {
    let (left, overflow) = expiry.subtractingReportingOverflow(now)
    return overflow ? 0 : left
  }
}
