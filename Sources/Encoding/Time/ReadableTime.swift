/// Formats times for users: `2026-11-21 09:00:00 UTC, in 12 minutes`.
package enum ReadableTime {
  /// Both times are in unix seconds.
  package static func text(_ unixSeconds: Int, now: Int) -> String {
    let stamp = Timestamp.rfc3339(unixSeconds).map { $0 == "T" ? " " : $0 }
    return "\(String(stamp).dropLast()) UTC, \(distance(to: unixSeconds, now: now))"
  }

  /// Such as `in 12 minutes`, `2 hours 5 minutes ago` or `now`.
  package static func distance(to unixSeconds: Int, now: Int) -> String {
    let (seconds, overflow) = unixSeconds.subtractingReportingOverflow(now)
    if overflow { return unixSeconds > now ? "in the far future" : "long ago" }
    if seconds == 0 { return "now" }
    let length = length(seconds.magnitude)
    return seconds > 0 ? "in \(length)" : "\(length) ago"
  }

  /// A duration in one unit, rounded down, such as `12 s`, `56m`, `1h` or `2d`.
  package static func short(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60)m"
    case ..<86_400: "\(seconds / 3600)h"
    default: "\(seconds / 86_400)d"
    }
  }

  /// A measured duration, such as `12 ms`; from one second, `2.2 s`.
  package static func precise(milliseconds: Int) -> String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds / 100 % 10) s"
  }

  private static let units: [(name: String, seconds: UInt)] = [
    ("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
  ]

  /// A duration in its largest unit and, from one hour, also the next smaller.
  private static func length(_ seconds: UInt) -> String {
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

/// UTC times in RFC 3339 format.
package enum Timestamp {
  /// Formats a UTC time as `2024-02-29T12:00:00Z` (RFC 3339 section 5.6), clamped to years 0000 to 9999.
  package static func rfc3339(_ unixSeconds: Int) -> String {
    let seconds = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
    let secondOfDay = ((seconds % 86_400) + 86_400) % 86_400
    let date = CivilDate(daysSinceEpoch: (seconds - secondOfDay) / 86_400)
    let day = "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))"
    let minute = padded(secondOfDay / 60 % 60, to: 2)
    return "\(day)T\(padded(secondOfDay / 3600, to: 2)):\(minute):\(padded(secondOfDay % 60, to: 2))Z"
  }

  /// Parses a UTC time, truncating a fraction. Nil for other text.
  package static func unixSeconds(rfc3339 text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard (20...40).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      let digits = bytes[range]
      guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }
    let fraction = bytes[19..<(bytes.count - 1)]
    let marks = zip([4, 7, 10, 13, 16], "--T::".utf8).allSatisfy { bytes[$0] == $1 }
    guard marks, fraction.isEmpty || (fraction.first == UInt8(ascii: ".") && number(20..<(bytes.count - 1)) != nil),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch,
      let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60, let second = number(17..<19),
      second < 61
    else { return nil }
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }
}
