internal import Crypto
internal import OAuth

/// Iterates over an issuer's keys: cached ones, newer ones, then those at another URL if they have moved.
struct KeySearch: ~Copyable {
  private enum Stage {
    case start
    /// These cached keys were returned.
    case cached(DocumentCache.VersionedKeys)
    /// Newer keys were requested from the same URL.
    case renewed
    /// Keys were requested from another URL.
    case end
  }

  private var source: IssuerKeys
  private var stage = Stage.start

  init(_ source: IssuerKeys) { self.source = source }

  /// At least 1.
  var secondsUntilRefetch: Int { source.secondsUntilRefetch }

  /// Returns the next keys to try, if any. An error after the first keys specifies when to repeat the search.
  mutating func next() throws(OAuthError) -> JWKSet? {
    if case .start = stage {
      let found = try source.fetchUnlessCached()
      source = found.source
      stage = .cached(found.keys)
      return found.keys.keys
    }
    do throws(OAuthError) { return try fetchNewer() } catch {
      var problem = error
      problem.retryAfterSeconds = max(problem.retryAfterSeconds ?? 0, secondsUntilRefetch)
      throw problem
    }
  }

  private mutating func fetchNewer() throws(OAuthError) -> JWKSet? {
    if case .cached(let old) = stage {
      let newer = try source.fetchNewer(than: old)
      stage = .renewed
      if let newer {
        source = newer.source
        return newer.keys.keys
      }
    }
    guard case .renewed = stage else { return nil }
    stage = .end
    guard let moved = try source.fetchFromNewURL() else { return nil }
    source = moved.source
    return moved.keys.keys
  }
}
