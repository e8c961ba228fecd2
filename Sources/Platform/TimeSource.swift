/// Where the time comes from. Passed to everything that waits or expires, so that tests own it.
package protocol TimeSource: Sendable {
  /// The moment for deadlines; suspend counts.
  func now() -> Instant
  /// Seconds since 1970, UTC, as the machine believes; may be wrong and may jump.
  func wallSeconds() -> Int
}
