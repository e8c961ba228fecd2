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
  /// The keys among them with a name, and why each was left out.
  private let leftOut: [(keyID: String, reason: JOSEError.Code)]
  /// The number of those left out that are not for encryption.
  package let unusable: Int
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
    (skipped, unusable) = (0, 0)
    (leftOut, warnings) = ([], [])
  }

  /// Reads a set. A key that cannot be used is skipped (RFC 7517 section 5); the others stay.
  ///
  /// - Parameters:
  ///   - text: At most 1 MiB, with at most 512 keys.
  ///   - isPublished: An issuer may not publish symmetric keys beside public ones (RFC 7517 section 9.2). In a file of the
  ///     user's own they are left out.
  /// - Throws: ``JOSEError``: `tooLong`, `invalidKeySet`, `tooManyKeys`, and `mixedKeySet` for a published set that
  ///   holds symmetric keys beside public ones.
  package init(parsing text: [UInt8], isPublished: Bool = true) throws(JOSEError) {
    guard text.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    guard let value = try? JSON(parsing: text), let members = value["keys"]?.array
    else { throw JOSEError(.invalidKeySet) }
    guard members.count <= Self.maximumKeyCount else { throw JOSEError(.tooManyKeys) }
    let objects = members.compactMap(\.object)
    let symmetric = objects.count(where: JWK.isSymmetric)
    if isPublished, symmetric > 0, symmetric < objects.count { throw JOSEError(.mixedKeySet) }

    var usable: [JWK] = []
    var leftOut: [(keyID: String, reason: JOSEError.Code)] = []
    var unusable = members.count - objects.count
    for object in objects {
      do throws(JOSEError) { usable.append(try JWK(object)) } catch {
        if object["use"]?.string != "enc" { unusable += 1 }
        if let keyID = object["kid"]?.string { leftOut.append((keyID, error.code)) }
      }
    }
    (keys, self.leftOut, self.unusable) = (usable, leftOut, unusable)
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
  /// - Throws: ``JOSEError``: `unknownKey` if fetching the set again may help, `unsuitableKey`, `ambiguousKey`, or why
  ///   the key of that name was left out.
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
    if let keyID, !isKnown, let out = leftOut.first(where: { $0.keyID.hasSameBytes(as: keyID) }) {
      throw JOSEError(out.reason.ofSetKey)
    }
    throw JOSEError(keyID == nil || !isKnown && !isUnnamed ? .unknownKey : .unsuitableKey)
  }

  /// The set as a JSON text, for publishing.
  package func serialized() -> [UInt8] {
    JSON.object(["keys": .array(keys.map { .object($0.published) })]).serialized()
  }
}
