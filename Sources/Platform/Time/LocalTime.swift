internal import Glibc

/// A point in time in the user's time zone (the machine's, or `TZ`).
package struct LocalTime: Sendable, Hashable {
  /// From 0 for Sunday.
  package let weekday: Int
  package let year: Int
  /// From 1.
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int

  /// Nil for a year that the system cannot represent. Uses UTC if `isUTC` is true.
  package init?(_ unixSeconds: Int, isUTC: Bool = false) {
    var seconds = time_t(unixSeconds)
    var parts = unsafe tm()
    // localtime_r() need not read TZ (POSIX.1-2017).
    tzset()
    guard unsafe (isUTC ? gmtime_r : localtime_r)(&seconds, &parts) != nil else { return nil }
    weekday = unsafe Int(parts.tm_wday)
    year = unsafe Int(parts.tm_year) + 1900
    month = unsafe Int(parts.tm_mon) + 1
    day = unsafe Int(parts.tm_mday)
    hour = unsafe Int(parts.tm_hour)
    minute = unsafe Int(parts.tm_min)
    second = unsafe Int(parts.tm_sec)
  }
}
