internal import Wire

/// Durations for users, rounded down to two units: `54m`, `2h 5m`, `3d 4h`.
enum RelativeTime {
  static func text(seconds: Int) -> String { phrase(seconds: seconds).english }

  /// At most two units, largest first, none zero.
  static func parts(seconds: Int) -> [(name: Character, count: Int)] {
    let seconds = max(0, seconds)
    let units: [(name: Character, count: Int)] = [
      ("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60),
    ]
    guard let first = units.firstIndex(where: { $0.count > 0 }) else { return [("s", 0)] }
    // Omit seconds beside minutes, since they change too often.
    return units[first...].prefix(2).filter { $0.count > 0 && ($0.name != "s" || units[first].name == "s") }
  }

  /// `2.2 s` or `0.4 ms`.
  static func precise(_ duration: Duration) -> String {
    let parts = duration.components
    let tenths = max(0, parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000)
    guard tenths < 10_000 else { return "\(tenths / 10_000).\(tenths / 1000 % 10) s" }
    return "\(tenths / 10).\(tenths % 10) ms"
  }

  static func phrase(seconds: Int) -> Phrase {
    let parts = parts(seconds: seconds).map(countedUnit)
    return parts.count == 2 ? "\(parts[0]) \(parts[1])" : parts[0]
  }

  private static func countedUnit(_ part: (name: Character, count: Int)) -> Phrase {
    let count = part.count
    switch part.name {
    case "d": return Phrase.counted(count, one: "\(count)d", other: "\(count)d")
    case "h": return Phrase.counted(count, one: "\(count)h", other: "\(count)h")
    case "m": return Phrase.counted(count, one: "\(count)m", other: "\(count)m")
    default: return Phrase.counted(count, one: "\(count)s", other: "\(count)s")
    }
  }

  /// `expires in 54m` or `expired 2h ago`.
  static func expiryPhrase(at unixSeconds: Int, now: Int) -> Phrase {
    let (left, overflow) = unixSeconds.subtractingReportingOverflow(now)
    guard !overflow else { return Phrase("expiry unknown") }
    return left > 0
      ? Phrase("expires in \(phrase(seconds: left))") : Phrase("expired \(phrase(seconds: 0 &- left)) ago")
  }

  /// `12m ago` or `just now`.
  static func pastPhrase(_ unixSeconds: Int, now: Int) -> Phrase {
    let (gone, overflow) = now.subtractingReportingOverflow(unixSeconds)
    guard gone > 0 || overflow else { return Phrase("just now") }
    return overflow ? Phrase("long ago") : Phrase("\(phrase(seconds: gone)) ago")
  }
}
