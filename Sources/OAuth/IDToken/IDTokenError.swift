internal import Encoding
package import Crypto

package struct IDTokenError: Error, Hashable, Sendable {
  package let fault: TokenFault
  /// Seconds that this machine's clock is ahead of the server's, if that may be the reason.
  package private(set) var clockAheadSeconds: Int?

  package init(_ fault: TokenFault) { self.fault = fault }

  /// In seconds. Smaller differences are not reported.
  private static let toleratedClockOffset = 60

  /// Adds the clock difference if a time claim was rejected. `serverDate` is the response's `Date`, `now` its arrival,
  /// in unix seconds.
  package func comparing(serverDate: Int?, now: Int) -> IDTokenError {
    guard fault.mayBeClockProblem, let serverDate else { return self }
    let (difference, overflow) = now.subtractingReportingOverflow(serverDate)
    guard !overflow, difference.magnitude > UInt(Self.toleratedClockOffset) else { return self }
    var named = self
    named.clockAheadSeconds = difference
    return named
  }
}

extension OAuthError {
  /// The error for a key missing or unusable in the latest keys. They may be fetched again in `seconds`. Nil for other
  /// faults.
  package init?(_ error: IDTokenError, in keys: JWKSet, retryAfter seconds: Int) {
    guard case .signature(let code) = error.fault else { return nil }
    let (unusable, all) = (keys.unusableCount, keys.keys.count + keys.skippedCount)
    switch code {
    case .unknownKey:
      let server = OAuthError.Subject.server
      let counted = Phrase("\(server.phrase) (unusable keys: \(unusable) of \(all))")
      self.init(.keyNotPublished, unusable > 0 ? .reason(counted) : server)
    case .malformedSetKey, .weakSetKey, .unsupportedSetKey, .secretSetKey:
      let reason =
        unusable > 1 ? Phrase("\(code.reason) (\(unusable) of the \(all) keys are unusable)") : code.reason
      self.init(.keyUnusable, .reason(reason))
    default: return nil
    }
    retryAfterSeconds = seconds
  }

  package init(_ error: IDTokenError) {
    self.init(.idTokenRejected, .reason(error.fault.reason))
    clockAheadSeconds = error.clockAheadSeconds
    if clockAheadSeconds != nil { advice = "check this machine's clock" }
    guard case .untrustedAudience(let audiences) = error.fault else { return }
    let options = audiences.map { "--trust-audience '\($0)'" }
    if !options.isEmpty, options.count <= 8, audiences.allSatisfy(Self.canBeQuoted) {
      advice = Phrase("if they belong together: \(options.joined(separator: " "))")
    }
  }

  private static func canBeQuoted(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isVisibleASCII && $0 != UInt8(ascii: "'") }
  }
}
