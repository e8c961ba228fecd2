extension Duration {
  /// Whole milliseconds, rounded up, at least 1: the library takes 0 for no limit. At most 24 days.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    if seconds < 0 { return 1 }
    let limit = Int(Int32.max)
    guard seconds < limit / 1000 else { return limit }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
