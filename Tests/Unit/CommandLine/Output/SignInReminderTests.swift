import Testing
import Vocabulary

@testable import CommandLine

@Suite struct `The reminder to sign in again` {
  // 2026-11-27, a Friday, 14:05 UTC.
  private static let end = 1_795_788_300

  @Test(
    arguments: [
      (3 * 86_400, "sign in again by Friday (2026-11-27 14:05 UTC)"),
      (14 * 3600 + 6 * 60, "sign in again by Friday (2026-11-27 14:05 UTC)"),
      (14 * 3600 + 5 * 60, "sign in again by 14:05 UTC today"), (1, "sign in again by 14:05 UTC today"), (0, nil),
    ] as [(Int, String?)])
  func `names the day unless it is today`(secondsLeft: Int, text: String?) {
    let phrase = SignInReminder.phrase(by: Self.end, now: Self.end - secondsLeft, isUTC: true)
    #expect(phrase?.english == text)
  }
}
