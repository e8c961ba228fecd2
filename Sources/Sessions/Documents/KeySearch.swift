internal import JOSE
internal import OAuth

/// Tries an issuer's keys for a signature: first the cached keys, then newer ones, then those at another URL if the
/// issuer has moved. The caller stops when a signature is valid.
struct KeySearch: Sendable {
  private enum Stage {
    case start
    case atHand(DocumentCache.VersionedKeys)
    case newest
    case end
  }

  private var source: IssuerKeys
  private var stage = Stage.start

  init(_ source: IssuerKeys) { self.source = source }

  /// Seconds until a new search may find other keys, at least 1.
  var secondsUntilNext: Int { source.secondsUntilNext }

  /// The next keys to try; nil if there are no more.
  ///
  /// - Throws: The error of the fetch. After the first keys, it includes the seconds until a new search may find
  ///   others.
  mutating func next() throws(OAuthError) -> JWKSet? {
    if case .start = stage {
      let held = try source.atHand()
      source = held.source
      stage = .atHand(held.keys)
      return held.keys.keys
    }
    do throws(OAuthError) { return try newer() } catch {
      var problem = error
      problem.retryAfterSeconds = max(problem.retryAfterSeconds ?? 0, secondsUntilNext)
      throw problem
    }
  }

  private mutating func newer() throws(OAuthError) -> JWKSet? {
    if case .atHand(let old) = stage {
      let newer = try source.renewed(after: old)
      stage = .newest
      if let newer {
        source = newer.source
        return newer.keys.keys
      }
    }
    guard case .newest = stage else { return nil }
    stage = .end
    guard let moved = try source.moved() else { return nil }
    source = moved.source
    return moved.keys.keys
  }
}
