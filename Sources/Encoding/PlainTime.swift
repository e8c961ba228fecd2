/// Points in time in plain words: `2026-11-21 09:00:00 UTC, in 12 minutes`.
package enum PlainTime {
  /// - Parameter now: Unix seconds.
  package static func text(_ unixSeconds: Int, now: Int) -> String {
    let stamp = Timestamp.rfc3339(unixSeconds).map { $0 == "T" ? " " : $0 }
    return "\(String(stamp).dropLast()) UTC, \(distance(to: unixSeconds, now: now))"
  }

  /// `in 12 minutes`, `2 hours 5 minutes ago`, `now`.
  package static func distance(to unixSeconds: Int, now: Int) -> String {
    let (seconds, overflow) = unixSeconds.subtractingReportingOverflow(now)
    if overflow { return unixSeconds > now ? "in the far future" : "long ago" }
    if seconds == 0 { return "now" }
    let length = length(seconds.magnitude)
    return seconds > 0 ? "in \(length)" : "\(length) ago"
  }

  /// A length of time in its largest unit and, where that is small, the next one.
  private static func length(_ seconds: UInt) -> String {
    let units: [(name: String, seconds: UInt)] = [
      ("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]
    guard let first = units.firstIndex(where: { seconds >= $0.seconds }) else { return "no time" }
    let count = seconds / units[first].seconds
    var text = counted(count, units[first].name)
    let rest = seconds % units[first].seconds
    if first + 2 < units.count, rest >= units[first + 1].seconds {
      text += " " + counted(rest / units[first + 1].seconds, units[first + 1].name)
    }
    return text
  }

  private static func counted(_ count: UInt, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
}
