import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `Lengths of time` {
  @Test(arguments: [
    ("0", 0), ("60", 60), ("60s", 60), ("5m", 300), ("1h", 3600), ("2d", 172_800), ("007", 7),
    ("999999999d", 86_399_999_913_600),
  ]) func `are read`(text: String, seconds: Int) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "s", "m", "-1", "+1", "1.5h", "1h30m", "1 m", " 1", "1M", "1w", "0x10", "1000000000", "９", "5s\u{0301}",
  ]) func `are not guessed`(text: String) {
    #expect(DurationText.seconds(text) == nil)
  }

  @Test func `are written so that they are read as the same`() {
    for seconds in [0, 1, 59, 60, 90, 3600, 5400, 86_400, 86_401, 172_800] {
      #expect(DurationText.seconds(DurationText.text(seconds: seconds)) == seconds)
    }
  }

  @Test(arguments: [
    (0, "0s"), (-5, "0s"), (59, "59s"), (60, "1m"), (119, "1m"), (3240, "54m"), (3600, "1h"), (7500, "2h 5m"),
    (86_400, "1d"), (90_000, "1d 1h"), (86_460, "1d"), (259_200 + 4 * 3600 + 59, "3d 4h"),
  ]) func `are told in at most two units`(seconds: Int, text: String) {
    #expect(RelativeTime.text(seconds: seconds) == text)
  }

  @Test func `a server's times cannot overflow`() {
    #expect(RelativeTime.expiryPhrase(at: 1000, now: 400).english == "expires in 10m")
    #expect(RelativeTime.expiryPhrase(at: 400, now: 1000).english == "expired 10m ago")
    #expect(RelativeTime.expiryPhrase(at: .min, now: 1000).english == "expiry unknown")
    #expect(RelativeTime.expiryPhrase(at: .max, now: -1).english == "expiry unknown")
    #expect(RelativeTime.pastPhrase(.min, now: 1000).english == "long ago")
    #expect(RelativeTime.pastPhrase(.max, now: 1000).english == "just now")
  }
}

@Suite struct `Suggestions` {
  @Test(arguments: [
    ("tokn", ["token"]), ("toekn", ["token"]), ("stat", ["status"]), ("lo", ["login", "logout"]), ("xyz", []), ("", []),
    ("loginn", ["login"]),
  ]) func `are the closest words, if any is close`(word: String, expected: [String]) {
    #expect(Suggestion.candidates(for: word, among: ["login", "logout", "token", "status"]) == expected)
  }

  @Test(arguments: [(40, 1), (41, 0), (1_000_000, 0)]) func `a very long word costs nothing`(length: Int, found: Int) {
    let word = String(repeating: "a", count: length)
    #expect(Suggestion.candidates(for: word, among: [word + "b"]).count == found)
  }

  @Test(arguments: [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3), ("ca", "abc", 3)])
  func `distances count edits and swaps`(left: String, right: String, distance: Int) {
    #expect(Suggestion.editDistance(Array(left.utf8), Array(right.utf8)) == distance)
    #expect(Suggestion.editDistance(Array(right.utf8), Array(left.utf8)) == distance)
  }
}
