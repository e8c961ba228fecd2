internal import Encoding
internal import Platform

/// How to show an answer to users.
struct Presentation: Sendable {
  /// The time in Unix seconds.
  var now: Int
  /// The screen width; nil for no limit.
  var columns: Int?
  var isColoured = false
  var isUTC = false

  init(now: Int) { self.now = now }

  /// The presentation for standard output at the current time.
  static var current: Presentation {
    var presentation = Presentation(now: SystemTime().wallSeconds())
    guard let screen = OutputTerminal.on(.standardOutput) else { return presentation }
    presentation.columns = screen.columns()
    presentation.isColoured = screen.hasStyles
    return presentation
  }

  func inUTC(_ isUTC: Bool) -> Presentation {
    var presentation = self
    presentation.isUTC = isUTC
    return presentation
  }

  /// Formats a time as `2026-11-24 09:00:00` in local time, or by RFC 3339 in UTC.
  func stamp(_ unixSeconds: Int) -> String {
    guard !isUTC, let time = LocalTime(unixSeconds) else { return Timestamp.rfc3339(unixSeconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time.hour, time.minute, time.second].map(two).joined(separator: ":")
    return "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock)"
  }

  /// Styled text, if colours are enabled and the style is not empty.
  func styled(_ text: String, as style: String) -> String {
    Console.styled(text, as: style, isColoured && !style.isEmpty)
  }
}
