/// The time limit of a request. It begins anew after the process stood still, as under SIGSTOP or during suspend: until
/// then nothing that arrived could be read.
struct TimeLimit: Sendable {
  /// Waits are far shorter, so a longer time between two looks means that the process did not run.
  private static let longestPause = Duration.seconds(4)

  private let duration: Duration
  private let start: ContinuousClock.Instant
  private var end: ContinuousClock.Instant
  private var lastLook: ContinuousClock.Instant

  init(_ duration: Duration, from now: ContinuousClock.Instant = .now) {
    self.duration = duration
    (start, end, lastLook) = (now, now.advanced(by: duration), now)
  }

  /// Whether the limit has passed. Must be asked at least once in ``CurlHandle/longestWait`` while the process runs.
  mutating func hasPassed(_ now: ContinuousClock.Instant = .now) -> Bool {
    if lastLook.duration(to: now) > Self.longestPause { end = now.advanced(by: duration) }
    lastLook = now
    return now >= end
  }

  /// Whole seconds since the start.
  func secondsWaited(_ now: ContinuousClock.Instant = .now) -> Int {
    Int((start.duration(to: now) + .milliseconds(500)).components.seconds)
  }
}
