internal import Encoding
internal import Platform

/// How to show an answer to users.
struct Presentation: Sendable {
  /// In Unix seconds.
  var now: Int
  /// Nil for no limit.
  var columns: Int?
  var isColoured = false
  var isUTC = false

  init(now: Int) { self.now = now }

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

  /// `2026-11-24 09:00:00` in local time, or RFC 3339 in UTC.
  func stamp(_ unixSeconds: Int) -> String {
    guard !isUTC, let time = LocalTime(unixSeconds) else { return Timestamp.rfc3339(unixSeconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time.hour, time.minute, time.second].map(two).joined(separator: ":")
    return "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock)"
  }

  func styled(_ text: String, as style: String) -> String {
    Console.styled(text, as: style, isColoured && !style.isEmpty)
  }
}
