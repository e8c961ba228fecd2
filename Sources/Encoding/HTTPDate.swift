/// The dates of HTTP header fields (RFC 9110 section 5.6.7).
package enum HTTPDate {
  /// The time of a date in any of the three forms, in seconds since 1970; nil when it is malformed,
  /// does not exist, or its day of the week is wrong.
  ///
  /// The century of the form with a two-digit year is the one in which the day of the week fits.
  /// A leap second counts as the second after it.
  package static func parse(_ text: String) -> Int? {
    guard text.utf8.count <= 40 else { return nil }
    var reader = HTTPDateReader(text)
    guard let weekday = reader.takeWeekday() else { return nil }
    let date: (days: Int, seconds: Int)?
    if reader.take(", ") {
      date = reader.takeFixedDate(weekday)
    } else {
      date = reader.take(" ") ? reader.takeOldDate(weekday) : nil
    }
    guard let date, reader.isAtEnd else { return nil }
    return date.days * 86_400 + date.seconds
  }
}
