internal import Wire

/// Lengths of time as people say them, rounded down to two units: `54m`, `2h 5m`, `3d 4h`.
enum RelativeTime {
  static func text(seconds: Int) -> String { phrase(seconds: seconds).english }

  /// At most two units that are not 0, the larger one first.
  static func parts(seconds: Int) -> [(name: Character, count: Int)] {
    let seconds = max(0, seconds)
    let units: [(name: Character, count: Int)] = [
      ("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60),
    ]
    guard let first = units.firstIndex(where: { $0.count > 0 }) else { return [("s", 0)] }
    // Seconds beside minutes only make a listing restless.
    return units[first...].prefix(2).filter { $0.count > 0 && ($0.name != "s" || units[first].name == "s") }
  }

  /// A short time in milliseconds: `0.4 ms`.
  static func precise(_ duration: Duration) -> String {
    let parts = duration.components
    let tenths = max(0, parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000)
    return "\(tenths / 10).\(tenths % 10) ms"
  }

  /// `expires in 54m` or `expired 2h ago`.
  static func expiry(at unixSeconds: Int, now: Int) -> String { expiryPhrase(at: unixSeconds, now: now).english }
}
