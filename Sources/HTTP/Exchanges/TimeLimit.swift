internal import Platform

/// A request's time limit. Restarts after SIGSTOP or suspend, when the process could not read.
struct TimeLimit: Sendable {
  /// A longer interval between checks means that the process was not running.
  private static let longestPause = Duration.seconds(4)

  private let duration: Duration
  private let start: Instant
  private var end: Instant
  private var lastCheck: Instant

  init(_ duration: Duration, from now: Instant = .now) {
    self.duration = duration
    (start, end, lastCheck) = (now, now.advanced(by: duration), now)
  }

  /// Call at least every ``CurlHandle/longestWait`` while the process runs.
  mutating func checkHasPassed(_ now: Instant = .now) -> Bool {
    if lastCheck.duration(to: now) > Self.longestPause { end = now.advanced(by: duration) }
    lastCheck = now
    return now >= end
  }

  /// Extends the limit by a duration that just passed.
  mutating func exclude(_ duration: Duration, _ now: Instant = .now) {
    (end, lastCheck) = (end.advanced(by: duration), now)
  }

  func secondsWaited(_ now: Instant = .now) -> Int {
    Int((start.duration(to: now) + .milliseconds(500)).components.seconds)
  }
}
