/// Lengths of time as people say them, rounded down to two units: `54m`, `2h 5m`, `3d 4h`.
enum RelativeTime {
  static func text(seconds: Int) -> String {
    let seconds = max(0, seconds)
    let units = [("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60)]
    guard let first = units.firstIndex(where: { $0.1 > 0 }) else { return "0s" }
    // Seconds beside minutes only make a listing restless.
    let parts = units[first...].prefix(2).filter { $0.1 > 0 && ($0.0 != "s" || units[first].0 == "s") }
    return parts.map { "\($0.1)\($0.0)" }.joined(separator: " ")
  }

  /// A short time in milliseconds: `0.4 ms`.
  static func precise(_ duration: Duration) -> String {
    let parts = duration.components
    let tenths = max(0, parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000)
    return "\(tenths / 10).\(tenths % 10) ms"
  }

  /// `expires in 54m` or `expired 2h ago`.
  static func expiry(at unixSeconds: Int, now: Int) -> String {
    let (left, overflow) = unixSeconds.subtractingReportingOverflow(now)
    guard !overflow else { return "expires at no time that can be told" }
    return left > 0 ? "expires in \(text(seconds: left))" : "expired \(text(seconds: 0 &- left)) ago"
  }

  /// `12m ago`.
  static func past(_ unixSeconds: Int, now: Int) -> String {
    let (gone, overflow) = now.subtractingReportingOverflow(unixSeconds)
    return overflow ? "long ago" : "\(text(seconds: gone)) ago"
  }
}
