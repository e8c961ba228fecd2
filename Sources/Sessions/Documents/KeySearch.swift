internal import Crypto
internal import OAuth

/// Iterates over an issuer's keys: cached, newer, then those at a new URL.
struct KeySearch: ~Copyable {
  private enum Stage {
    case start
    case cached(DocumentCache.VersionedKeys)
    case renewed
    case end
  }

  private var source: IssuerKeys
  private var stage = Stage.start

  init(_ source: IssuerKeys) { self.source = source }

  /// At least 1.
  var secondsUntilRefetch: Int { source.secondsUntilRefetch }

  /// Returns the next keys to try, if any. Errors after the first keys have `retryAfterSeconds` set.
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
