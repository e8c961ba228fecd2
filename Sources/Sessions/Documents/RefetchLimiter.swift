internal import OAuth

/// Limits early fetches of documents, for an unknown key or missing endpoint, even after dropping them from the cache.
struct RefetchLimiter: Sendable {
  private struct Record {
    /// In unix seconds, oldest first.
    var times: [Int] = []
    /// The latest fetch's error, if it failed.
    var problem: OAuthError?
  }

  private static let minimumIntervalSeconds = 60
  private static let maximumPerHour = 10
  private static let maximumDocuments = 256

  private var records: [DocumentRoute: Record] = [:]

  /// Returns false if the limit forbids a fetch now.
  mutating func recordIfAllowed(_ route: DocumentRoute, now: Int) -> Bool {
    guard secondsLeft(route, now: now) == 0 else { return false }
    var record = records[route] ?? Record()
    record.times = Self.withinLastHour(record.times, now)
    record.times.append(now)
    records[route] = record
    if records.count > Self.maximumDocuments,
      let oldest = records.min(by: { ($0.value.times.last ?? 0) < ($1.value.times.last ?? 0) })?.key
    {
      records[oldest] = nil
    }
    return true
  }

  /// Seconds until a document may be fetched early; 0 if now.
  func secondsLeft(_ route: DocumentRoute, now: Int) -> Int {
    let times = Self.withinLastHour(records[route]?.times ?? [], now)
    guard let last = times.last else { return 0 }
    let hourLeft = times.count < Self.maximumPerHour ? 0 : times[times.count - Self.maximumPerHour] + 3600 - now
    return max(0, last + Self.minimumIntervalSeconds - now, hourLeft)
  }

  /// Also drops times in the future, recorded before the clock was set back.
  private static func withinLastHour(_ times: [Int], _ now: Int) -> [Int] {
    times.filter { now - 3600 < $0 && $0 <= now }
  }

  mutating func recordFailure(_ route: DocumentRoute, _ problem: OAuthError) { records[route]?.problem = problem }

  mutating func recordSuccess(_ route: DocumentRoute) { records[route]?.problem = nil }

  /// The latest early fetch's error, if it failed.
  func problem(of route: DocumentRoute) -> OAuthError? { records[route]?.problem }
}
