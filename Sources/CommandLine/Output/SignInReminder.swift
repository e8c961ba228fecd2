internal import Platform
internal import Wire

/// Tells a person in their own time that the session of an account ends.
enum SignInReminder {
  /// `sign in again by Friday (2026-11-27 14:05)`; nil for an end that is over.
  ///
  /// - Parameters:
  ///   - end: Unix seconds.
  ///   - now: Unix seconds.
  static func phrase(by end: Int, now: Int) -> Phrase? {
    guard now < end, let time = LocalTime(end) else { return nil }
    return Phrase("sign in again by \(weekday(time.weekday)) (\(date(time)))")
  }

  /// The end of a session that is far off: `until 2027-01-05 10:00`.
  static func end(at end: Int) -> Phrase? { LocalTime(end).map { Phrase("until \(date($0))") } }

  /// The reminder beside another answer, for those who can act on it.
  static func tell(_ answer: TokenDescription, _ console: Console) {
    guard let end = answer.signInBy, !console.json, Terminal.isTerminal(2) else { return }
    guard let phrase = phrase(by: end, now: SystemTime().wallSeconds()) else { return }
    console.note(Phrase("\(answer.account): \(phrase): \("agent login \(answer.account)")"))
  }

  private static func date(_ time: LocalTime) -> String {
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.year)-\(padded(time.month))-\(padded(time.day)) \(padded(time.hour)):\(padded(time.minute))"
  }

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
