/// Parses HTTP dates (RFC 9110 section 5.6.7).
package enum HTTPDate {
  /// Parses any of the three formats to unix seconds. Nil if malformed, impossible or on the wrong weekday. A two-digit
  /// year gets the century that matches the weekday. A leap second equals the next second.
  package static func parse(_ text: String) -> Int? {
    guard text.utf8.count <= 40 else { return nil }
    var reader = HTTPDateReader(text)
    guard let weekday = reader.readWeekday() else { return nil }
    let date: (days: Int, seconds: Int)?
    if reader.read(", ") {
      date = reader.readFixedDate(weekday)
    } else {
      date = reader.read(" ") ? reader.readOldDate(weekday) : nil
    }
    guard let date, reader.isAtEnd else { return nil }
    return date.days * 86_400 + date.seconds
  }
}

/// Each `read` method moves past the text it accepts.
struct HTTPDateReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Returns false if `text` is not next.
  mutating func read(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  // MARK: Forms

  /// Reads `06 Nov 1994 08:49:37 GMT` or `06-Nov-94 08:49:37 GMT`, after the weekday. Nil if invalid or on another
  /// weekday.
  mutating func readFixedDate(_ weekday: Weekday) -> (days: Int, seconds: Int)? {
    guard let day = readNumber(2) else { return nil }
    let separator = read("-") ? "-" : " "
    guard separator == "-" || read(" "), let month = readMonth(), read(separator) else { return nil }
    let days: Int?
    if separator == "-" {
      guard weekday.isLong, let year = readNumber(2) else { return nil }
      days = [1900 + year, 2000 + year].lazy.compactMap { weekday.days(year: $0, month, day) }.first
    } else {
      guard !weekday.isLong, let year = readNumber(4) else { return nil }
      days = weekday.days(year: year, month, day)
    }
    guard let days, read(" "), let seconds = readTime(), read(" GMT") else { return nil }
    return (days, seconds)
  }

  /// Reads `Nov  6 08:49:37 1994`, the asctime format.
  mutating func readOldDate(_ weekday: Weekday) -> (days: Int, seconds: Int)? {
    guard !weekday.isLong, let month = readMonth(), read(" ") else { return nil }
    guard let day = read(" ") ? readNumber(1) : readNumber(2), read(" ") else { return nil }
    guard let seconds = readTime(), read(" "), let year = readNumber(4) else { return nil }
    return weekday.days(year: year, month, day).map { ($0, seconds) }
  }

  // MARK: Parts

  struct Weekday {
    /// From 0 for Sunday.
    var number: Int
    /// Whether the name is written in full.
    var isLong: Bool

    /// Days since 1970. Nil if the date does not exist or is on another weekday.
    func days(year: Int, _ month: Int, _ day: Int) -> Int? {
      guard let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch else { return nil }
      // 1970-01-01 was a Thursday, day 4. 719,530 days are complete weeks, and keep the sum positive.
      return (days + 719_530 + 4) % 7 == number ? days : nil
    }
  }

  mutating func readWeekday() -> Weekday? {
    let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    for (number, name) in names.enumerated() {
      if read(name) { return Weekday(number: number, isLong: true) }
      if read(String(name.prefix(3))) { return Weekday(number: number, isLong: false) }
    }
    return nil
  }

  /// Reads a month's short name. Returns its number, from 1.
  mutating func readMonth() -> Int? {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for (index, name) in names.enumerated() where read(name) { return index + 1 }
    return nil
  }

  /// Reads exactly `count` digits.
  mutating func readNumber(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let byte = rest.popFirst(), let digit = HexDigit.value(byte), digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  /// Reads `08:49:37` and returns the second of the day.
  mutating func readTime() -> Int? {
    guard let hour = readNumber(2), read(":"), let minute = readNumber(2), read(":"), let second = readNumber(2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }
}
