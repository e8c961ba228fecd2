internal import Platform
internal import Wire

enum SignInReminder {
  /// `sign in again by Friday (2026-11-27 14:05)`, or `by 14:05 today`; nil after the session's end. Times are in Unix
  /// seconds.
  static func phrase(by end: Int, now: Int, isUTC: Bool = false) -> Phrase? {
    guard now < end, let time = LocalTime(end, isUTC: isUTC) else { return nil }
    if let today = LocalTime(now, isUTC: isUTC),
      (today.year, today.month, today.day) == (time.year, time.month, time.day)
    {
      return Phrase("sign in again by \(clock(time, isUTC)) today")
    }
    return Phrase("sign in again by \(weekday(time.weekday)) (\(date(time, isUTC)))")
  }

  /// `until 2027-01-05 10:00`, for a session's end in Unix seconds.
  static func end(at end: Int, isUTC: Bool) -> Phrase? {
    LocalTime(end, isUTC: isUTC).map { Phrase("until \(date($0, isUTC))") }
  }

  /// Prints the reminder on a terminal if the session ends soon.
  static func printIfDue(_ answer: TokenDescription, _ console: Console) {
    guard let end = answer.signInBy, !console.usesJSON, Terminal.isTerminal(2) else { return }
    guard let phrase = phrase(by: end, now: SystemTime().wallSeconds()) else { return }
    console.note(Phrase("\(answer.account): \(phrase): \("agent login \(answer.account)")"))
  }

  private static func date(_ time: LocalTime, _ isUTC: Bool) -> String {
    "\(time.year)-\(padded(time.month))-\(padded(time.day)) \(clock(time, isUTC))"
  }

  private static func clock(_ time: LocalTime, _ isUTC: Bool) -> String {
    "\(padded(time.hour)):\(padded(time.minute))\(isUTC ? " UTC" : "")"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func weekday(_ number: Int) -> Phrase {
    switch number {
    case 1: Phrase("Monday")
    case 2: Phrase("Tuesday")
    case 3: Phrase("Wednesday")
    case 4: Phrase("Thursday")
    case 5: Phrase("Friday")
    case 6: Phrase("Saturday")
    default: Phrase("Sunday")
    }
  }
}
