/// Points in time as text for people and logs.
package enum Timestamp {
  /// A time in UTC, such as `2024-02-29T12:00:00Z` (RFC 3339 section 5.6).
  ///
  /// Times outside the years 0000 to 9999, which the format cannot express, are held at its ends.
  package static func rfc3339(_ unixSeconds: Int) -> String {
    let seconds = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
    let secondOfDay = ((seconds % 86_400) + 86_400) % 86_400
    let date = CivilDate(daysSinceEpoch: (seconds - secondOfDay) / 86_400)
    let day = "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))"
    let minute = padded(secondOfDay / 60 % 60, to: 2)
    return "\(day)T\(padded(secondOfDay / 3600, to: 2)):\(minute):\(padded(secondOfDay % 60, to: 2))Z"
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }
}
