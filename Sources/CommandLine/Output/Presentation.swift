internal import Encoding
internal import Platform

/// How an answer is shown to a person.
struct Presentation: Sendable {
  /// Unix seconds.
  var now: Int
  /// The width of the screen; nil for none.
  var columns: Int?
  var isColoured = false
  /// Whether points in time are told in UTC and not as the person's clock has them.
  var isUTC = false

  init(now: Int) { self.now = now }

  /// For the answer to a command.
  init(_ invocation: Invocation) {
    now = SystemTime().wallSeconds()
    guard let screen = OutputTerminal.on(.standardOutput) else { return }
    columns = screen.columns()
    isColoured = screen.hasStyles
  }

  /// The same with the times in UTC where that is wanted.
  func inUTC(_ isUTC: Bool) -> Presentation {
    var presentation = self
    presentation.isUTC = isUTC
    return presentation
  }

  /// A point in time in one word or two: `2026-11-24 09:00:00` by the person's clock, or as RFC 3339 has it in UTC.
  func stamp(_ unixSeconds: Int) -> String {
    guard !isUTC, let time = LocalTime(unixSeconds) else { return Timestamp.rfc3339(unixSeconds) }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = [time.hour, time.minute, time.second].map(two).joined(separator: ":")
    return "\(time.year)-\(two(time.month))-\(two(time.day)) \(clock)"
  }

  /// Text with a style, where there are styles; an empty style is none.
  func styled(_ text: String, as style: String) -> String {
    Console.styled(text, as: style, isColoured && !style.isEmpty)
  }
}
