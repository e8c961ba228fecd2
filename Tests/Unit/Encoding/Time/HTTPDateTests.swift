import Encoding
import Testing

@Suite struct `HTTP dates (RFC 9110 section 5.6.7)` {
  static let accepted = [
    // The three examples of the section.
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu Jan  1 00:00:01 1970", 1),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
    ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
    ("Thu Feb 29 23:59:59 2024", 1_709_251_199),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    // The day of the week determines the century.
    ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
    ("Wednesday, 01-Jan-70 00:00:00 GMT", 3_155_760_000),
    ("Thursday, 29-Feb-24 23:59:59 GMT", 1_709_251_199),
  ]

  static let refused = [
    "", "Sun", "Sun,", "Sun, ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
    "Mon, 06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Wed, 30 Feb 2000 12:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
    "Thu, 00 Jan 1970 00:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 19a4 08:49:37 GMT",
    "Sun, -6 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov 6  08:49:37 1994",
    "Sunday Nov  6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "784111777", "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 ٠٨:49:37 GMT", "Monday, 06-Nov-94 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
  ]

  @Test(arguments: accepted) func `a date in one of the three forms is read`(text: String, seconds: Int) {
    #expect(HTTPDate.parse(text) == seconds)
  }

  @Test(arguments: refused) func `anything else is refused`(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test(arguments: accepted.map(\.0)) func `a date that is cut off is refused`(text: String) {
    for length in 0..<text.count {
      #expect(HTTPDate.parse(String(text.prefix(length))) == nil)
    }
  }
}

@Suite struct `Timestamps (RFC 3339 section 5.6)` {
  static let known = [
    (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (482_196_050, "1985-04-12T23:20:50Z"),
    (851_042_397, "1996-12-20T00:39:57Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_709_251_199, "2024-02-29T23:59:59Z"), (1_709_251_200, "2024-03-01T00:00:00Z"),
    (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    (-62_167_219_200, "0000-01-01T00:00:00Z"), (.max, "9999-12-31T23:59:59Z"), (.min, "0000-01-01T00:00:00Z"),
  ]

  @Test(arguments: known) func `a time is written in UTC and held within four-digit years`(seconds: Int, text: String) {
    #expect(Timestamp.rfc3339(seconds) == text)
  }

  @Test(arguments: known.dropLast(2)) func `a time that was written is read again`(seconds: Int, text: String) {
    #expect(Timestamp.unixSeconds(rfc3339: text) == seconds)
    #expect(Timestamp.unixSeconds(rfc3339: text.dropLast() + ".123Z") == seconds)
  }

  @Test(arguments: [
    "", "2024-02-29T12:00:00", "2024-02-30T12:00:00Z", "2023-02-29T12:00:00Z", "2024-02-29T24:00:00Z",
    "2024-02-29T12:60:00Z",
    "2024-02-29T12:00:61Z", "2024-02-29T12:00:00.Z", "2024-02-29T12:00:00.1.2Z", "2024-02-29T12:00:00+00:00",
    "2024-02-29 12:00:00Z", "2024-13-01T12:00:00Z", "2024-00-01T12:00:00Z", "+024-02-29T12:00:00Z",
    "2024-02-29T12:00:00.00000000000000000000000000000Z",
  ])
  func `anything else is no time`(text: String) { #expect(Timestamp.unixSeconds(rfc3339: text) == nil) }

  @Test func `days across eight centuries agree with the HTTP form`() {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for day in stride(from: -135_140, through: 160_000, by: 11) {
      let parts = Timestamp.rfc3339(day * 86_400).split(separator: "T")[0].split(separator: "-")
      let month = Int(parts[1]).map { months[$0 - 1] } ?? ""
      let date = "\(weekdays[(day % 7 + 7) % 7]), \(parts[2]) \(month) \(parts[0]) 00:00:00 GMT"
      guard HTTPDate.parse(date) != day * 86_400 else { continue }
      Issue.record("\(date) is not day \(day)")
      return
    }
  }
}
