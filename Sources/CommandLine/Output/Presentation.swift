internal import Encoding
internal import Platform

/// How an answer is shown to users.
struct Presentation: Sendable {
  /// Unix seconds.
  var now: Int
  /// The width of the screen; nil for no limit.
  var columns: Int?
  var isColoured = false
  /// Whether times are shown in UTC, not local time.
  var isUTC = false

  init(now: Int) { self.now = now }

  /// For the answer to a command.
  init(_ invocation: Invocation) {
    now = SystemTime().wallSeconds()
    guard let screen = OutputTerminal.on(.standardOutput) else { return }
    columns = screen.columns()
    isColoured = screen.hasStyles
  }

  /// A presentation with times in UTC if `isUTC`.
  func inUTC(_ isUTC: Bool) -> Presentation {
    var presentation = self
    presentation.isUTC = isUTC
    return presentation
  }

  /// A time in one or two words: `2026-11-24 09:00:00` in local time, or RFC 3339 in UTC.
  func stamp(_ unixSeconds: Int) -> String {
    guard !isUTC, let time = LocalTime(unixSeconds) else { return Timestamp.rfc3339(unixSeconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time.hour, time.minute, time.second].map(two).joined(separator: ":")
    return "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock)"
  }

  /// Styled text, if styles are enabled; an empty style has no effect.
  func styled(_ text: String, as style: String) -> String {
    Console.styled(text, as: style, isColoured && !style.isEmpty)
  }
}
