internal import JOSE
internal import OAuth

/// The keys of an issuer for one signature: those at hand, and as long as none of these is the one that signed, newer
/// ones, then those at another place, where the issuer has moved. Whoever asks for more stops when a signature fits.
struct KeySearch: Sendable {
  private enum Stage {
    case start
    case atHand(DocumentCache.VersionedKeys)
    case newer
    case end
  }

  private let source: IssuerKeys
  private var stage = Stage.start

  init(_ source: IssuerKeys) { self.source = source }

  /// Other keys than before; nil when there are none.
  ///
  /// - Throws: Why it cannot be said whether there are others.
  mutating func next() throws(OAuthError) -> JWKSet? {
    switch stage {
    case .start:
      let keys = try source.atHand()
      stage = .atHand(keys)
      return keys.keys
    case .atHand(let old):
      stage = .newer
      if let newer = try source.renewed(after: old) { return newer.keys }
      return try next()
    case .newer:
      stage = .end
      return try source.moved()?.keys.keys
    case .end:
      return nil
    }
  }
}
