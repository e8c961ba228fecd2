internal import Encoding
internal import Platform

/// Parses request lines, with a cache of recent token requests.
struct RecentRequests {
  private final class CachedRequest {
    let line: [UInt8]
    let envelope: RequestEnvelope

    init(_ line: [UInt8], _ envelope: RequestEnvelope) {
      self.line = line
      self.envelope = envelope
    }

    func matches(_ other: Span<UInt8>) -> Bool {
      let line = line
      return line.span.hasSameBytes(as: other)
    }
  }

  private var known: [CachedRequest] = []
  private var oldest = 0

  private static let maximumCached = 8
  /// Of a cached line.
  private static let maximumBytes = 512

  /// - Throws: As ``Wire/RequestEnvelope/init(parsing:)``.
  mutating func envelope(parsing line: Span<UInt8>) throws(Failure) -> RequestEnvelope {
    for request in known where request.matches(line) { return request.envelope }
    let envelope = try RequestEnvelope(parsing: line)
    if case .token = envelope.request, line.count <= Self.maximumBytes { remember(line, envelope) }
    return envelope
  }

  private mutating func remember(_ line: Span<UInt8>, _ envelope: RequestEnvelope) {
    var bytes: [UInt8] = []
    bytes.append(contentsOf: line)
    if known.count < Self.maximumCached {
      known.append(CachedRequest(bytes, envelope))
    } else {
      known[oldest] = CachedRequest(bytes, envelope)
      oldest = (oldest + 1) % Self.maximumCached
    }
  }
}
