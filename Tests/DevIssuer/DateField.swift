import Encoding

/// The Date header field (RFC 9110 section 5.6.7, IMF-fixdate).
enum DateField {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "01": "Jan", "02": "Feb", "03": "Mar", "04": "Apr", "05": "May", "06": "Jun",
    "07": "Jul", "08": "Aug", "09": "Sep", "10": "Oct", "11": "Nov", "12": "Dec",
  ]
  /// The first second of the year 10000.
  private static let limit = 253_402_300_800

  /// - Parameter unixSeconds: Held between 1970 and 9999.
  static func text(_ unixSeconds: Int) -> String {
    let seconds = min(max(unixSeconds, 0), limit - 1)
    // "2026-01-31T12:34:56Z"
    let parts = Timestamp.rfc3339(seconds).split { "-T:Z".utf8.contains($0.asciiValue ?? 0) }.map(String.init)
    guard parts.count == 6, let month = months[parts[1]] else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
    let day = days[seconds / 86_400 % 7]
    return "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }
}
