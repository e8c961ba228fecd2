internal import Wire

/// Lengths of time as ``RelativeTime`` rounds them, in the reader's language.
extension RelativeTime {
  static func phrase(seconds: Int) -> Phrase {
    let parts = parts(seconds: seconds).map(unit)
    return parts.count == 2 ? "\(parts[0]) \(parts[1])" : parts[0]
  }

  private static func unit(_ part: (name: Character, count: Int)) -> Phrase {
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
    guard !overflow else { return Phrase("expires at no time that can be told") }
    return left > 0
      ? Phrase("expires in \(phrase(seconds: left))") : Phrase("expired \(phrase(seconds: 0 &- left)) ago")
  }

  /// `12m ago`.
  static func pastPhrase(_ unixSeconds: Int, now: Int) -> Phrase {
    let (gone, overflow) = now.subtractingReportingOverflow(unixSeconds)
    return overflow ? Phrase("long ago") : Phrase("\(phrase(seconds: gone)) ago")
  }
}
