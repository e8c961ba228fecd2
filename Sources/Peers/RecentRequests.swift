internal import Encoding
internal import Platform
internal import Wire

/// Reads request lines, and remembers what the last few token requests meant: a script asks for the same
/// token in the same words again and again, and equal bytes mean the same.
struct RecentRequests {
  private final class Known {
    let line: [UInt8]
    let envelope: RequestEnvelope

    init(_ line: [UInt8], _ envelope: RequestEnvelope) {
      self.line = line
      self.envelope = envelope
    }

    func isFor(_ other: Span<UInt8>) -> Bool {
      let line = line
      return line.span.hasSameBytes(as: other)
    }
  }

  private var known: [Known] = []
  /// The index that the next one replaces.
  private var oldest = 0

  private static let mostKnown = 8
  private static let mostBytes = 512

  /// - Throws: As ``Wire/RequestEnvelope/init(parsing:)``.
  mutating func envelope(parsing line: Span<UInt8>) throws(Failure) -> RequestEnvelope {
    for request in known where request.isFor(line) { return request.envelope }
    let envelope = try RequestEnvelope(parsing: line)
    if case .token = envelope.request, line.count <= Self.mostBytes { remember(line, envelope) }
    return envelope
  }

  private mutating func remember(_ line: Span<UInt8>, _ envelope: RequestEnvelope) {
    var bytes: [UInt8] = []
    bytes.append(contentsOf: line)
    if known.count < Self.mostKnown {
      known.append(Known(bytes, envelope))
    } else {
      known[oldest] = Known(bytes, envelope)
      oldest = (oldest + 1) % Self.mostKnown
    }
  }
}
