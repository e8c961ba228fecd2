internal import Encoding

/// Durations as users type them: `60`, `60s`, `5m`, `1h`, `2d`.
enum DurationText {
  /// Nil if invalid or too large.
  static func seconds(_ text: String) -> Int? {
    var digits = text.utf8[...]
    var unit = 1
    switch digits.last {
    case UInt8(ascii: "s"): digits.removeLast()
    case UInt8(ascii: "m"): (digits, unit) = (digits.dropLast(), 60)
    case UInt8(ascii: "h"): (digits, unit) = (digits.dropLast(), 3600)
    case UInt8(ascii: "d"): (digits, unit) = (digits.dropLast(), 86_400)
    default: break
    }
    // Nine digits of the longest unit cannot overflow.
    guard (1...9).contains(digits.count) else { return nil }
    var number = 0
    for digit in digits {
      guard digit.isASCIIDigit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number * unit
  }

  /// The shortest spelling: `90s`, `5m`, `1h`.
  static func text(seconds: Int) -> String {
    // Not a table, whose entries the optimizer would order differently in each build.
    if seconds == 0 { return "0s" }
    if seconds.isMultiple(of: 86_400) { return "\(seconds / 86_400)d" }
    if seconds.isMultiple(of: 3600) { return "\(seconds / 3600)h" }
    if seconds.isMultiple(of: 60) { return "\(seconds / 60)m" }
    return "\(seconds)s"
  }
}
