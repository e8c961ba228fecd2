internal import JOSE
internal import OAuth

/// The keys of an issuer for one signature, in turn: the cached keys, then newer ones, then those at another URL if the
/// issuer has moved. The caller stops when a signature fits.
struct KeySearch: Sendable {
  private enum Stage {
    case start(IssuerKeys)
    case atHand(IssuerKeys.Held)
    case newest(IssuerKeys.Held)
    case end
  }

  private var stage: Stage

  init(_ source: IssuerKeys) { stage = .start(source) }

  /// Other keys than before; nil when there are none.
  ///
  /// - Throws: Why it cannot be said whether there are others.
  mutating func next() throws(OAuthError) -> JWKSet? {
    switch stage {
    case .start(let source):
      let held = try source.atHand()
      stage = .atHand(held)
      return held.keys.keys
    case .atHand(let held):
      let newer = try held.source.renewed(after: held.keys)
      stage = .newest(newer ?? held)
      if let newer { return newer.keys.keys }
      return try next()
    case .newest(let held):
      stage = .end
      return try held.source.moved()?.keys.keys
    case .end:
      return nil
    }
  }
}
