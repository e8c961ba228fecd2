import Encoding
import Testing

@Suite struct `A point in time in plain words` {
  private static let now = 1_795_251_600

  @Test(arguments: [
    (0, "now"), (1, "in 1 second"), (59, "in 59 seconds"), (60, "in 1 minute"), (754, "in 12 minutes"),
    (3600, "in 1 hour"), (7500, "in 2 hours 5 minutes"), (86_400 * 3 + 3600 * 4, "in 3 days 4 hours"),
    (31_557_600 * 2 + 86_400, "in 2 years 1 day"), (-1, "1 second ago"), (-180, "3 minutes ago"),
    (-86_399, "23 hours 59 minutes ago"),
  ])
  func `tells how far away it is`(seconds: Int, text: String) {
    #expect(ReadableTime.distance(to: Self.now + seconds, now: Self.now) == text)
  }

  @Test func `tells the date and the time of day in UTC`() {
    #expect(ReadableTime.text(Self.now + 720, now: Self.now) == "2026-11-21 09:12:00 UTC, in 12 minutes")
    #expect(ReadableTime.text(0, now: Self.now).hasPrefix("1970-01-01 00:00:00 UTC, 56 years "))
  }

  @Test func `is told whatever the numbers are`() {
    #expect(ReadableTime.distance(to: .max, now: -1) == "in the far future")
    #expect(ReadableTime.distance(to: .min, now: 1) == "long ago")
    #expect(!ReadableTime.text(.max, now: 0).isEmpty && !ReadableTime.text(.min, now: 0).isEmpty)
  }
}
