internal import OAuth

/// Counts the fetches of documents out of turn, for an unknown key or an endpoint that is gone, and keeps their last
/// errors. It outlives the documents, so that dropping a document does not raise its limit.
struct Refetches: Sendable {
  private struct Record {
    /// Unix seconds, the oldest first.
    var times: [Int] = []
    /// Why the last one brought nothing.
    var problem: OAuthError?
  }

  /// One is fetched out of turn at most once in this time and ten times an hour.
  private static let shortestSeconds = 60
  private static let mostAnHour = 10
  /// Of more documents than these, those are forgotten that were fetched out of turn longest ago.
  private static let mostDocuments = 256

  private var records: [DocumentWay: Record] = [:]

  /// Whether a document may be fetched out of turn now; if so, it is counted.
  mutating func take(_ way: DocumentWay, now: Int) -> Bool {
    guard secondsLeft(way, now: now) == 0 else { return false }
    var record = records[way] ?? Record()
    record.times = Self.counted(record.times, now)
    record.times.append(now)
    records[way] = record
    if records.count > Self.mostDocuments,
      let oldest = records.min(by: { ($0.value.times.last ?? 0) < ($1.value.times.last ?? 0) })?.key
    {
      records[oldest] = nil
    }
    return true
  }

  /// Seconds until a document may be fetched out of turn; 0 if it may be now.
  func secondsLeft(_ way: DocumentWay, now: Int) -> Int {
    let times = Self.counted(records[way]?.times ?? [], now)
    guard let last = times.last else { return 0 }
    let hourLeft = times.count < Self.mostAnHour ? 0 : times[times.count - Self.mostAnHour] + 3600 - now
    return max(0, last + Self.shortestSeconds - now, hourLeft)
  }

  /// The fetches of the last hour. Those of the future were made before the clock was set back.
  private static func counted(_ times: [Int], _ now: Int) -> [Int] { times.filter { now - 3600 < $0 && $0 <= now } }

  mutating func failed(_ way: DocumentWay, _ problem: OAuthError) { records[way]?.problem = problem }

  mutating func succeeded(_ way: DocumentWay) { records[way]?.problem = nil }

  func problem(of way: DocumentWay) -> OAuthError? { records[way]?.problem }
}
