internal import Encoding

/// The keys that an issuer publishes (RFC 7517 section 5).
package struct JWKSet: Sendable {
  /// The longest text, in bytes.
  package static let maximumByteCount = 1 << 20
  /// The most keys.
  package static let maximumKeyCount = 512

  /// A key that does not belong into a published set and was dropped.
  package enum Warning: Sendable, Hashable, CaseIterable {
    /// A shared secret was published.
    case symmetricKey
    /// A private key was published. Every reader of the set can sign tokens with it.
    case privateKey
  }

  /// The usable keys, in the order of the set.
  package let keys: [JWK]
  /// The number of keys left out: unknown, malformed, weak, or warned about.
  package let skipped: Int
  package let warnings: [Warning]
  /// Whether the keys come from a form without names, so that the `kid` of a token cannot choose among them.
  private let isUnnamed: Bool

  /// A set of given keys.
  package init(_ keys: [JWK]) { self.init(keys, isUnnamed: false) }

  /// A set of keys from a form that has no names for them. A token's `kid` is then no reason to refuse it.
  init(unnamed keys: [JWK]) { self.init(keys, isUnnamed: true) }

  private init(_ keys: [JWK], isUnnamed: Bool) {
    self.keys = keys
    self.isUnnamed = isUnnamed
    skipped = 0
    warnings = []
  }

  /// Reads a set. A key that cannot be used is skipped (RFC 7517 section 5); the others stay.
  ///
  /// - Parameter text: At most 1 MiB, with at most 512 keys.
  /// - Throws: ``JOSEError``: `tooLong`, `invalidKeySet`, `tooManyKeys`, and `mixedKeySet` for a set that
  ///   holds symmetric keys beside public ones, which no issuer may publish (RFC 7517 section 9.2).
  package init(parsing text: [UInt8]) throws(JOSEError) {
    guard text.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    guard let value = try? JSON(parsing: text), let members = value["keys"]?.array
    else { throw JOSEError(.invalidKeySet) }
    guard members.count <= Self.maximumKeyCount else { throw JOSEError(.tooManyKeys) }
    let objects = members.compactMap(\.object)
    let symmetric = objects.count(where: JWK.isSymmetric)
    if symmetric > 0, symmetric < objects.count { throw JOSEError(.mixedKeySet) }

    keys = objects.compactMap { try? JWK($0) }
    skipped = members.count - keys.count
    warnings = objects.compactMap(Self.warning)
    isUnnamed = false
  }

  private static func warning(_ members: JSONObject) -> Warning? {
    if JWK.isSymmetric(members) { return .symmetricKey }
    return JWK.hasPrivateMembers(members) ? .privateKey : nil
  }
}

extension JWKSet {
  /// The one key for a token.
  ///
  /// A token with a `kid` is checked by the key of that name only, and one without a `kid` only when a
  /// single key fits (OpenID Connect Core 1.0 section 10.1). Keys are never tried one after the other.
  ///
  /// - Throws: ``JOSEError``: `unknownKey` if fetching the set again may help, `unsuitableKey`, `ambiguousKey`.
  package func key(for algorithm: JWSAlgorithm, keyID: String?) throws(JOSEError) -> JWK {
    var (isKnown, found) = (false, JWK?.none)
    for key in keys {
      if let keyID, !isUnnamed {
        guard let name = key.keyID, name.hasSameBytes(as: keyID) else { continue }
        isKnown = true
      }
      guard key.fits(algorithm) else { continue }
      // The same key twice is one key.
      if let other = found, other.thumbprint() != key.thumbprint() || other.issuer != key.issuer {
        throw JOSEError(.ambiguousKey)
      }
      found = key
    }
    if let found { return found }
    throw JOSEError(keyID == nil || !isKnown && !isUnnamed ? .unknownKey : .unsuitableKey)
  }

  /// The set as a JSON text, for publishing.
  package func serialized() -> [UInt8] {
    JSON.object(["keys": .array(keys.map { .object($0.published) })]).serialized()
  }
}
